"""Which rows may be asked: all but a few, without a list of all."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from activefs.types import Bools, Ints


class OpenRows:
    """Rows of a pool that may be asked: those that are not taken, and that can be paid for.

    A pool may have a billion rows, of which a few thousand are taken: only these are listed.

    Parameters
    ----------
    n_rows : int
        Rows of the pool.
    taken : array of int
        Rows that are labelled, asked or skipped, in any order.
    affordable : array of bool, optional
        Rows that can be paid for; None: all.

    Examples
    --------
    >>> rows = OpenRows(6, [4, 1])
    >>> rows.count, [rows.nth(i) for i in range(rows.count)], rows.holds(np.array([0, 1])).tolist()
    (4, [0, 2, 3, 5], [True, False])
    """

    def __init__(self, n_rows: int, taken: ArrayLike = (), affordable: Bools | None = None) -> None:
        self.n_rows = n_rows
        self.taken: Ints = np.unique(np.asarray(taken, dtype=np.int64))
        self.affordable = affordable

    @cached_property
    def count(self) -> int:
        """How many there are."""
        if self.affordable is None:
            return self.n_rows - int(self.taken.size)
        return int(np.count_nonzero(self.affordable)) - int(np.count_nonzero(self.affordable[self.taken]))

    def holds(self, rows: Ints) -> Bools:
        """Say which of some rows are open.

        Parameters
        ----------
        rows : array of int, shape (n,)
            Rows of the pool.

        Returns
        -------
        array of bool, shape (n,)
            True for open ones.
        """
        if self.taken.size == 0:
            found: Bools = np.ones(rows.size, dtype=bool)
        else:
            at = np.minimum(np.searchsorted(self.taken, rows), self.taken.size - 1)
            found = self.taken[at] != rows
        return found if self.affordable is None else found & self.affordable[rows]

    def nth(self, i: int) -> int:
        """Return the i-th open row, from 0, in ascending order.

        Parameters
        ----------
        i : int
            From 0 to ``count - 1``.

        Examples
        --------
        >>> OpenRows(6, [0, 1]).nth(0)
        2
        """
        if self.affordable is not None:
            return int(np.flatnonzero(self.mask)[i])
        # Before the k-th taken row there are taken[k] - k open ones.
        return i + int(np.searchsorted(self.taken - np.arange(self.taken.size), i, side="right"))

    def before(self, rows: Ints) -> Ints:
        """Count the open rows before each of some rows, which ascend.

        Parameters
        ----------
        rows : array of int, shape (n,)
            Rows of the pool, ascending.

        Returns
        -------
        array of int, shape (n,)
            How many open rows have a smaller number.

        Examples
        --------
        >>> OpenRows(6, [0, 1]).before(np.array([2, 5])).tolist()
        [0, 3]
        """
        if self.affordable is None:
            return np.asarray(rows - np.searchsorted(self.taken, rows))
        counted = np.concatenate([[0], np.cumsum(self.mask)])
        return np.asarray(counted[rows])

    def part(self, first: int, n_rows: int) -> OpenRows:
        """Return those among some consecutive rows, numbered from the first of these on.

        Parameters
        ----------
        first : int
            The first of them.
        n_rows : int
            How many they are.

        Returns
        -------
        OpenRows
            Row 0 of it is row `first` of this one.
        """
        low, high = np.searchsorted(self.taken, [first, first + n_rows])
        affordable = None if self.affordable is None else self.affordable[first : first + n_rows]
        return OpenRows(n_rows, self.taken[low:high] - first, affordable)

    @cached_property
    def mask(self) -> Bools:
        """One entry per row of the pool, True for open ones."""
        found = np.ones(self.n_rows, dtype=bool) if self.affordable is None else self.affordable.copy()
        found[self.taken] = False
        return found
