"""Functions of (successes, draws), computed once and looked up ever after."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from activefs.types import Floats, Ints

# Rows beyond this many draws are computed when asked for: the table would grow with the square.
MAX_DRAWS = 1024
_CHUNK = 64


def position(ones: ArrayLike, n: ArrayLike) -> Ints:
    """Index of (ones, n) in a table that lists 0/0, 0/1, 1/1, 0/2, 1/2, 2/2, ..."""
    draws = np.asarray(n, dtype=np.int64)
    return draws * (draws + 1) // 2 + np.asarray(ones, dtype=np.int64)


class TriangularTable:
    """Table of a vector-valued function of (ones, n) for 0 <= ones <= n, filled as n grows.

    Parameters
    ----------
    function : callable
        Takes arrays `ones` and `n`, returns an array with one row per pair.

    Examples
    --------
    >>> table = TriangularTable(lambda ones, n: np.stack([ones, n - ones], axis=-1))
    >>> table.look_up([2], [5]).tolist()
    [[2.0, 3.0]]
    """

    def __init__(self, function: Callable[[Ints | Floats, Ints | Floats], Floats]) -> None:
        self._function = function
        self._rows = 0
        self._filling = threading.Lock()
        self.entries: Floats = np.empty((0, function(np.zeros(1, np.int64), np.zeros(1, np.int64)).shape[1]))

    def ensure(self, n: int) -> None:
        """Fill the table up to n draws (or up to its limit)."""
        wanted = min(n, MAX_DRAWS) + 1
        while wanted > self._rows:
            with self._filling:  # sessions in several threads may share the table
                if wanted > self._rows:
                    self._fill(min(self._rows + _CHUNK, MAX_DRAWS + 1))

    def _fill(self, stop: int) -> None:
        draws = np.repeat(np.arange(self._rows, stop), np.arange(self._rows, stop) + 1)
        start = self._rows * (self._rows + 1) // 2
        ones = np.arange(start, start + draws.size) - draws * (draws + 1) // 2
        self.entries = np.concatenate([self.entries, self._function(ones, draws)])
        self._rows = stop

    def look_up(self, ones: ArrayLike, n: ArrayLike) -> Floats:
        """Values of the function, one row per pair; pairs beyond the table are computed."""
        successes, draws = np.asarray(ones, dtype=np.int64), np.asarray(n, dtype=np.int64)
        top = int(draws.max(initial=0))
        self.ensure(top)
        if top <= MAX_DRAWS:
            return np.asarray(self.entries[position(successes, draws)])
        out = np.empty((draws.size, self.entries.shape[1]))
        small = draws <= MAX_DRAWS
        out[small] = self.entries[position(successes[small], draws[small])]
        pairs, inverse = np.unique(np.stack([successes[~small], draws[~small]]), axis=1, return_inverse=True)
        out[~small] = self._function(pairs[0], pairs[1])[inverse.ravel()]
        return out

    def compute(self, ones: ArrayLike, n: ArrayLike) -> Floats:
        """Values of the function for successes that need not be whole, one row per pair; nothing is kept.

        Examples
        --------
        >>> TriangularTable(lambda ones, n: np.stack([ones, n - ones], axis=-1)).compute([0.5], [5]).tolist()
        [[0.5, 4.5]]
        """
        draws = np.asarray(n, dtype=np.float64)
        pairs = np.clip(np.asarray(ones, dtype=np.float64), 0.0, draws) + 1j * draws
        few, inverse = np.unique(pairs, return_inverse=True)  # thousands of features share a few
        return np.asarray(self._function(few.real, few.imag)[inverse])
