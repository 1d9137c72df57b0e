"""The traps are what they claim to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from activefs.experiments.leaderboard import BUNDLED, NAMES, TRAPS, named
from activefs.experiments.leaderboard.traps import INDEPENDENT, NOISY, RARE, SMALL, WIDE, XOR
from activefs.pool import Pool
from activefs.runs import LabelledPool, Source, labelled_pool, load

Table = tuple[Any, Any, np.ndarray]


def made_by(source: Source) -> Table:
    """A trap made anew: values, names if there are any, labels."""
    assert source.make is not None
    return source.make()


def informations(made: Table) -> np.ndarray:
    X, names, y = made
    whole = LabelledPool.of(Pool.from_table(X, names=names), y)
    shares = np.bincount(y) / y.size
    return float(-(shares * np.log(shares)).sum()) - whole.truth


@pytest.mark.parametrize("source", [*BUNDLED, *TRAPS], ids=lambda s: s.name)
def test_sets_have_the_size_they_say_and_never_change(source: Source) -> None:
    X, _, y = load(source)
    again, _, same = load(source)
    assert X.shape == (source.rows, source.features) == again.shape
    assert set(np.unique(y)) == {0, 1} and np.array_equal(X, again) and np.array_equal(y, same)


def test_xor_no_feature_is_informative_alone_but_two_are_together() -> None:
    found = informations(made_by(XOR))
    assert found[:2].max() < 1e-12
    assert found.max() < 0.01
    X, _, y = made_by(XOR)
    both = informations((X[:, :1] * 2 + X[:, 1:2], None, y))
    assert both[0] == pytest.approx(np.log(2))


def test_independent_nothing_is_informative_beyond_chance() -> None:
    X, _, y = made_by(INDEPENDENT)
    found = informations((X, None, y))
    shuffled = informations((X, None, np.random.default_rng(0).permutation(y)))
    assert found.max() < 2 * shuffled.max() < 0.02


def test_noisy_has_a_fifth_of_its_labels_wrong() -> None:
    found = np.sort(informations(made_by(NOISY)))
    assert 0.0 < found[-1] < 0.15  # without noise the best has about three times as much
    assert found[:40].max() < 0.01


def test_rare_has_one_percent_of_positives() -> None:
    assert made_by(RARE)[2].mean() == 0.01


def test_wide_has_ten_thousand_columns_that_say_nothing() -> None:
    found = informations(made_by(WIDE))
    chance = 2 / (2 * 1000)  # mean mutual information of independent columns with three values: 2 / (2 m)
    assert np.median(found) < 2 * chance
    assert np.sum(found > 0.01) >= 10


def test_small_has_two_hundred_rows() -> None:
    assert made_by(SMALL)[0].shape[0] == 200


def test_sets_are_found_by_name_in_any_case_and_are_known_by_name_in_other_processes() -> None:
    assert named("digits35").name == "DIGITS35"
    assert {"BASEHOCK", "ADULT", "WINE0", "XOR"} <= set(NAMES)
    # Another process has another function object; the data set is the same.
    assert Source("XOR", 2000, 40, make=INDEPENDENT.make) == named("XOR")
    assert labelled_pool(named("SMALL")) is labelled_pool(named("small"))
