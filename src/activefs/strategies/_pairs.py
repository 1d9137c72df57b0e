"""Counts of value pairs, kept from question to question, and the scores of rows built on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from activefs._kernels import pairs as kernels
from activefs.pool import Pool
from activefs.strategies._base import State
from activefs.strategies._pair_tables import PairTables, WideTable
from activefs.strategies._single_scores import CellScores
from activefs.types import Floats, Int32s, Ints

Psi = Literal["l1", "l2", "linf"]
RhoFloor = Literal["labelled", "pool"]

_POWER: dict[Psi, int] = {"l1": 1, "l2": 2, "linf": 0}
_START_CELLS = 1 << 16
_MAX_CELLS = 32_000_000  # 256 MB of counts; beyond that all pairs are forgotten and counted again
_MAX_WIDE_CELLS = 1 << 24
_WAIT = 20  # questions until it is looked again whether many rows are equal


@lru_cache(maxsize=64)
def _all_pairs(size: int) -> tuple[Ints, Ints]:
    """All pairs of so many features: (0, 1), (0, 2), ..., (1, 2), ..."""
    left, right = np.triu_indices(size, k=1)
    return left, right


@dataclass(frozen=True, eq=False)
class _WidePair:
    """A pair with more possible than occurring pairs of values: those that occur, and how often."""

    keys: Ints
    counts: Ints
    slots: Int32s


class PairScores:
    """Scores of rows for a set of contested features, fast through what earlier questions counted.

    Pool counts of a pair never change: a pair is counted once and kept. Labelled counts of a pair are
    brought up to date when the pair is used.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._wide_from = max(4096, pool.n_rows)
        self._rows: Ints = np.empty(0, dtype=np.int64)
        self._wait = 0
        self._last: PairTables | None = None
        self._keys: Ints
        self._slot_of: Ints
        self._offset: Ints
        self._seen: Ints
        self._counts: Int32s
        self._labelled: Int32s
        self._clear()

    def tables(self, state: State, features: Ints, cells: CellScores, psi: Psi, floor: RhoFloor) -> PairTables:
        """Fill the tables of every row's score (Eq. score): psi over j in F of a_j(x_j) psi over r of rho_jr(x_j, x_r).

        Both levels use the same norm, so the score is a sum (l1; l2 after squaring) or a maximum
        (linf) over pairs of features; constant factors, which do not change the choice, are left out.
        """
        left, right = _all_pairs(features.size)
        cardinality = self.pool.cardinalities[features]
        sizes = cardinality[left] * cardinality[right]
        wide = sizes > self._wide_from
        narrow = np.flatnonzero(~wide)
        self._follow(state.labelled)
        slots = self._slots(features[left[narrow]], features[right[narrow]], sizes[narrow], state.threads)
        offset = self._offset[slots]
        lists = (left[narrow], right[narrow], cardinality[right[narrow]], offset)
        self._count_labelled(features, lists, slots)
        taken = state.labelled.size + state.pending.size
        unseen = taken / self.pool.n_rows if floor == "pool" and taken else 1.0
        table_offset = np.full(left.size, -1, dtype=np.int64)
        table_offset[narrow] = np.cumsum(sizes[narrow]) - sizes[narrow]
        tables = np.empty(int(sizes[narrow].sum()))
        # Pending rows are counted in, and taken out again: their labels are on the way.
        pending = self.pool.codes_of(state.pending, features) if state.pending.size else None
        if pending is not None:
            kernels.change_rows(pending, *lists, 1, self._labelled)
        kernels.fill_tables(
            left[narrow], right[narrow], cells.values, cells.offsets, cardinality, offset,
            self._counts, self._labelled, unseen, _POWER[psi], table_offset[narrow], tables,
        )  # fmt: skip
        if pending is not None:
            kernels.change_rows(pending, *lists, -1, self._labelled)
        self._last = PairTables(
            features,
            cardinality,
            table_offset,
            tables,
            largest=psi == "linf",
            root=psi == "l2",
            wide=[
                self._wide_table(state, int(left[p]), int(right[p]), features, cells, psi, unseen)
                for p in np.flatnonzero(wide)
            ],
            try_groups=self._try_groups(),
        )
        return self._last

    def _try_groups(self) -> bool:
        """Whether to look for equal rows: not for some questions, if there were few the last time."""
        if self._last is not None and self._last.has_groups is False:
            self._wait = _WAIT
        self._last = None
        if self._wait > 0:
            self._wait -= 1
            return False
        return True

    def _count_labelled(self, features: Ints, lists: tuple[Ints, Ints, Ints, Ints], slots: Ints) -> None:
        """Bring the labelled counts of pairs up to date."""
        seen = self._seen[slots]
        if seen.size and (first := int(seen.min())) < self._rows.size:
            codes = self.pool.codes_of(self._rows[first:], features)
            kernels.count_rows(codes, *lists, seen, first, self._labelled)
            self._seen[slots] = self._rows.size

    def _follow(self, labelled: Ints) -> None:
        """Remember the labelled rows; if labels were taken back, count them anew."""
        known = self._rows.size
        if labelled.size < known or not np.array_equal(labelled[:known], self._rows):
            self._labelled[:] = 0
            self._seen[:] = 0
        self._rows = labelled

    def _slots(self, first: Ints, second: Ints, sizes: Ints, workers: int) -> Ints:
        """Where each pair's counts are; pairs that are new are counted over the pool."""
        if int(sizes.sum()) + self._used > _MAX_CELLS:
            self._clear()
        keys = first * self.pool.n_features + second
        at = np.minimum(np.searchsorted(self._keys, keys), self._keys.size - 1)
        slots = self._slot_of[at]
        new = np.flatnonzero(self._keys[at] != keys)
        if new.size:
            slots[new] = self._offset.size + np.arange(new.size)
            order = new[np.argsort(keys[new])]
            places = np.searchsorted(self._keys, keys[order])
            self._keys = np.insert(self._keys, places, keys[order])
            self._slot_of = np.insert(self._slot_of, places, slots[order])
            try:
                offset = self._reserve(sizes[new])
                self.pool.count_pairs(first[new], second[new], offset, self._counts, workers)
            except BaseException:  # Ctrl-C, or a cluster that is gone: half counted would be wrong for ever
                self._clear()
                raise
        return slots

    def _reserve(self, sizes: Ints) -> Ints:
        start = self._used + np.cumsum(sizes) - sizes
        self._used += int(sizes.sum())
        if self._used > self._counts.size:
            grow = max(self._used, 2 * self._counts.size) - self._counts.size
            self._counts = np.concatenate([self._counts, np.zeros(grow, dtype=np.int32)])
            self._labelled = np.concatenate([self._labelled, np.zeros(grow, dtype=np.int32)])
        self._offset = np.concatenate([self._offset, start])
        self._seen = np.concatenate([self._seen, np.zeros(start.size, dtype=np.int64)])
        return start

    def _clear(self) -> None:
        self._keys = np.array([-1])  # pairs that were counted, ascending; the first is none
        self._slot_of = np.array([-1])
        self._used = 0
        self._offset = np.empty(0, dtype=np.int64)
        self._seen = np.empty(0, dtype=np.int64)
        self._counts = np.zeros(_START_CELLS, dtype=np.int32)
        self._labelled = np.zeros(_START_CELLS, dtype=np.int32)
        self._wide: dict[tuple[int, int], _WidePair] = {}

    def _wide_table(
        self, state: State, a: int, b: int, features: Ints, cells: CellScores, psi: Psi, unseen: float
    ) -> WideTable:
        """Table of one pair that would have more entries than the pool has rows, by the pairs of values that occur."""
        j, r = int(features[a]), int(features[b])
        pair, width = self._wide_pair(j, r), int(self.pool.cardinalities[r])
        taken = np.concatenate([state.labelled, state.pending])
        x, y = self.pool.codes_of(taken, np.array([j, r])).astype(np.int64)
        labelled = np.bincount(np.searchsorted(pair.keys, x * width + y), minlength=pair.counts.size)
        rho = pair.counts / np.where(labelled > 0, labelled, unseen)
        score_a = cells.values[cells.offsets[a] + pair.keys // width]
        score_b = cells.values[cells.offsets[b] + pair.keys % width]
        entries: Floats
        if psi == "l1":
            entries = (score_a + score_b) * rho
        elif psi == "l2":
            entries = (score_a**2 + score_b**2) * rho**2
        else:
            entries = np.maximum(score_a, score_b) * rho
        return WideTable(a, b, width, pair.keys, pair.slots, entries)

    def _wide_pair(self, j: int, r: int) -> _WidePair:
        pair = self._wide.get((j, r))
        if pair is None:
            keys, counts = self.pool.occurring_pairs(j, r)
            slots = np.empty(1 << int(2 * keys.size).bit_length(), dtype=np.int32)
            kernels.hash_keys(keys, slots)
            if sum(known.keys.size for known in self._wide.values()) + keys.size > _MAX_WIDE_CELLS:
                self._wide.clear()
            pair = self._wide[(j, r)] = _WidePair(keys, counts, slots)
        return pair
