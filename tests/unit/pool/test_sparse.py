"""Lists of exceptional rows: counted as a plain matrix is, however long they are and in whatever order pairs come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activefs.pool import DensePool, SparsePool

SHARES = (0.0, 0.003, 0.02, 0.1, 0.14, 0.5)


def table(seed: int, rows: int, shares: list[float], values: int) -> np.ndarray:
    """Make columns that are mostly one value; each has another share of exceptions."""
    rng = np.random.default_rng(seed)
    X = np.tile(rng.integers(0, values, size=len(shares)), (rows, 1))
    for j, share in enumerate(shares):
        others = rng.random(rows) < share
        X[others, j] = rng.integers(0, values, size=int(others.sum()))
        X[:values, j] = rng.permutation(values)  # every value occurs
    return X


def sparse_pool_of(X: np.ndarray) -> SparsePool:
    dense = DensePool.from_table(X, binning="none")
    assert dense.n_features == X.shape[1]
    return SparsePool.of(dense.info, dense.codes)


@given(
    seed=st.integers(0, 10_000),
    rows=st.sampled_from([40, 300, 3000]),
    shares=st.lists(st.sampled_from(SHARES), min_size=2, max_size=7),
    values=st.integers(2, 4),
    workers=st.integers(1, 2),
)
def test_counts_of_pairs_in_any_order(seed: int, rows: int, shares: list[float], values: int, workers: int) -> None:
    X = table(seed, rows, shares, values)
    pool, d = sparse_pool_of(X), len(shares)
    rng = np.random.default_rng(seed)
    every = np.array([(j, r) for j in range(d) for r in range(d) if j != r])
    # As questions need them: a feature that is new beside all others; then in any order.
    beside = every[(every[:, 0] == d // 2) | (every[:, 1] == d // 2)]
    for pairs in (every, beside, rng.permutation(every)):
        first, second = np.ascontiguousarray(pairs.T)
        offset = np.arange(len(pairs)) * values**2
        counts = np.zeros(len(pairs) * values**2, dtype=np.int32)
        pool.count_pairs(first, second, offset, counts, workers)
        expected = [np.bincount(X[:, j] * values + X[:, r], minlength=values**2) for j, r in pairs]
        np.testing.assert_array_equal(counts, np.concatenate(expected))


@pytest.mark.parametrize("rows", [[5, 3, 299, 0, 17, 4], [5, 3, 299, 5, 3, 3, 17], list(range(300))])
def test_codes_of_rows_that_are_wanted_once_or_more_often(rows: list[int]) -> None:
    X = table(3, 300, [0.003, 0.1, 0.14, 0.5], 3)
    pool, some = sparse_pool_of(X), np.array([2, 0])
    np.testing.assert_array_equal(pool.codes_of(np.array(rows)), X[rows].T)
    np.testing.assert_array_equal(pool.codes_of(np.array(rows), some), X[rows][:, some].T)
