"""A row that was drawn at random, and how likely each row was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from activefs.pool import OpenRows
from activefs.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Mixture:
    """Probabilities of which a part is the same for all open rows, and the rest belongs to some of them.

    So a draw from a billion rows is described by a few of them.

    Attributes
    ----------
    uniform : float
        What all open rows share alike.
    rows : array of int
        Rows that have more than that, ascending.
    more : array of float
        How much more; together with `uniform` they add up to 1.

    Examples
    --------
    >>> chances = Mixture(0.5, np.array([2]), np.array([0.5]))
    >>> chances.of_all(OpenRows(4, [1])).round(3).tolist()
    [0.167, 0.0, 0.667, 0.167]
    """

    uniform: float
    rows: Ints
    more: Floats

    def draw(self, open_rows: OpenRows, rng: np.random.Generator) -> int:
        """Draw a row: the first up to which the probabilities add up to a random number.

        Parameters
        ----------
        open_rows : OpenRows
            Rows that may be asked; those with more must be among them.
        rng : numpy.random.Generator
            Draws.

        Returns
        -------
        int
            The row.
        """
        each = self._each(open_rows)
        # Up to and with each of the rows that have more.
        cumulative = each * (open_rows.before(self.rows) + 1) + np.cumsum(self.more)
        total = each * open_rows.count + float(self.more.sum())
        wanted = rng.random() * total
        place = int(np.searchsorted(cumulative, wanted, side="right"))
        if place < self.rows.size and wanted >= cumulative[place] - self.more[place] - each:
            return int(self.rows[place])
        gone = float(self.more[:place].sum()) if place else 0.0
        before = 0 if place == 0 else int(open_rows.before(self.rows[place - 1 : place])[0]) + 1
        last = open_rows.count if place == self.rows.size else int(open_rows.before(self.rows[place : place + 1])[0])
        return open_rows.nth(min(max(int((wanted - gone) / each), before), last - 1))

    def of(self, row: int, open_rows: OpenRows) -> float:
        """Return the probability of an open row.

        Parameters
        ----------
        row : int
            The row.
        open_rows : OpenRows
            Rows that may be asked.

        Examples
        --------
        >>> Mixture(0.5, np.array([2]), np.array([0.5])).of(2, OpenRows(4))
        0.625
        """
        at = int(np.searchsorted(self.rows, row))
        more = float(self.more[at]) if at < self.rows.size and self.rows[at] == row else 0.0
        return self._each(open_rows) + more

    def smallest(self, open_rows: OpenRows) -> float:
        """Return the smallest probability of an open row.

        Parameters
        ----------
        open_rows : OpenRows
            Rows that may be asked.

        Examples
        --------
        >>> Mixture(0.5, np.array([2]), np.array([0.5])).smallest(OpenRows(4))
        0.125
        """
        everywhere = self.rows.size == open_rows.count
        return self._each(open_rows) + (float(self.more.min()) if everywhere else 0.0)

    def of_all(self, open_rows: OpenRows) -> Floats:
        """Return the probabilities of all rows of the pool.

        Parameters
        ----------
        open_rows : OpenRows
            Rows that may be asked.

        Returns
        -------
        array of float, shape (n_rows,)
            0 for rows that are not open; they add up to 1.
        """
        found = np.where(open_rows.mask, self._each(open_rows), 0.0)
        found[self.rows] += self.more
        return found

    def _each(self, open_rows: OpenRows) -> float:
        return 1.0 / open_rows.count * self.uniform


@dataclass(frozen=True, eq=False)
class Draw:
    """A row that was drawn at random, and the probabilities with which each row could have been.

    What is guaranteed of an answer rests on such draws: see :class:`activefs.estimates.GuaranteedBounds`. A row that
    was not drawn, but chosen, is returned as a number; it teaches nothing beyond itself.

    Attributes
    ----------
    row : int
        The row.
    probabilities : array of shape (n_rows,), Mixture or "uniform"
        Of every row of the pool: 0 for rows that were not open, and adding up to 1. They may depend on everything
        that is known so far, but not on the draw. "uniform": all open rows alike.

    See Also
    --------
    draw_random : Draws a row, all alike.
    Mixture : Probabilities of a pool of any size.

    Notes
    -----
    Guide: :doc:`/guide/extending`.

    Examples
    --------
    >>> Draw(1, np.array([0.25, 0.75])).probabilities.tolist()
    [0.25, 0.75]
    """

    row: int
    probabilities: Floats | Mixture | Literal["uniform"] = "uniform"

    def of_all(self, open_rows: OpenRows) -> Floats:
        """Return the probabilities of all rows of the pool as an array.

        Parameters
        ----------
        open_rows : OpenRows
            Rows that may be asked.

        Returns
        -------
        array of float, shape (n_rows,)
            0 for rows that were not open.

        Examples
        --------
        >>> Draw(1).of_all(OpenRows(3, [0])).tolist()
        [0.0, 0.5, 0.5]
        """
        if isinstance(self.probabilities, str):
            return np.asarray(open_rows.mask / open_rows.count)
        return self.probabilities.of_all(open_rows) if isinstance(self.probabilities, Mixture) else self.probabilities
