"""A pool in memory, as a matrix."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from activefs._kernels import threads
from activefs._kernels.pairs import count_pool
from activefs.pool._local import LocalPool
from activefs.pool._pool import PoolInfo
from activefs.pool._rare import RareValues
from activefs.types import Codes, Int32s, Ints


class DensePool(LocalPool):
    """A pool whose codes are an array in memory: ``codes[j, i]`` is the code of feature j in row i.

    Parameters
    ----------
    info : PoolInfo
        What is known without looking at rows.
    codes : array of shape (d, m), uint8 or uint16
        By feature.

    Examples
    --------
    >>> pool = DensePool.from_table([["a"], ["b"], ["a"]])
    >>> pool.kind, pool.codes.tolist()
    ('dense', [[0, 1, 0]])
    """

    kind: ClassVar[str] = "dense"

    def __init__(self, info: PoolInfo, codes: Codes) -> None:
        super().__init__(info)
        self._codes = codes

    @property
    def codes(self) -> Codes:
        """All codes, of shape (d, m)."""
        return self._codes

    @cached_property
    def rare_values(self) -> RareValues:
        """Rows that differ from a feature's most common value, for features where those are few."""
        return RareValues.of(self._codes, self.modes, self.value_counts[self.offsets[:-1] + self.modes])

    def codes_of(self, rows: Ints, features: Ints | None = None) -> Codes:
        """Return the codes of some rows.

        Parameters
        ----------
        rows : array of int, shape (n,)
            The rows, in any order.
        features : array of int, optional
            Numbers of the features wanted; by default all.
        """
        codes = self._codes
        if rows.size == self.n_rows and rows.size > 1 and np.array_equal(rows, np.arange(rows.size)):
            return codes if features is None else codes[features]
        if features is None:
            return codes.take(rows, axis=1)
        return codes[features[:, None], rows]

    def count_pairs(self, first: Ints, second: Ints, offset: Ints, counts: Int32s, workers: int = 1) -> None:
        """Count the pairs of values of pairs of features.

        Parameters
        ----------
        first, second, offset, counts, workers
            As for :meth:`activefs.Pool.count_pairs`.
        """
        rare = self.rare_values

        def work(start: int, stop: int) -> None:
            count_pool(
                self._codes, first, second, self.offsets, self.value_counts, rare.mode, rare.sparse, rare.start,
                rare.rows, offset, start, stop, counts,
            )  # fmt: skip

        threads.in_blocks(work, first.size, workers, smallest=max(1, 2_000_000 // max(self.n_rows, 1)))

    def without_last(self) -> DensePool:
        """Return the pool without its last line."""
        return DensePool(self.info.without_last(), self._codes[:-1])

    def _block(self, features: Ints, start: int, stop: int) -> tuple[Codes, Ints, int]:
        return self._codes, features, start
