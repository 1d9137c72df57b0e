"""Figures of the report on beliefs, by hand."""

import numpy as np
import pytest

from activefs.estimates import SHIPPED
from activefs.experiments.beliefs import (
    CHOSEN_ON_FIRST,
    CHOSEN_ON_SECOND,
    FIRST,
    BeliefItem,
    BeliefsSettings,
    SaidAndTrue,
    TableBeliefs,
    constants_for,
)
from activefs.experiments.leaderboard import NAMES, find_sets, named


def measured(covered, informative, gap=0.1):
    shape = 1, 3
    bins = np.tile([8.0, 0, 0, 0, 2.0], (1, 3, 1))
    return SaidAndTrue(
        covered=np.full(shape, covered),
        width=np.full(shape, 0.2),
        reported=np.array([[0.1, 0.22, 0.3]]),
        true=np.array([[0.1, 0.2, 0.3]]),
        expected=np.array([[0.3, 0.2, 0.1]]),
        gap=gap * np.array([[3.0, 2.0, 1.0]]),
        features=bins,
        said=np.tile([0.2, 0, 0, 0, 1.8], (1, 3, 1)),
        among=np.tile([0.0, 0, 0, 0, 2.0], (1, 3, 1)),
        informative=np.array(informative, dtype=float),
    )


def test_summary_by_hand():
    found = TableBeliefs.of("A", (25, 50, 100), [measured(1.0, [0, 1, 0]), measured(0.8, [0, 1, 1])])
    assert found.coverage == pytest.approx(0.9) and found.width == pytest.approx(0.2)
    assert found.bias[50] == pytest.approx((0.22, 0.2)) and 200 not in found.bias
    assert found.ratio == pytest.approx(1.0) and found.correlation == pytest.approx(1.0)
    assert found.bins[0].tolist() == [48, 0, 0, 0, 12] and found.flickers == 1


def test_nothing_is_judged_by_constants_chosen_on_it():
    assert set(FIRST) <= set(NAMES)
    for source in find_sets():
        first = source.name.removesuffix("-SHUFFLED") in FIRST
        assert constants_for(source) == (CHOSEN_ON_SECOND if first else CHOSEN_ON_FIRST)
        assert constants_for(source, shipped=True) == SHIPPED


def test_an_item_is_read_as_it_was_written():
    item = BeliefsSettings((named("WINE0"),), runs=2).items()[0]
    assert isinstance(item, BeliefItem)
    small = BeliefItem(item.item, (5,), (25, 50, 100), SHIPPED)
    there = measured(0.7, [0, 0, 1])
    back = small.from_table(small.to_table(there))
    for name in ("covered", "reported", "features", "among", "informative"):
        assert np.array_equal(getattr(back, name), getattr(there, name))
    assert small.path != item.path
