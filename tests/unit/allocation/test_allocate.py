"""One estimation with a callable that draws the labels."""

import dataclasses

import numpy as np
import pytest

from activefs.allocation import Proportional, allocate, available
from activefs.exceptions import InvalidInputError, InvalidLabelError, OracleError


def oracle(q, seed=0):
    rng = np.random.default_rng(seed)
    return lambda value: int(rng.random() < q[value])


class Never:
    calls = 0

    def __call__(self, value):
        Never.calls += 1
        return 0


@pytest.mark.parametrize("policy", available())
def test_spends_the_budget_and_counts(policy):
    drawn = []

    def draw(value):
        drawn.append(value)
        return len(drawn) % 3 == 0

    result = allocate([0.6, 0.3, 0.1], draw, policy=policy, budget=40)
    assert len(drawn) == 40 == result.n.sum()
    assert result.n.tolist() == [drawn.count(v) for v in range(3)]
    assert result.n.min() >= 2 and result.ones.sum() == 13
    assert result.policy == policy
    assert 0 <= result.lower <= result.entropy <= result.upper <= np.log(2)


def test_estimate_and_interval_by_hand():
    labels = {0: iter([1, 0]), 1: iter([0, 0])}
    result = allocate([0.25, 0.75], lambda v: next(labels[v]), budget=4)
    assert result.entropy == pytest.approx(0.25 * np.log(2))
    # At delta/2 = 0.025 for each of two values, 0 of 2 gives an upper end 1 - sqrt(0.0125).
    end = 1 - np.sqrt(0.0125)
    assert end > 0.5 and result.upper == pytest.approx(np.log(2)) and result.lower == pytest.approx(0, abs=0.02)
    assert (result.n.tolist(), result.ones.tolist()) == ([2, 2], [1, 0])


def test_same_seed_same_allocation():
    runs = [allocate([0.2] * 5, oracle([0.1, 0.2, 0.3, 0.4, 0.5]), random_state=s).n.tolist() for s in (3, 3, 4)]
    assert runs[0] == runs[1] != runs[2]


def test_a_certain_coin_next_to_an_even_one():
    # g vanishes at 1/2: once the even value is known to be even, labels go to the other one.
    result = allocate([0.5, 0.5], oracle([0.5, 0.08]), budget=2000)
    assert result.n[1] > 2 * result.n[0]


def test_value_of_probability_zero_is_never_drawn():
    result = allocate([0.5, 0.0, 0.5], oracle([0.5, None, 0.5]), policy="MAX-H", budget=20)
    assert result.n[1] == 0 and result.n.sum() == 20


def test_interval_holds_as_often_as_it_says():
    p, q = [0.3, 0.7], [0.4, 0.05]
    truth = sum(w * (-x * np.log(x) - (1 - x) * np.log(1 - x)) for w, x in zip(p, q, strict=True))
    runs = [allocate(p, oracle(q, seed), budget=40, delta=0.1) for seed in range(60)]
    assert sum(run.lower <= truth <= run.upper for run in runs) >= 54


def test_gini_and_objects():
    result = allocate([0.5, 0.5], oracle([0.5, 0.5]), budget=60, criterion="gini")
    assert 0.4 < result.entropy <= 0.5
    assert allocate([1.0], oracle([0.5]), policy=Proportional(), budget=10).n.tolist() == [10]


def test_no_initial_draws_are_allowed():
    result = allocate([0.5, 0.5], oracle([0.5, 0.5]), budget=3, initial=0)
    assert sorted(result.n.tolist()) == [1, 2]
    assert allocate([0.5, 0.5], oracle([0.5, 0.5]), budget=1, initial=0).entropy == pytest.approx(np.log(2) / 2)


def test_result_is_frozen():
    result = allocate([1.0], oracle([0.5]), budget=5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.entropy = 0.0  # type: ignore[misc]  # as it should be
    with pytest.raises(ValueError, match="read-only"):
        result.n[0] = 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"p": [0.5, 0.4]}, "sum to 0.9"),
        ({"p": [3, 5]}, "sum to 8"),
        ({"p": [1.5, -0.5]}, "negative"),
        ({"p": [float("nan"), 1.0]}, "finite"),
        ({"p": []}, "at least one"),
        ({"p": [[0.5, 0.5]]}, "one row"),
        ({"p": ["a", "b"]}, "numbers"),
        ({"budget": 3}, "2 values x 2 draws = 4"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"budget": 10.5}, "budget must be a whole number"),
        ({"initial": -1}, "initial"),
        ({"policy": "BEST"}, "unknown policy 'BEST'"),
        ({"delta": 0.0}, "delta"),
        ({"criterion": "beauty"}, "unknown criterion"),
        ({"draw": 3}, "callable"),
    ],
)
def test_bad_input_is_told_before_anything_is_drawn(arguments, told):
    Never.calls = 0
    with pytest.raises(InvalidInputError, match=told):
        allocate(**{"p": [0.5, 0.5], "draw": Never(), **arguments})
    assert Never.calls == 0


@pytest.mark.parametrize("label", [2, 0.5, None, "1"])
def test_a_label_that_is_none(label):
    with pytest.raises(InvalidLabelError, match="0 or 1"):
        allocate([1.0], lambda value: label, budget=5)


def test_an_oracle_that_fails_is_named():
    def draw(value):
        raise KeyError("lab closed")

    with pytest.raises(OracleError, match="lab closed"):
        allocate([1.0], draw, budget=5)
