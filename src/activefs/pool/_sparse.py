"""A pool in memory whose columns are mostly one value: only the other rows are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from activefs._kernels import sparse as kernels
from activefs._kernels import threads
from activefs._kernels.encode import fill_words
from activefs.pool._local import LocalPool
from activefs.pool._pool import PoolInfo
from activefs.tables import SparseCodes
from activefs.types import Array, Codes, Int32s, Ints, UInt64s

_LISTED = 0.15
"""Share of exceptional rows up to which a list of them, with their codes, is much smaller than a line of codes."""
_TOGETHER = 4096
_FEW = 4
"""Rows up to which each is searched for."""
_LONG = 200
"""Rows in an average list from which on a search in it is faster than looking through it."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Exceptional rows of each feature, or all of its codes where these are many.

    Attributes
    ----------
    start : array of shape (d + 1,)
        The lists of feature j go from ``start[j]`` to ``start[j + 1]``.
    rows, values : arrays
        Rows whose value is not the feature's most common one, ascending, and their codes.
    modes : array of shape (d,)
        The most common values.
    dense_at : array of shape (d,)
        Where a feature has a line in `dense`; -1: it has a list.
    dense : array of shape (lines, m)
        Codes of features with many exceptional rows.
    """

    start: Ints
    rows: Int32s
    values: Codes
    modes: Ints
    dense_at: Ints
    dense: Codes

    @property
    def nbytes(self) -> int:
        """Memory that they take."""
        return sum(a.nbytes for a in (self.start, self.rows, self.values, self.modes, self.dense_at, self.dense))

    def without_last(self) -> Lists:
        """Return the lists of all features but the last."""
        stop = int(self.start[-2])
        lines = self.dense if self.dense_at[-1] < 0 else self.dense[:-1]
        return Lists(self.start[:-1], self.rows[:stop], self.values[:stop], self.modes[:-1], self.dense_at[:-1], lines)


class ListsBuilder:
    """Makes lists of columns of codes, one after the other, such that no two of them need to be in memory at once.

    Parameters
    ----------
    n_rows : int
        Rows of every column.

    Examples
    --------
    >>> builder = ListsBuilder(10)
    >>> builder.add(np.array([0] * 9 + [1]), mode=0)
    >>> builder.lists().rows.tolist()
    [9]
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._rows: list[Int32s] = []
        self._values: list[Codes] = []
        self._modes: list[int] = []
        self._dense_at: list[int] = []
        self._lines: list[Codes] = []
        self._start = [0]

    def add(self, codes: Array, mode: int) -> None:
        """Take the codes of the next feature, of which `mode` is the most common one."""
        others = np.flatnonzero(codes != mode)
        if others.size <= _LISTED * self._n_rows:
            self._list(others, codes[others], mode)
        else:
            self._keep(codes, mode)

    def add_sparse(self, column: SparseCodes, mode: int) -> None:
        """Take the codes of the next feature, of which a few rows are listed."""
        if mode == column.rest and column.rows.size <= _LISTED * self._n_rows:
            others = column.codes != mode
            self._list(column.rows[others], column.codes[others], mode)
            return
        codes = np.full(self._n_rows, max(column.rest, 0), dtype=np.int64)
        codes[column.rows] = column.codes
        self.add(codes, mode)

    def _list(self, rows: Array, codes: Array, mode: int) -> None:
        self._start.append(self._start[-1] + rows.size)
        self._modes.append(mode)
        self._dense_at.append(-1)
        self._rows.append(rows.astype(np.int32))
        self._values.append(codes.astype(_code_type(codes)))
        if len(self._rows) >= _TOGETHER:  # a small array takes more than what is in it
            self._rows, self._values = [np.concatenate(self._rows)], [np.concatenate(self._values)]

    def _keep(self, codes: Array, mode: int) -> None:
        self._start.append(self._start[-1])
        self._modes.append(mode)
        self._dense_at.append(len(self._lines))
        self._lines.append(codes.astype(_code_type(codes)))

    def lists(self) -> Lists:
        """Put them together."""
        parts = [*self._values, *self._lines]
        kind = np.uint16 if any(part.dtype == np.uint16 for part in parts) else np.uint8
        return Lists(
            np.array(self._start, dtype=np.int64),
            np.concatenate(self._rows) if self._rows else np.empty(0, dtype=np.int32),
            np.concatenate(self._values).astype(kind, copy=False) if self._values else np.empty(0, dtype=kind),
            np.array(self._modes, dtype=np.int64),
            np.array(self._dense_at, dtype=np.int64),
            np.stack(self._lines).astype(kind) if self._lines else np.empty((0, self._n_rows), dtype=kind),
        )


def _code_type(codes: Array) -> type[np.uint8] | type[np.uint16]:
    return np.uint16 if codes.size and codes.max() > 255 else np.uint8


def listed_bytes(often: Ints, n_rows: int) -> int:
    """Estimate what lists take in memory, if each feature has its most common value in so many rows."""
    others = n_rows - often
    return int(np.where(others <= _LISTED * n_rows, 5 * others, n_rows).sum())


class _Rows(NamedTuple):
    """Exceptions of each row: from ``start[i]`` to ``start[i + 1]`` features and their codes; which have a line."""

    start: Ints
    features: Codes
    codes: Codes
    lines: Ints


class SparsePool(LocalPool):
    """A pool that lists, for each feature, the rows that differ from its most common value.

    Parameters
    ----------
    info : PoolInfo
        What is known without looking at rows.
    lists : Lists
        The rows.

    Examples
    --------
    >>> words = np.zeros((1000, 2000), dtype=np.uint8)
    >>> words[np.arange(1000), np.arange(1000)] = words[np.arange(1000), np.arange(1000, 2000)] = 1
    >>> pool = SparsePool.from_table(words)
    >>> pool.kind, pool.codes_of(np.array([5, 6]), np.array([5, 1006])).tolist()
    ('sparse', [[1, 0], [0, 1]])
    """

    kind: ClassVar[str] = "sparse"

    def __init__(self, info: PoolInfo, lists: Lists) -> None:
        super().__init__(info)
        self.lists = lists

    @classmethod
    def of(cls, info: PoolInfo, codes: Codes) -> SparsePool:
        """Make lists of a matrix of codes.

        Parameters
        ----------
        info : PoolInfo
            What is known without looking at rows.
        codes : array of uint8 or uint16, shape (d, m)
            By feature.
        """
        builder = ListsBuilder(info.n_rows)
        for line in codes:
            builder.add(line, int(np.bincount(line).argmax()))
        return cls(info, builder.lists())

    @property
    def _arrays(self) -> tuple[Ints, Int32s, Codes, Ints, Ints, Codes]:
        lists = self.lists
        return lists.start, lists.rows, lists.values, lists.modes, lists.dense_at, lists.dense

    def codes_of(self, rows: Ints, features: Ints | None = None) -> Codes:
        """Return the codes of some rows: each by a search, or many in one pass over the lists.

        Parameters
        ----------
        rows : array of int, shape (n,)
            The rows, in any order.
        features : array of int, optional
            Numbers of the features wanted; by default all.
        """
        every = np.arange(self.n_features) if features is None else features
        rows = np.asarray(rows, dtype=np.int64)
        if rows.size <= _FEW:
            return self._codes_of_few(rows, every)
        place = np.full(self.n_rows, -1, dtype=np.int32)
        place[rows] = order = np.arange(rows.size)
        wanted, back = rows, None
        if not np.array_equal(place[rows], order):  # some rows are wanted more than once
            wanted, back = np.unique(rows, return_inverse=True)
            place[wanted] = np.arange(wanted.size)
        out = np.empty((every.size, wanted.size), dtype=self.lists.values.dtype)
        kernels.many_codes(every, wanted, place, *self._arrays, out)
        return out if back is None else out[:, back]

    def _codes_of_few(self, rows: Ints, features: Ints) -> Codes:
        lists = self.lists
        out = np.empty((features.size, rows.size), dtype=lists.values.dtype)
        if features.size < self.n_features or lists.rows.size > _LONG * self.n_features:
            kernels.some_codes(features, rows, *self._arrays, out)
            return out
        listed, modes = self._by_row, lists.modes.astype(out.dtype)
        for i, row in enumerate(rows.tolist()):
            here = slice(int(listed.start[row]), int(listed.start[row + 1]))
            out[:, i] = modes
            out[listed.features[here], i] = listed.codes[here]
            out[listed.lines, i] = lists.dense[:, row]
        return out if features.size and np.array_equal(features, np.arange(self.n_features)) else out[features]

    @cached_property
    def _by_row(self) -> _Rows:
        """The same lists by row, made when a single row is looked at first."""
        lists = self.lists
        kind = np.uint16 if self.n_features <= 1 << 16 else np.int32
        start = np.zeros(self.n_rows + 2, dtype=np.int64)
        np.cumsum(np.bincount(lists.rows, minlength=self.n_rows), out=start[2:])
        features, codes = np.empty(lists.rows.size, dtype=kind), np.empty_like(lists.values)
        kernels.by_row(lists.start, lists.rows, lists.values, start, features, codes)
        return _Rows(start[:-1], features, codes, np.flatnonzero(lists.dense_at >= 0))

    def count_pairs(self, first: Ints, second: Ints, offset: Ints, counts: Int32s, workers: int = 1) -> None:
        """Count the pairs of values of pairs of features.

        Parameters
        ----------
        first, second, offset, counts, workers
            As for :meth:`activefs.Pool.count_pairs`.
        """

        def work(begin: int, end: int) -> None:
            line = np.empty(self.n_rows, dtype=self.lists.values.dtype)
            kernels.count_sparse(
                first, second, self.offsets, self.value_counts, begin, end, *self._arrays, offset, counts, line
            )

        threads.in_blocks(work, first.size, workers, smallest=max(1, 2_000_000 // max(self.n_rows, 1)))

    @cached_property
    def marks(self) -> UInt64s:
        """Checksums of the cells."""
        words, found = np.empty(self.n_rows, dtype=np.uint64), np.zeros(int(self.offsets[-1]), dtype=np.uint64)
        fill_words(0, words)
        kernels.sparse_marks(words, self.offsets, *self._arrays, found)
        return found

    def without_last(self) -> SparsePool:
        """Return the pool without its last list, or its last line."""
        return SparsePool(self.info.without_last(), self.lists.without_last())

    def _block(self, features: Ints, start: int, stop: int) -> tuple[Codes, Ints, int]:
        out = np.empty((features.size, stop - start), dtype=self.lists.values.dtype)
        kernels.block_codes(features, start, *self._arrays, out)
        return out, np.arange(features.size), 0
