"""The moves of a position as arrays, brought up to date from one position to the next."""

from __future__ import annotations

from operator import is_

import numpy as np

from activefs.engine._labels import Settled
from activefs.engine._moves import Move
from activefs.engine._position import Position
from activefs.estimates import DrawLog
from activefs.types import Floats, Ints


class MoveArrays:
    """Rows and chances of moves; there may be thousands, and each question adds one."""

    def __init__(self) -> None:
        self._moves: tuple[Move, ...] = ()
        self._rows: Ints = np.empty(0, dtype=np.int64)
        self._numbers: Floats = np.empty((0, 3))  # whether the row opens, its probability, the smallest

    def log(self, position: Position, known: Settled, n_rows: int) -> DrawLog:
        """Write the moves of a position as a log; rows that were taken before the first one come first.

        A row whose label is not settled was drawn or chosen as it was, and its label is not known.
        """
        self._go_on(position.moves)
        before = np.asarray(position.taken_before, dtype=np.int64)
        rows = np.concatenate([before, self._rows])
        opens, p, smallest = np.vstack([np.zeros((before.size, 3)), self._numbers]).T
        label_of = dict(zip(known.rows.tolist(), known.codes.tolist(), strict=True))
        labels = np.fromiter((label_of.get(row, -1) for row in rows.tolist()), dtype=np.int64, count=rows.size)
        return DrawLog.of(rows, opens > 0, p, smallest, labels, n_rows=n_rows)

    def _go_on(self, moves: tuple[Move, ...]) -> None:
        old = self._moves
        same = len(old) if len(old) <= len(moves) and all(map(is_, old, moves)) else 0
        new = [(m.opens, *((0.0, 0.0) if m.chance is None else m.chance[:2])) for m in moves[same:]]
        rows = np.fromiter((m.row for m in moves[same:]), dtype=np.int64, count=len(moves) - same)
        self._rows = np.concatenate([self._rows[:same], rows])
        self._numbers = np.vstack([self._numbers[:same], np.asarray(new, dtype=np.float64).reshape(-1, 3)])
        self._moves = moves
