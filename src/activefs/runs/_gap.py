"""How good a choice of features is, once all labels are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from activefs._kernels.best_k import sums_over_smallest
from activefs._kernels.counts import count_labels
from activefs.criteria import Criterion
from activefs.estimates import Estimates
from activefs.pool import Pool
from activefs.ties import TIE
from activefs.types import Floats, Int32s, Ints

_ROUNDING = 1e-12
_AT_ONCE = 1 << 16


def true_impurity(pool: Pool, y: Any, criterion: Criterion | None = None) -> Floats:
    """H_j of every feature from the labels of all rows.

    Examples
    --------
    >>> pool = Pool.from_table([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> true_impurity(pool, [0, 0, 1, 1]).round(4).tolist()
    [0.0, 0.6931]
    """
    _, codes = np.unique(np.asarray(y), return_inverse=True)
    return Estimates.from_counts(pool, count_classes(pool, codes), criterion=criterion).value.copy()


def count_classes(pool: Pool, codes: Ints) -> Int32s:
    """Count the rows of every value and class, given the class number of all rows: an array of shape (cells, C).

    Examples
    --------
    >>> count_classes(Pool.from_table([["a"], ["a"], ["b"]]), np.array([0, 1, 1])).tolist()
    [[1, 1], [0, 1]]
    """
    counts = np.zeros((int(pool.offsets[-1]), max(2, int(codes.max()) + 1)), dtype=np.int32)
    classes = codes.astype(np.int64)
    for start in range(0, pool.n_rows, _AT_ONCE):
        rows = np.arange(start, min(start + _AT_ONCE, pool.n_rows))
        count_labels(pool.codes_of(rows), pool.offsets, classes[rows], 1, counts)
    return counts


def blind_gap(truth: Floats, k: int) -> float:
    """Gap of k features that are chosen blindly: its mean over all choices.

    Gaps divided by it are comparable between data sets: 0 is perfect, 1 is as good as no label at all.

    Examples
    --------
    >>> round(blind_gap(np.array([0.1, 0.5, 0.3]), 2), 6)
    0.2
    """
    return max(float(k * truth.mean() - np.sort(truth)[:k].sum()), 0.0)


class GapMeter:
    """Measures the gap: the sum of the true H over chosen features minus the sum over the true best k.

    It is measured in what H is measured in, nats for mutual information, and is never negative.

    Parameters
    ----------
    truth : array of float
        `true_impurity` of the pool.
    ks : sequence of int
        Numbers of features chosen, ascending.
    seed : int
        Seed of the draws among features whose estimates are tied.

    Examples
    --------
    >>> meter = GapMeter(np.array([0.1, 0.5, 0.2]), (1, 2))
    >>> meter.by_estimates(np.array([0.3, 0.2, 0.9])).round(6).tolist()
    [0.4, 0.3]
    >>> round(meter.of(np.array([1])), 6)
    0.4
    """

    def __init__(self, truth: Floats, ks: Sequence[int], seed: int = 0) -> None:
        self.truth = truth
        self.ks = np.asarray(ks, dtype=np.int64)
        self._state = np.array([seed], dtype=np.uint64)
        self._best = np.array([np.sort(truth)[:k].sum() for k in ks])
        self._sums = np.empty(len(ks))

    def of(self, features: Ints) -> float:
        """Gap of chosen features of the pool, as many as the first k."""
        return max(float(self.truth[features].sum() - self._best[0]), 0.0)

    def by_estimates(self, values: Floats) -> Floats:
        """Gap, for every k, of the features with the smallest estimates; what is made by rounding alone is 0."""
        sums_over_smallest(values, self.truth, self.ks, TIE, self._state, self._sums)
        gaps = self._sums - self._best
        return np.where(gaps > _ROUNDING, gaps, 0.0)
