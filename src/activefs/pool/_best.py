"""The best of many rows by their scores, without keeping the scores of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from activefs._kernels import threads
from activefs._kernels.best_rows import best_of, ties_of
from activefs.pool._open_rows import OpenRows
from activefs.ties import TIE
from activefs.types import Floats, Ints

Scorer = Callable[[int, int, Floats], None]
"""Writes the scores of rows start..stop."""
_KEPT = 1024  # tied rows that a block remembers; where there are more, it is scored again


@dataclass(frozen=True, eq=False)
class Block:
    """What is known of the open rows of a block after it was scored.

    Attributes
    ----------
    start, stop : int
        Its rows.
    best : float
        The largest score per cost of an open row; minus infinity if there is none.
    rows, gains : arrays
        Rows that tie with it, ascending, and their scores per cost; None if there are too many.
    """

    start: int
    stop: int
    best: float
    rows: Ints | None
    gains: Floats | None


def lowest_tie(best: float) -> float:
    """Return the score from which on rows tie with the best one."""
    return best - TIE * abs(best)


class BestRows:
    """The rows with the largest score per cost among the open ones; those that tie can be counted and picked.

    Parameters
    ----------
    score : callable
        Writes the scores of some rows.
    open_rows : OpenRows
        Rows among which the best ones are looked for.
    cost : array, optional
        What the label of each row costs.
    logs : bool
        Whether scores are logarithms.
    """

    def __init__(self, score: Scorer, open_rows: OpenRows, cost: Floats | None, logs: bool) -> None:
        self._score, self._open, self._logs = score, open_rows, logs
        self._cost = cost if cost is None or not logs else np.log(cost)
        self._blocks: list[Block] = []

    def look(self, block_rows: int, workers: int, smallest: int) -> float:
        """Score all rows, in blocks of so many, and return the best score."""
        n_rows = self._open.n_rows
        found: dict[int, list[Block]] = {}

        def work(start: int, stop: int) -> None:
            gains = np.empty(min(block_rows, stop - start))
            best, blocks = -np.inf, []
            for at in range(start, stop, block_rows):
                block = self._look_at(at, min(at + block_rows, stop), gains, best)
                best = max(best, block.best)
                blocks.append(block)
            found[start] = [block for block in blocks if block.best >= lowest_tie(best)]

        threads.in_blocks(work, n_rows, workers, smallest)
        every = [block for start in sorted(found) for block in found[start]]
        best = max((block.best for block in every), default=-np.inf)
        self._blocks = [block for block in every if block.best >= lowest_tie(best)]
        return best

    def ties(self, best: float) -> list[int]:
        """Count the rows that tie with a score, which is that of the best of all rows, block by block."""
        return [self._rows(block, best).size for block in self._blocks]

    def pick(self, best: float, i: int) -> int:
        """Return the i-th of the rows that tie with the best, in ascending order."""
        for block in self._blocks:
            rows = self._rows(block, best)
            if i < rows.size:
                return int(rows[i])
            i -= rows.size
        raise IndexError(i)

    def first(self, best: float, most: int) -> list[int]:
        """Return the first rows that tie with the best, at most so many."""
        rows: list[int] = []
        for block in self._blocks:
            if len(rows) < most:
                rows.extend(self._rows(block, best)[: most - len(rows)].tolist())
        return rows

    def _rows(self, block: Block, best: float) -> Ints:
        """Return the rows of a block that tie with the best."""
        least = lowest_tie(best)
        if block.rows is not None and block.gains is not None:
            return block.rows[block.gains >= least]
        gains = self._gains(block.start, block.stop, np.empty(block.stop - block.start))
        return block.start + np.flatnonzero(gains >= least)

    def _look_at(self, start: int, stop: int, room: Floats, least_known: float) -> Block:
        gains = self._gains(start, stop, room)
        best = best_of(gains)
        if best == -np.inf or best < lowest_tie(least_known):
            return Block(start, stop, -np.inf, None, None)
        rows = np.empty(_KEPT, dtype=np.int64)
        count = ties_of(gains, lowest_tie(best), rows)
        if count > _KEPT:
            return Block(start, stop, best, None, None)
        rows = rows[:count].copy()
        return Block(start, stop, best, start + rows, gains[rows])

    def _gains(self, start: int, stop: int, room: Floats) -> Floats:
        """Return scores per cost, minus infinity for rows that are not open."""
        gains = room[: stop - start]
        self._score(start, stop, gains)
        if self._cost is not None:
            part = self._cost[start:stop]
            if self._logs:
                gains -= part
            else:
                gains /= part
        low, high = np.searchsorted(self._open.taken, [start, stop])
        gains[self._open.taken[low:high] - start] = -np.inf
        if self._open.affordable is not None:
            gains[~self._open.affordable[start:stop]] = -np.inf
        return gains
