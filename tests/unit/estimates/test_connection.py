"""Whether labels show a connection: said once, and taken back for a reason only."""

import numpy as np
import pytest

from activefs import Pool, Session
from activefs.estimates import ShownConnection, looks
from activefs.model import Assistant


def weak(rows=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(rows, 8))
    return X, (rng.random(rows) < np.array([0.25, 0.5, 0.75])[X[:, 2]]).astype(np.int64)


def test_looks_are_few_and_those_of_more_labels_include_those_of_fewer():
    for n in range(0, 1000, 7):
        now = list(looks(n))
        assert now == sorted(now, reverse=True) and all(at <= n for at in now)
        assert set(now) <= set(looks(n + 7))
    assert len(list(looks(500))) < 12 and {25, 50, 100, 200, 400} <= set(looks(500))


def test_it_changes_once():
    X, y = weak()
    assistant = Assistant(Pool.from_table(X), seed=0)
    connection = ShownConnection(assistant, 0.05)
    rows = np.random.default_rng(0).permutation(600)
    said = [connection.shown(rows[:n], y[rows[:n]], 2) for n in range(10, 320, 10)]
    assert said == sorted(said) and said[-1] and not said[0]


def test_independent_labels_show_nothing():
    """At every look of sixteen tables; one of them may err."""
    wrong = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, size=(300, 12)), rng.integers(0, 3, 300)
        connection = ShownConnection(Assistant(Pool.from_table(X), seed=seed), 0.05)
        rows = rng.permutation(300)[:142]
        wrong += connection.shown(rows, y[rows], 3)
    assert wrong <= 2


@pytest.mark.parametrize("n_classes", [10, 30, 100])
def test_independent_labels_of_many_classes_show_nothing(n_classes):
    """A model that has seen most classes once knows that the next one may be new, and nothing else."""
    shown = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 6, size=(1000, 20)), rng.integers(0, n_classes, 1000)
        connection = ShownConnection(Assistant(Pool.from_table(X), seed=seed), 0.05)
        rows = rng.permutation(1000)[:71]
        shown += connection.shown(rows, y[rows], n_classes)
    assert shown == 0


def test_labels_of_thirty_classes_that_the_table_tells_show_it():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(1000, 20))
    y = np.where(rng.random(1000) < 0.3, rng.integers(0, 30, 1000), (X[:, 3] * 6 + X[:, 5]) * 30 // 36)
    rows = rng.permutation(1000)[:142]
    assert ShownConnection(Assistant(Pool.from_table(X), seed=0), 0.05).shown(rows, y[rows], 30)


def test_what_was_corrected_is_tested_anew():
    X, y = weak()
    made = Session(Pool.from_table(X), 2, strategy="random", estimator="assisted", budget=300, random_state=0)
    while not made.finished:
        row = made.ask()
        made.tell(row, int(y[row]))
    assert made.selection().informative
    rng = np.random.default_rng(5)
    for row in made.labelled.tolist():
        made.correct(row, int(rng.integers(2)))
    assert not made.selection().informative
