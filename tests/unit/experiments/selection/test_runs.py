"""Runs, the gap after every label, and runs that share their beginning."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from activefs import Pool, Session
from activefs._kernels.best_k import sums_over_smallest
from activefs.runs import GapMeter, LabelledPool, Replay, RunResult, lines, run_session, true_impurity
from activefs.strategies import AFS, Strategy
from activefs.ties import TIE


def problem(rows: int = 300, columns: int = 25, classes: int = 2, seed: int = 0) -> LabelledPool:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(rows, columns))
    score = X[:, 0] + X[:, 1] + rng.normal(scale=0.6, size=rows)
    y = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
    return LabelledPool.of(Pool.from_table(X), y.astype(np.int64))


def measure(given: LabelledPool, strategy: Strategy, ks: tuple[int, ...], budget: int, seed: int) -> RunResult:
    return run_session(given, {"k": ks[0], "strategy": strategy, "budget": budget}, seed, ks=ks)[1]


def test_sums_over_smallest_by_hand() -> None:
    values = np.array([0.3, 0.1, 0.2, 0.9])
    out = np.empty(3)
    state = np.array([1], dtype=np.uint64)
    sums_over_smallest(values, np.array([1.0, 10.0, 100.0, 1000.0]), np.array([1, 2, 4]), TIE, state, out)
    assert out.tolist() == [10.0, 110.0, 1111.0]


def test_ties_are_drawn_evenly() -> None:
    values = np.array([0.5, 0.1, 0.5, 0.5, 0.5 + 1e-14])
    weights = np.array([1.0, 100.0, 10.0, 1000.0, 10000.0])
    state, out = np.array([7], dtype=np.uint64), np.empty(1)
    hits = np.zeros(5)
    for _ in range(8000):
        sums_over_smallest(values, weights, np.array([3]), TIE, state, out)
        hits += [(int(out[0]) // int(w)) % 10 for w in weights]
    assert hits[1] == 8000
    assert np.allclose(hits[[0, 2, 3, 4]] / 8000, 0.5, atol=0.03)


def test_gap_is_that_of_the_definition_and_zero_when_all_is_known() -> None:
    given = problem()
    result = measure(given, lines.RANDOM.create(0), (1, 3, 25), 300, seed=5)
    assert result.gaps.shape == (3, 300)
    assert (result.gaps >= 0).all()
    assert np.allclose(result.gaps[:, -1], 0.0, atol=1e-6)  # every row is labelled
    assert (result.gaps[2] == 0).all()  # all features are chosen
    assert sorted(result.rows.tolist()) == list(range(300))
    # By hand at one moment, from the rows asked so far.
    session = Session(given.pool, 3, strategy="random", random_state=5, classes=[0, 1])
    session.tell(result.rows[:80].tolist(), given.y[result.rows[:80]].tolist())
    chosen = np.argsort(session.estimates.value)[:3]
    gap = given.truth[chosen].sum() - np.sort(given.truth)[:3].sum()
    assert result.gaps[1, 79] == pytest.approx(gap, abs=1e-6)


def test_one_pass_over_several_k_equals_one_pass_each() -> None:
    given = problem()
    line = lines.CORESET
    together = measure(given, line.create(1), (1, 5, 10), 60, seed=2)
    for i, k in enumerate((1, 5, 10)):
        alone = measure(given, line.create(1), (k,), 60, seed=2)
        assert (alone.rows == together.rows).all()
        assert np.allclose(alone.gaps[0, 10:], together.gaps[i, 10:], atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("floor", ["labelled", "pool"])
def test_replay_equals_the_run_itself(classes: int, floor: Literal["labelled", "pool"]) -> None:
    given = problem(classes=classes)
    longest = measure(given, AFS(safeguard=None, rho_floor=floor), (4,), 150, seed=3)
    fired = 0
    for safeguard in (5, 10, 20, 40):
        itself = AFS(safeguard=safeguard, rho_floor=floor)
        expected = measure(given, itself, (4,), 150, seed=3)
        replayed = measure(given, Replay(longest.rows, itself), (4,), 150, seed=3)
        assert (replayed.rows == expected.rows).all()
        assert (replayed.gaps == expected.gaps).all()
        fired += int((expected.rows != longest.rows).any())
    assert fired > 0


def test_same_seed_same_run_another_seed_another_run() -> None:
    given = problem()
    for line in (lines.AFS, lines.DWUS, lines.SINGLE, lines.AVG_SEL):
        first, again, other = (measure(given, line.create(s), (3,), 30, seed=s) for s in (1, 1, 2))
        assert (first.rows == again.rows).all() and (first.gaps == again.gaps).all()
        assert (first.rows != other.rows).any()


def test_truth_is_the_plug_in_of_all_labels() -> None:
    given = problem(rows=40, columns=3)
    assert np.array_equal(given.truth, true_impurity(given.pool, given.y))
    assert GapMeter(given.truth, (2,)).by_estimates(given.truth)[0] == 0.0
