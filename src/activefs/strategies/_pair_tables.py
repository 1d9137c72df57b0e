"""Scores of rows that add up over pairs of features, looked up in one small table per pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from activefs._kernels import pairs as kernels
from activefs.pool import RowScores
from activefs.types import Codes, Floats, Int32s, Ints

# Tables of three features halve the look-ups; they pay if there are not more entries to fill than rows to score.
_JOIN = 1
_SAMPLE = 4096  # rows looked at to see whether many are equal on the contested features
_FEW = 0.7  # share of distinct rows up to which each is scored once


@dataclass(frozen=True, eq=False)
class WideTable:
    """A pair of features with more possible than occurring pairs of values.

    Attributes
    ----------
    first, second : int
        Places of the two among the contested features.
    width : int
        Values of the second.
    keys : array of int
        The pairs of values that occur, ``v * width + w``.
    slots : array of int32
        Hash table of the keys.
    entries : array of float
        What each of them adds to the score.
    """

    first: int
    second: int
    width: int
    keys: Ints
    slots: Int32s
    entries: Floats


class PairTables(RowScores):
    """The sum (or maximum) of one table entry per pair of features (Eq. score).

    Parameters
    ----------
    features : array of int
        The contested features F.
    cardinality : array of int
        Their numbers of values.
    offset : array of int
        Where the table of each pair (0, 1), (0, 2), ..., (1, 2), ... begins; -1 for wide ones.
    tables : array of float
        All tables.
    largest : bool
        Whether the maximum counts instead of the sum.
    root : bool
        Whether the score is the square root of the sum.
    wide : list of WideTable
        Pairs that are stored by the pairs of values that occur.
    try_groups : bool
        Whether to look for rows that are equal on the features, which are scored once.
    """

    def __init__(
        self,
        features: Ints,
        cardinality: Ints,
        offset: Ints,
        tables: Floats,
        *,
        largest: bool,
        root: bool,
        wide: list[WideTable],
        try_groups: bool,
    ) -> None:
        self.features, self._cardinality, self._offset, self._tables = features, cardinality, offset, tables
        self._largest, self._root, self._wide, self._try_groups = largest, root, wide, try_groups
        self._n_rows = 0
        self._joined: _Joined | None = None
        self._joining = Lock()
        self.has_groups: bool | None = None  # whether a block had many equal rows; None: nobody has looked

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name != "_joining"}
        return {**kept, "_joined": None, "has_groups": None}  # made anew where it is needed

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _joining=Lock())

    @property
    def worth_a_thread(self) -> int:
        """Rows from which on a thread of its own pays."""
        return 2_000_000 // max(1, self._offset.size)

    def prepare(self, n_rows: int) -> None:
        """Note how many rows there are."""
        self._n_rows = n_rows

    def _join(self) -> _Joined:
        """Join tables, if there are so many rows that it pays."""
        size, cardinality = self.features.size, self._cardinality
        before, couple = _couples(size)
        sizes = cardinality[before] * cardinality[couple] * cardinality[couple + 1]
        even = size % 2 == 0  # as the contested features are
        if even and before.size and self._offset.min() >= 0 and sizes.sum() <= self._n_rows * sizes.size / _JOIN:
            offset = (np.cumsum(sizes) - sizes).astype(np.int64)
            joined = np.empty(int(sizes.sum()))
            kernels.merge_tables(cardinality, self._offset, self._tables, self._largest, offset, joined)
            return _Joined(offset, joined)
        return _Joined(None, None)

    def score(self, codes: Codes, features: Ints, at: int, start: int, stop: int, out: Floats) -> None:
        """Add up (or take the largest of) the table entries of rows; equal rows get equal scores."""
        size = stop - start
        groups = self._groups(codes, features, at, size) if self._try_groups else None
        if groups is None:
            with self._joining:
                if self._joined is None:
                    self._joined = self._join()
            self._look_up(codes, features, at, size, out, self._joined)
        else:
            few = np.ascontiguousarray(codes[features[:, None], at + groups.first])
            scores = np.empty(groups.first.size)
            self._look_up(few, np.arange(features.size), 0, groups.first.size, scores, _Joined(None, None))
            out[:] = scores[groups.of_row]

    def _look_up(self, codes: Codes, features: Ints, at: int, size: int, out: Floats, joined: _Joined) -> None:
        cardinality, offset, tables, largest = self._cardinality, self._offset, self._tables, self._largest
        if joined.offset is not None and joined.tables is not None:
            kernels.score_rows_merged(
                codes, features, cardinality, offset, tables, joined.offset, joined.tables, largest, at, at + size, out
            )
        else:
            kernels.score_rows(codes, features, cardinality, offset, tables, largest, at, at + size, out)
        for pair in self._wide:
            kernels.add_wide(
                codes, features[pair.first], features[pair.second], pair.width, pair.keys, pair.slots, pair.entries,
                largest, at, at + size, out,
            )  # fmt: skip
        if self._root:
            np.sqrt(out, out=out)

    def _groups(self, codes: Codes, features: Ints, at: int, size: int) -> _Groups | None:
        """Find rows that are equal on the features, if there are enough of them to be worth it."""
        groups = _grouped(codes, features, at, min(size, _SAMPLE))
        worth_it = groups.first.size <= _FEW * groups.of_row.size
        self.has_groups = bool(self.has_groups) or worth_it
        if not worth_it:
            return None
        return groups if size <= _SAMPLE else _grouped(codes, features, at, size)


@dataclass(frozen=True, eq=False)
class _Joined:
    offset: Ints | None
    tables: Floats | None


@lru_cache(maxsize=64)
def _couples(size: int) -> tuple[Ints, Ints]:
    """Couples of features (2, 3), (4, 5), ..., by their first one, each with every feature before it."""
    firsts = range(2, size - 1, 2)
    before = [np.arange(first) for first in firsts]
    return np.concatenate([np.arange(0), *before]), np.repeat(np.array(firsts, dtype=np.int64), list(firsts))


@dataclass(frozen=True, eq=False)
class _Groups:
    of_row: Ints
    first: Ints


def _grouped(codes: Codes, features: Ints, at: int, rows: int) -> _Groups:
    of_row, first = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    slots = np.empty(1 << int(2 * rows).bit_length(), dtype=np.int64)
    hashes = np.empty(rows, dtype=np.uint64)
    count = kernels.group_rows(codes, features, at, slots, hashes, of_row, first)
    return _Groups(of_row, first[:count])
