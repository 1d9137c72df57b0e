"""What pools have in common whose rows are in this process."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from activefs._kernels import threads
from activefs._kernels.encode import fill_words
from activefs._kernels.marks import add_marks
from activefs.pool._best import BestRows, Scorer
from activefs.pool._open_rows import OpenRows
from activefs.pool._pool import Pool
from activefs.pool._scores import RowScores
from activefs.types import Codes, Floats, Ints, UInt64s

_BLOCK_BYTES = 1 << 25
_MOST_ROWS = 1 << 17


class LocalPool(Pool):
    """A pool whose rows can be looked at block by block, as codes by feature."""

    @abstractmethod
    def _block(self, features: Ints, start: int, stop: int) -> tuple[Codes, Ints, int]:
        """Return codes that hold the rows start..stop of some features: the codes, where features are, where rows are.

        The last is the column of the codes that row `start` is in.
        """

    def best_row(
        self,
        scores: RowScores,
        open_rows: OpenRows,
        choose: Callable[[int], int],
        *,
        cost: Floats | None = None,
        workers: int = 1,
    ) -> int:
        """Return the open row with the largest score per cost."""
        found, best = self.look_for_best(scores, open_rows, cost, workers)
        return found.pick(best, choose(sum(found.ties(best))))

    def look_for_best(
        self, scores: RowScores, open_rows: OpenRows, cost: Floats | None = None, workers: int = 1
    ) -> tuple[BestRows, float]:
        """Score all rows; return the best score per cost of an open one, and what finds the rows that have it."""
        scores.prepare(self.n_rows)
        found = BestRows(self._scorer(scores), open_rows, cost, scores.logs)
        return found, found.look(self._rows_per_block(scores.features.size), workers, scores.worth_a_thread)

    def scores_of_all(self, scores: RowScores, workers: int = 1) -> Floats:
        """Return the scores of all rows."""
        scores.prepare(self.n_rows)
        out, score, size = np.empty(self.n_rows), self._scorer(scores), self._rows_per_block(scores.features.size)

        def work(start: int, stop: int) -> None:
            for at in range(start, stop, size):
                end = min(at + size, stop)
                score(at, end, out[at:end])

        threads.in_blocks(work, self.n_rows, workers, scores.worth_a_thread)
        return out

    def occurring_pairs(self, first: int, second: int) -> tuple[Ints, Ints]:
        """Return the pairs of values that occur, and how often."""
        width = int(self.cardinalities[second])
        keys: Ints = np.empty(0, dtype=np.int64)
        counts: Ints = np.empty(0, dtype=np.int64)
        for start, stop in self._ranges(2):
            codes, at, column = self._block(np.array([first, second]), start, stop)
            x, y = (codes[at[f]][column : column + stop - start].astype(np.int64) for f in (0, 1))
            some, often = np.unique(x * width + y, return_counts=True)
            both, place = np.unique(np.concatenate([keys, some]), return_inverse=True)
            counts = np.bincount(place, weights=np.concatenate([counts, often])).astype(np.int64)
            keys = both
        return keys, counts

    @cached_property
    def marks(self) -> UInt64s:
        """Checksums of the cells."""
        found = np.zeros(int(self.offsets[-1]), dtype=np.uint64)
        words = np.empty(self._rows_per_block(self.n_features), dtype=np.uint64)
        every = np.arange(self.n_features)
        for start, stop in self._ranges(self.n_features):
            codes, at, column = self._block(every, start, stop)
            some = words[: stop - start]
            fill_words(start, some)
            add_marks(codes[at] if at.size != codes.shape[0] else codes, some, column, column + stop - start,
                      self.offsets, found)  # fmt: skip
        return found

    def _scorer(self, scores: RowScores) -> Scorer:
        def score(start: int, stop: int, out: Floats) -> None:
            codes, features, column = self._block(scores.features, start, stop)
            scores.score(codes, features, column, start, stop, out)

        return score

    def _rows_per_block(self, n_features: int) -> int:
        """Rows that are looked at at a time, such that what is made of them stays small."""
        return min(max(_BLOCK_BYTES // max(n_features, 1), 1024), _MOST_ROWS, max(self.n_rows, 1))

    def _ranges(self, n_features: int) -> Iterator[tuple[int, int]]:
        size = self._rows_per_block(n_features)
        for start in range(0, self.n_rows, size):
            yield start, min(start + size, self.n_rows)
