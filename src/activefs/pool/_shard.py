"""Consecutive rows of a pool that is divided among the workers of a cluster: what a worker does with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.pool._local import LocalPool
from activefs.pool._open_rows import OpenRows
from activefs.pool._scores import RowScores
from activefs.types import Codes, Floats, Int32s, Ints

_KEPT_ROWS = 1024
"""Rows that tie of which a worker tells the numbers."""
_KEPT_CODES = 16
"""Rows that tie of which it tells the codes: one of them is labelled as a rule."""
_REMEMBERED = 4


@dataclass(frozen=True, eq=False)
class BestOfShard:
    """The best rows of a shard.

    Attributes
    ----------
    best : float
        The largest score per cost of an open row; minus infinity if none is open.
    n_ties : int
        How many rows tie with it.
    rows : array of int
        The first of these, as numbers of rows of the pool.
    codes : array
        Codes of the first few of them.
    """

    best: float
    n_ties: int
    rows: Ints
    codes: Codes


class PoolShard:
    """Rows of a pool that one worker has in its memory.

    Parameters
    ----------
    pool : LocalPool
        Their codes.
    first_row : int
        Which row of the whole pool is the first of them.
    """

    def __init__(self, pool: LocalPool, first_row: int) -> None:
        self.pool, self.first_row = pool, first_row
        self._remembered: dict[str, RowScores] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_remembered": {}}  # it can be computed again

    def __sizeof__(self) -> int:
        return int(self.pool.codes.nbytes)  # what dask goes by when it looks for a place

    def count_pairs(self, first: Ints, second: Ints, sizes: Ints) -> Int32s:
        """Count pairs of values; the counts of one pair of features follow those of the other."""
        counts = np.zeros(int(sizes.sum()), dtype=np.int32)
        self.pool.count_pairs(first, second, np.cumsum(sizes) - sizes, counts)
        return counts

    def occurring_pairs(self, first: int, second: int) -> tuple[Ints, Ints]:
        """Return the pairs of values that occur, and how often."""
        return self.pool.occurring_pairs(first, second)

    def codes_of(self, rows: Ints, features: Ints | None) -> Codes:
        """Return the codes of rows, which are numbered as in the whole pool."""
        return self.pool.codes_of(rows - self.first_row, features)

    def scores_of_all(self, scores: RowScores) -> Floats:
        """Return the scores of all rows."""
        return self.pool.scores_of_all(self._going_on(scores))

    def best(self, scores: RowScores, open_rows: OpenRows, cost: Floats | None) -> BestOfShard:
        """Find the best rows."""
        found, best = self.pool.look_for_best(self._going_on(scores), open_rows, cost)
        rows = np.array(found.first(best, _KEPT_ROWS), dtype=np.int64)
        n_ties = sum(found.ties(best)) if rows.size == _KEPT_ROWS else int(rows.size)
        return BestOfShard(best, n_ties, self.first_row + rows, self.pool.codes_of(rows[:_KEPT_CODES]))

    def ties(self, scores: RowScores, open_rows: OpenRows, cost: Floats | None, best: float) -> Ints:
        """Return all rows that tie with a score, which is that of the best row of the whole pool."""
        found, _ = self.pool.look_for_best(self._going_on(scores), open_rows, cost)
        return self.first_row + np.array(found.first(best, self.pool.n_rows), dtype=np.int64)

    def _going_on(self, scores: RowScores) -> RowScores:
        """Return what has scored these rows before, with what is remembered of them."""
        if scores.key is None:
            return scores
        known = self._remembered.get(scores.key)
        if known is None:
            while len(self._remembered) >= _REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
            known = self._remembered[scores.key] = scores
        elif known is not scores:
            known.follow(scores)
        return known


def ask_shard(shard: PoolShard, what: str, *arguments: Any) -> Any:
    """Ask a shard; this is what a worker runs."""
    method: Callable[..., Any] = getattr(shard, what)
    return method(*arguments)
