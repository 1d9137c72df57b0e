"""From one position to the next: whatever the way, an engine is where a fresh one would be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activefs import Pool
from activefs.engine import ClassProbabilities, Engine, Position, Told
from activefs.options import check_options

X = np.random.default_rng(0).integers(0, 3, size=(12, 3))
POOL = Pool.from_table(X)
LABELS = [
    "a",
    "b",
    "c",
    1,
    True,
    "1",
    ClassProbabilities({"a": 0.75, "d": 0.25}),
    ClassProbabilities({1: 0.5, "b": 0.5}),
]
FIXED = ["a", "b", "c", "d", 1]


def engine(strategy, *, fixed):
    options = {"k": 1, "strategy": strategy, "random_state": 0, "when_certified": "continue"}
    return Engine(check_options({**options, "classes": FIXED if fixed else None}), POOL)


def told(draw):
    rows = draw(st.permutations(range(12)))[: draw(st.integers(0, 12))]
    return [Told(row, draw(st.sampled_from(LABELS)), draw(st.booleans())) for row in rows]


@st.composite
def journeys(draw):
    """Positions that differ in some labels, in their number, in the order, or in all of it."""
    here = told(draw)
    found = [tuple(here)]
    for _ in range(draw(st.integers(1, 5))):
        how = draw(st.sampled_from(["correct", "correct and more", "correct and fewer", "anew"]))
        if how == "anew":
            here = told(draw)
        else:
            for i in draw(st.lists(st.integers(0, 11), max_size=3)):
                if i < len(here):
                    here[i] = here[i]._replace(label=draw(st.sampled_from(LABELS)))
            free = [row for row in range(12) if row not in {one.row for one in here}]
            if how == "correct and more" and free:
                here = [*here, Told(free[0], draw(st.sampled_from(LABELS)), True)]
            if how == "correct and fewer":
                here = here[:-1]
        found.append(tuple(here))
    return found


@pytest.mark.parametrize("fixed", [True, False])
@given(journeys(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_as_if_it_had_always_been_there(fixed, journey, looking):
    moving = engine("afs", fixed=fixed)
    for some in journey:
        position = Position(some)
        here, fresh = moving.labelled(position), engine("afs", fixed=fixed).labelled(position)
        assert [(type(c), c) for c in here.classes.values] == [(type(c), c) for c in fresh.classes.values]
        assert np.array_equal(here.targets(), fresh.targets()) and np.array_equal(here.rows(), fresh.rows())
        assert np.array_equal(here.free.mask, fresh.free.mask)
        for a, b in zip(here.estimates.labelled(), fresh.estimates.labelled(), strict=True):
            assert np.array_equal(a, b)
        for name in ("value", "lower", "upper", "counts"):
            assert np.array_equal(getattr(here.estimates, name), getattr(fresh.estimates, name))
        assert np.array_equal(here.contested().leaders, fresh.contested().leaders)
        if looking:  # at some positions only, else what is put off would never wait for long
            history = moving.state(position).history
            assert list(history) == list(engine("afs", fixed=fixed).state(position).history)
            assert len(history) == 1 + sum(one.asked for one in some) and history[-1] == list(history)[-1]
        looking = not looking


def test_a_correction_does_not_tell_later_labels_again(monkeypatch):
    moving, labels = engine("random", fixed=True), [Told(row, "ab"[row % 2], True) for row in range(12)]
    moving.labelled(Position(tuple(labels)))
    added = []
    monkeypatch.setattr("activefs.engine._labels.LabelState._add", lambda self, told: added.append(told))
    labels[0] = Told(0, ClassProbabilities({"a": 0.5, "c": 0.5}), True)
    moving.next(Position(tuple(labels), skipped=()))
    assert not added and moving.labelled(Position(tuple(labels))).targets()[0].tolist() == [0.5, 0, 0.5, 0, 0]
