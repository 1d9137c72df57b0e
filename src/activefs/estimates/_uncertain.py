"""Rows whose labels are not settled: what they add to the counts of each value and class."""

from __future__ import annotations

import numpy as np

from activefs.pool import Pool
from activefs.types import Bools, Floats, Ints


class UncertainRows:
    """Rows with class probabilities instead of a class; each is one draw of its values, divided among the classes.

    There are few of them, so that what they add up to is made anew when one comes or goes: in the order of the rows,
    whatever the order in which they came, and without a trace of those that went.

    Parameters
    ----------
    pool : Pool
        The encoded table.
    n_classes : int
        C, the number of classes.

    Examples
    --------
    >>> some = UncertainRows(Pool.from_table([["a"], ["a"], ["b"]]), 2)
    >>> some.add({1: np.array([0.25, 0.75])})
    >>> some.of(np.array([0, 1])).tolist(), some.draws(np.array([0, 1])).tolist(), some.touch(np.array([0, 1])).tolist()
    ([[0.25, 0.75], [0.0, 0.0]], [1, 0], [True, False])
    """

    def __init__(self, pool: Pool, n_classes: int) -> None:
        self._pool, self._n_classes = pool, n_classes
        self.rows: dict[int, Floats] = {}
        self._sums: Floats | None = None  # cells x (C + 1): weights of the classes, number of rows

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, new: dict[int, Floats]) -> None:
        """Take further rows."""
        self.rows.update(new)
        self._add_up()

    def remove(self, row: int) -> None:
        """Forget a row."""
        del self.rows[row]
        self._add_up()

    def of(self, cells: Ints | slice) -> Floats:
        """Return the weights of the classes in some cells."""
        assert self._sums is not None
        return np.asarray(self._sums[cells, :-1])

    def draws(self, cells: Ints | slice) -> Ints:
        """Return the number of rows in some cells."""
        assert self._sums is not None
        return np.asarray(self._sums[cells, -1].astype(np.int64))

    def touch(self, cells: Ints | slice) -> Bools:
        """Say which cells have such a row."""
        assert self._sums is not None
        return np.asarray(self._sums[cells, -1] > 0)

    def _add_up(self) -> None:
        if not self.rows:
            self._sums = None
            return
        pool, rows = self._pool, np.sort(np.fromiter(self.rows, dtype=np.int64, count=len(self.rows)))
        amounts = np.ones((rows.size, self._n_classes + 1))
        amounts[:, :-1] = [self.rows[row] for row in rows.tolist()]
        self._sums = pool.sum_cells(rows, amounts)
