"""What all labels lead to, made of counts: what a session chooses that was told all of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pools import random_problem

from activefs import Session, criteria, redundancy
from activefs.engine import select_with_all_labels
from activefs.estimates import Estimates
from activefs.pool import Pool, SparsePool
from activefs.runs import CountedPool, LabelledPool, count_classes


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("rule", "criterion"), [("mrmr", "mutual_information"), *(("none", name) for name in criteria.available())]
)
def test_the_choice_of_a_session_that_knows_all(n_classes, rule, criterion):
    for seed in range(4):
        X, y = random_problem(seed, (2, 3, 4, 2, 5, 2), n_classes=n_classes)
        X[:, 5] = X[:, 3]  # two that tie
        pool = Pool.from_table(X)
        session = Session(pool, 3, strategy="random", criterion=criterion, redundancy=rule, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session.tell(np.arange(60), y)
            expected = session.selection()
        estimates = Estimates.from_counts(pool, count_classes(pool, y), criterion=criteria.create(criterion))
        found = select_with_all_labels(estimates, redundancy.create(rule), 3, seed)
        assert found.names == expected.names and found.by_chance == expected.by_chance
        assert (found.n_labels, found.certified) == (60, True)
        np.testing.assert_allclose(found.scores, expected.scores, atol=1e-12)


def test_estimates_of_counts_are_those_of_rows():
    X, y = random_problem(3, (2, 3, 4), n_classes=3)
    pool = Pool.from_table(X)
    rows = Estimates(pool, 3)
    rows.add_many(np.arange(40), y[:40])
    counted = Estimates.from_counts(pool, rows.counts)
    for name in ("value", "lower", "upper", "n_labels"):
        np.testing.assert_array_equal(getattr(counted, name), getattr(rows, name))
    np.testing.assert_array_equal(counted.chance.expected, rows.chance.expected)


@pytest.mark.parametrize("sparse", [False, True])
def test_labels_beside_the_features(sparse):
    X, y = random_problem(5, (2, 3, 4, 2), n_classes=3, m=90)
    known = LabelledPool.of(Pool.from_table(X), y)
    whole = Pool.from_table(np.column_stack([X, y]), categorical=[4])
    whole = SparsePool.of(whole.info, whole.codes) if sparse else whole
    found = CountedPool.of(whole, known.classes)
    np.testing.assert_array_equal(found.truth, known.truth)
    assert [found.code_of(row) for row in range(90)] == y.tolist()
    assert found.class_counts.tolist() == np.bincount(y).tolist()
    assert found.pool.fingerprint == known.pool.fingerprint


def test_chance_in_tables_of_millions_of_rows():
    """Counts far beyond tables of logarithms: nearly what is known for many rows, (V - 1)(C - 1) / (2n)."""
    pool = Pool.from_table([[i % 2] for i in range(10)])
    n = 60_000_000
    estimates = Estimates.from_counts(pool, np.array([[n // 4, n // 4], [n // 4, n // 4]]))
    np.testing.assert_allclose(estimates.chance.expected, 1 / (2 * n), rtol=1e-3)
