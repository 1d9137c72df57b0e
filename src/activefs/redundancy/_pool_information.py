"""What features tell about each other: known from the pool without a single label."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from activefs._kernels.information import table_information
from activefs._kernels.logs import MOST_LOGS, count_logs
from activefs.pool import Pool
from activefs.types import Floats, Ints

_MAX_ROWS = 2000  # of the d x d table, kept at a time


class PoolInformation:
    """I(X_j; X_r) in nats, computed for the pairs that are asked for, and kept.

    Parameters
    ----------
    pool : Pool
        The encoded table.

    Examples
    --------
    >>> pool = Pool.from_table([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> PoolInformation(pool).between(np.array([0, 1]), 0).round(4).tolist()
    [0.6931, 0.0]
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._log_table = count_logs(min(pool.n_rows, MOST_LOGS))
        self._rows: dict[int, Floats] = {}

    def between(self, features: Ints, other: int) -> Floats:
        """I(X_f; X_other) for each of the features.

        Parameters
        ----------
        features : array of int
            Numbers of features of the pool.
        other : int
            The other feature.

        Returns
        -------
        array of float
            In nats, one per feature.
        """
        row = self._rows.get(other)
        if row is None:
            if len(self._rows) >= _MAX_ROWS:
                self._rows.clear()
            row = self._rows[other] = np.full(self.pool.n_features, np.nan)
        new = features[np.isnan(row[features])]
        if new.size:
            row[new] = self._compute(new, other)
        return np.asarray(row[features])

    def _compute(self, features: Ints, other: int) -> Floats:
        pool = self.pool
        sizes = pool.cardinalities[features] * pool.cardinalities[other]
        narrow = sizes <= max(4096, 4 * pool.n_rows)
        out = np.empty(features.size)
        if narrow.any():
            first, found = features[narrow], np.empty(int(narrow.sum()))
            second = np.full(first.size, other, dtype=np.int64)
            offset = np.cumsum(sizes[narrow]) - sizes[narrow]
            counts = np.zeros(int(sizes[narrow].sum()), dtype=np.int32)
            pool.count_pairs(first, second, offset, counts)
            table_information(first, second, pool.cardinalities, self._log_table, pool.n_rows, offset, counts, found)
            out[narrow] = found
        for p in np.flatnonzero(~narrow):  # more possible than occurring pairs: count those that occur
            out[p] = self._wide(int(features[p]), other)
        return out

    def _wide(self, j: int, r: int) -> float:
        pool = self.pool
        joint = pool.occurring_pairs(j, r)[1]
        x, y = (pool.value_counts[pool.offsets[f] : pool.offsets[f + 1]] for f in (j, r))
        total = sum(sign * float(xlogy(counts, counts).sum()) for sign, counts in ((1, joint), (-1, x), (-1, y)))
        return max(float(total / pool.n_rows + np.log(pool.n_rows)), 0.0)
