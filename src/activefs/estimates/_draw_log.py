"""In which order rows stopped being open, and with which chance: what guaranteed bounds are computed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from activefs.types import Bools, Floats, Ints

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class DrawLog:
    """Rows that stopped being open, or became open again, in the order of time.

    Attributes
    ----------
    rows : array of int, shape (T,)
        The rows; all others were open all the time.
    opens : array of bool
        Whether the row became open again.
    weights : array of float
        For a row that was drawn, 1 over the number of open rows times its probability; 0 for all others.
    largest : array of float
        The largest such weight that any open row would have had.
    labels : array of int
        The class of the row, as it is known now; -1 if it is not.

    Examples
    --------
    >>> log = DrawLog.of([4, 2], [False, False], [0.25, 0.0], [0.125, 0.0], [1, -1], n_rows=5)
    >>> log.weights.tolist(), log.largest.tolist()
    ([0.8, 0.0], [1.6, 0.0])
    """

    rows: Ints
    opens: Bools
    weights: Floats
    largest: Floats
    labels: Ints

    @classmethod
    def of(
        cls,
        rows: ArrayLike,
        opens: ArrayLike,
        probabilities: ArrayLike,
        smallest: ArrayLike,
        labels: ArrayLike,
        *,
        n_rows: int,
    ) -> DrawLog:
        """Make it from the probability of each row and the smallest of any open row; 0 for rows that were not drawn."""
        back = np.asarray(opens, dtype=bool)
        steps = np.where(back, 1, -1)
        n_open = n_rows + np.cumsum(steps) - steps  # before each move
        p, least = np.asarray(probabilities, dtype=np.float64), np.asarray(smallest, dtype=np.float64)
        weights, largest = (
            np.divide(1.0, n_open * some, out=np.zeros(back.size), where=(least > 0) & ~back) for some in (p, least)
        )
        even = np.abs(largest - 1.0) <= _ROUNDING
        weights[even] = largest[even] = 1.0
        return cls(np.asarray(rows, dtype=np.int64), back, weights, largest, np.asarray(labels, dtype=np.int64))

    def taken_before(self, move: int) -> Ints:
        """Rows that were not open before a move, ascending."""
        taken: dict[int, bool] = {}
        for row, opens in zip(self.rows[:move].tolist(), self.opens[:move].tolist(), strict=True):
            taken[row] = not opens
        return np.array(sorted(row for row, gone in taken.items() if gone), dtype=np.int64)

    @property
    def drawn(self) -> Bools:
        """Which moves were draws."""
        return np.asarray(self.weights > 0)
