"""Counts of value pairs, kept from question to question, and the scores of rows built on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from activefs._kernels import pairs as kernels
from activefs._kernels import threads
from activefs.pool import Pool, count_pairs
from activefs.strategies._base import State
from activefs.strategies._single_scores import CellScores
from activefs.types import Floats, Int32s, Ints

Psi = Literal["l1", "l2", "linf"]
RhoFloor = Literal["labelled", "pool"]

_POWER: dict[Psi, int] = {"l1": 1, "l2": 2, "linf": 0}
_START_CELLS = 1 << 16
_MAX_CELLS = 32_000_000  # 256 MB of counts; beyond that all pairs are forgotten and counted again
_MAX_WIDE_BYTES = 1 << 28
# Tables of three features halve the look-ups; they pay if there are not more entries to fill than rows to score.
_JOIN = 1
_SAMPLE = 4096  # rows looked at to see whether many are equal on the contested features


@dataclass
class _WidePair:
    """A pair with more possible than occurring values: each row points to its entry."""

    entry: Int32s
    left: Ints
    right: Ints
    counts: Ints


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
        self._slot_of: dict[int, int] = {}
        self._offset: Ints
        self._seen: Ints
        self._counts: Int32s
        self._labelled: Int32s
        self._clear()

    def scores(self, state: State, features: Ints, cells: CellScores, psi: Psi, floor: RhoFloor) -> Floats:
        """Score of every row (Eq. score): psi over j in F of a_j(x_j) psi over r of rho_jr(x_j, x_r).

        Both levels use the same norm, so the score is a sum (l1; l2 after squaring) or a maximum
        (linf) over pairs of features; constant factors, which do not change the choice, are left out.
        """
        left, right = np.triu_indices(features.size, k=1)
        cardinality = self.pool.cardinalities[features]
        sizes = cardinality[left] * cardinality[right]
        wide = sizes > self._wide_from
        first, second = features[left], features[right]
        narrow = np.flatnonzero(~wide)
        self._follow(state.labelled)
        slots = self._slots(first[narrow], second[narrow], sizes[narrow], state.threads)
        offset = self._offset[slots]
        lists = (first[narrow], second[narrow], cardinality[right[narrow]], offset)
        kernels.count_rows(self.pool.codes, *lists, self._rows, self._seen[slots], self._labelled)
        self._seen[slots] = self._rows.size
        taken = state.labelled.size + state.pending.size
        unseen = taken / self.pool.n_rows if floor == "pool" and taken else 1.0
        table_offset = np.full(left.size, -1, dtype=np.int64)
        table_offset[narrow] = np.cumsum(sizes[narrow]) - sizes[narrow]
        tables = np.empty(int(sizes[narrow].sum()))
        # Pending rows are counted in, and taken out again: their labels are on the way.
        kernels.change_rows(self.pool.codes, *lists, state.pending, 1, self._labelled)
        kernels.fill_tables(
            left[narrow], right[narrow], cells.values, cells.offsets, cardinality, offset,
            self._counts, self._labelled, unseen, _POWER[psi], table_offset[narrow], tables,
        )  # fmt: skip
        kernels.change_rows(self.pool.codes, *lists, state.pending, -1, self._labelled)
        out = self._look_up(features, cardinality, table_offset, tables, psi == "linf", state.threads)
        for p in np.flatnonzero(wide):
            extra = self._wide_scores(state, int(left[p]), int(right[p]), features, cells, psi, unseen)
            if psi == "linf":
                np.maximum(out, extra, out=out)
            else:
                out += extra
        return out

    def _look_up(
        self,
        features: Ints,
        cardinality: Ints,
        table_offset: Ints,
        tables: Floats,
        largest: bool,
        workers: int,
    ) -> Floats:
        """Add up (or take the largest of) the table entries of every row."""
        codes, rows = self.pool.codes, self.pool.n_rows
        group = self._grouped(features)
        if group is not None:
            codes = np.ascontiguousarray(codes[features][:, group.first])
            features, rows = np.arange(features.size), group.first.size
        out = np.empty(rows)
        before = np.arange(2, features.size - 1, 2)  # couples of features, each joined with every feature before it
        sizes = np.concatenate([cardinality[:b] * cardinality[b] * cardinality[b + 1] for b in before] or [[0]])
        even = features.size % 2 == 0  # as the contested features are
        if even and before.size and table_offset.min() >= 0 and sizes.sum() <= rows * sizes.size / _JOIN:
            joined_offset = (np.cumsum(sizes) - sizes).astype(np.int64)
            joined = np.empty(int(sizes.sum()))
            kernels.merge_tables(cardinality, table_offset, tables, largest, joined_offset, joined)

            def work(start: int, stop: int) -> None:
                kernels.score_rows_merged(
                    codes, features, cardinality, table_offset, tables, joined_offset, joined, largest, start, stop, out
                )
        else:

            def work(start: int, stop: int) -> None:
                kernels.score_rows(codes, features, cardinality, table_offset, tables, largest, start, stop, out)

        threads.in_blocks(work, rows, workers, smallest=2_000_000 // max(1, table_offset.size))
        return out if group is None else out[group.of_row]

    def _grouped(self, features: Ints) -> _Groups | None:
        """Rows that are equal on the features, if there are enough of them to be worth it."""
        if self._wait > 0:  # it was not worth it the last time: look again after some questions
            self._wait -= 1
            return None
        groups = self._groups(features, min(self.pool.n_rows, _SAMPLE))
        if groups.first.size > 0.7 * groups.of_row.size:
            self._wait = 20
            return None
        return groups if self.pool.n_rows <= _SAMPLE else self._groups(features, self.pool.n_rows)

    def _groups(self, features: Ints, rows: int) -> _Groups:
        of_row, first = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
        slots = np.empty(1 << int(2 * rows).bit_length(), dtype=np.int64)
        hashes = np.empty(rows, dtype=np.uint64)
        count = kernels.group_rows(self.pool.codes, features, slots, hashes, of_row, first)
        return _Groups(of_row, first[:count])

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
        slots = np.empty(first.size, dtype=np.int64)
        new: list[int] = []
        for p, key in enumerate((first * self.pool.n_features + second).tolist()):
            slot = self._slot_of.get(key, -1)
            if slot < 0:
                slot = len(self._slot_of)
                self._slot_of[key] = slot
                new.append(p)
            slots[p] = slot
        if new:
            offset = self._reserve(sizes[new])
            count_pairs(self.pool, first[new], second[new], offset, self._counts, workers)
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
        self._slot_of = {}
        self._used = 0
        self._offset = np.empty(0, dtype=np.int64)
        self._seen = np.empty(0, dtype=np.int64)
        self._counts = np.zeros(_START_CELLS, dtype=np.int32)
        self._labelled = np.zeros(_START_CELLS, dtype=np.int32)
        self._wide: dict[tuple[int, int], _WidePair] = {}

    def _wide_scores(
        self, state: State, a: int, b: int, features: Ints, cells: CellScores, psi: Psi, unseen: float
    ) -> Floats:
        """Contribution of one pair whose table would have more entries than the pool has rows."""
        pair = self._wide_pair(int(features[a]), int(features[b]))
        taken = np.concatenate([state.labelled, state.pending])
        labelled = np.bincount(pair.entry[taken], minlength=pair.counts.size)
        rho = pair.counts / np.where(labelled > 0, labelled, unseen)
        score_a = cells.values[cells.offsets[a] + pair.left]
        score_b = cells.values[cells.offsets[b] + pair.right]
        if psi == "l1":
            entries = (score_a + score_b) * rho
        elif psi == "l2":
            entries = (score_a**2 + score_b**2) * rho**2
        else:
            entries = np.maximum(score_a, score_b) * rho
        return np.asarray(entries[pair.entry])

    def _wide_pair(self, j: int, r: int) -> _WidePair:
        pair = self._wide.get((j, r))
        if pair is None:
            width = int(self.pool.cardinalities[r])
            key = self.pool.codes[j].astype(np.int64) * width + self.pool.codes[r]
            occurring, entry, counts = np.unique(key, return_inverse=True, return_counts=True)
            pair = _WidePair(entry.astype(np.int32), occurring // width, occurring % width, counts)
            if (len(self._wide) + 1) * pair.entry.nbytes > _MAX_WIDE_BYTES:
                self._wide.clear()
            self._wide[(j, r)] = pair
        return pair


@dataclass(frozen=True)
class _Groups:
    of_row: Ints
    first: Ints
