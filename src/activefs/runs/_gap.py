"""How good an answer is, once all labels are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activefs.criteria import Criterion
from activefs.estimates import Estimates
from activefs.pool import Pool
from activefs.types import Floats


def true_impurity(pool: Pool, y: Any, criterion: Criterion | None = None) -> Floats:
    """H_j of every feature from the labels of all rows.

    Examples
    --------
    >>> pool = Pool.from_table([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> true_impurity(pool, [0, 0, 1, 1]).round(4).tolist()
    [0.0, 0.6931]
    """
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    estimates = Estimates(pool, max(2, len(classes)), criterion=criterion)
    estimates.add_many(np.arange(pool.n_rows), codes)
    return estimates.value.copy()


class GapMeter:
    """Measures sum of true H over chosen features minus the sum over the true best k; never negative.

    Parameters
    ----------
    truth : array of float
        `true_impurity` of the pool.
    k : int
        Number of features chosen.

    Examples
    --------
    >>> round(GapMeter(np.array([0.1, 0.5, 0.2]), k=2).of(np.array([0, 1])), 6)
    0.3
    """

    def __init__(self, truth: Floats, k: int) -> None:
        self.truth = truth
        self.k = k
        self._best = float(np.partition(truth, k - 1)[:k].sum())

    def of(self, features: NDArray[np.int64]) -> float:
        """Gap of these features of the pool, in nats for mutual information."""
        return float(self.truth[features].sum() - self._best)
