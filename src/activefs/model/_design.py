"""From codes to numbers that a classifier can work with."""

from __future__ import annotations

from copy import copy
from numbers import Real
from typing import Any

import numpy as np

from activefs.pool import Pool
from activefs.tables import Encoding
from activefs.types import Ints, Matrix

_LEVELS = 9.0
"""Ordered values run from 0 to at most this, however many there are, so that no column outweighs the others."""
_MOST_COMMON = 50
"""Categories with a column of their own; the rest share the absence of one."""
_TOGETHER = 1024
"""Columns that are made at a time."""


class Design:
    """Columns for models: one per ordered feature, one per category of an unordered one.

    An ordered value enters as the square root of its code: counts and brightnesses differ most between none and
    little. A missing value is no number: it gets the middle code and a column that says so.

    Parameters
    ----------
    pool : Pool
        The encoded table.

    Examples
    --------
    >>> pool = Pool.from_table([[0, "red"], [1, "green"], [4, "blue"]])
    >>> Design(pool).of(np.array([0, 2])).tolist()  # a number, then blue, green, red
    [[0.0, 0.0, 0.0, 1.0], [1.4142135381698608, 1.0, 0.0, 0.0]]
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._numbers: list[tuple[int, Matrix]] = []  # feature, its value for each code
        self._indicators: list[tuple[int, int]] = []  # feature, code
        for j, encoding in enumerate(pool.encodings):
            n_numbers = encoding.n_values - encoding.missing
            if is_ordered(encoding):
                scale = min(1.0, _LEVELS / max(n_numbers - 1, 1))
                levels = np.sqrt(scale * np.arange(encoding.n_values, dtype=np.float32))
                if encoding.missing:
                    levels[-1] = np.sqrt(scale * np.float32(n_numbers // 2))
                    self._indicators.append((j, encoding.n_values - 1))
                self._numbers.append((j, levels))
            else:
                counts = pool.value_counts[pool.offsets[j] : pool.offsets[j + 1]]
                common = np.sort(np.argsort(-counts, kind="stable")[:_MOST_COMMON])
                self._indicators.extend((j, int(v)) for v in common[: 1 if counts.size == 2 else None])

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self._numbers) + len(self._indicators)

    def varying(self, rows: Ints) -> Design:
        """Return the design of those columns that differ among some rows: the others say nothing about these.

        Of a hundred thousand words, most do not occur in a sample of a thousand texts.

        Examples
        --------
        >>> pool = Pool.from_table([[0, "a"], [1, "a"], [1, "b"]])
        >>> Design(pool).varying(np.array([0, 1])).of(np.arange(3)).tolist()
        [[0.0], [1.0], [1.0]]
        """
        codes = self._pool.codes_of(rows)
        differ = (codes != codes[:, :1]).any(axis=1)
        design = copy(self)
        design._numbers = [(j, levels) for j, levels in self._numbers if differ[j]]
        design._indicators = [(j, v) for j, v in self._indicators if differ[j] and (codes[j] == v).any()]
        return design if design.width else self  # models want a column, even if all rows are alike

    def of(self, rows: Ints) -> Matrix:
        """Return rows as numbers: ordered features first, then indicators."""
        found = np.empty((rows.size, self.width), dtype=np.float32)
        codes = self._pool.codes_of(rows)
        for start in range(0, self.width, _TOGETHER):  # by column, which is quicker, and never all of them twice
            part = np.empty((min(_TOGETHER, self.width - start), rows.size), dtype=np.float32)
            for p in range(start, start + len(part)):
                if p < len(self._numbers):
                    j, levels = self._numbers[p]
                    part[p - start] = levels[codes[j]]
                else:
                    j, v = self._indicators[p - len(self._numbers)]
                    part[p - start] = codes[j] == v
            found[:, start : start + len(part)] = part.T
        return found


def is_ordered(encoding: Encoding) -> bool:
    """Return whether the codes of a feature are in an order that means something.

    Examples
    --------
    >>> is_ordered(Encoding(values=(1, 2, 7))), is_ordered(Encoding(values=("a", "b", "c")))
    (True, False)
    >>> is_ordered(Encoding(values=(80331, 10115, 20095), ordered=False))
    False
    """
    if encoding.ordered is not None:
        return encoding.ordered
    return bool(encoding.ranges) or all(_is_number(v) for v in encoding.values)


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, np.bool_, np.number))
