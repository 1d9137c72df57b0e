"""The distinct values of a column: where each row's is among them, or how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.types import Array, Ints

# Integers spread over a range up to this are told apart through a table of the range instead of a sort.
_RANGE = 1 << 20
_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, eq=False)
class Distinct:
    """What a column holds, whatever the order of its rows.

    Attributes
    ----------
    values : array
        Distinct values, ascending.
    counts : array of int
        Rows that have each.
    missing : int
        Rows that have none.
    order : tuple of str or None
        Categories in their order, if it means something.
    more_values, more_rows : int
        Distinct values that are not listed because they are too many, and the rows that have them.
    """

    values: Array
    counts: Ints
    missing: int = 0
    order: tuple[str, ...] | None = None
    more_values: int = 0
    more_rows: int = 0

    @property
    def rows(self) -> int:
        """Rows that have a value."""
        return int(self.counts.sum()) + self.more_rows

    @property
    def n_distinct(self) -> int:
        """Number of distinct values."""
        return len(self.values) + self.more_values


def coded(values: Array) -> tuple[Array, Ints, Ints]:
    """Sorted distinct values, how many rows have each, and each row's position among them.

    Examples
    --------
    >>> [found.tolist() for found in coded(np.array([7, 5, 7]))]
    [[5, 7], [1, 2], [1, 0, 1]]
    """
    nothing = np.empty(0, dtype=np.int64)
    if not values.size:
        return values, nothing, nothing
    found = _from_smallest(values)
    if found is None:
        distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        return distinct, counts.astype(np.int64), inverse.astype(np.int64)
    near, low = found
    counts = np.bincount(near)
    occur = np.flatnonzero(counts)
    position = np.empty(len(counts), dtype=np.int64)
    position[occur] = np.arange(len(occur))
    return _back(occur, low), counts[occur], position[near]


def counted(values: Array) -> tuple[Array, Ints]:
    """Sorted distinct values, and how many rows have each.

    Examples
    --------
    >>> distinct, counts = counted(np.array([7, 5, 7]))
    >>> distinct.tolist(), counts.tolist()
    ([5, 7], [1, 2])
    """
    if not values.size:
        return values, np.empty(0, dtype=np.int64)
    found = _from_smallest(values)
    if found is None:
        distinct, counts = np.unique(values, return_counts=True)
        return distinct, counts.astype(np.int64)
    near, low = found
    counts = np.bincount(near)
    occur = np.flatnonzero(counts)
    return _back(occur, low), counts[occur].astype(np.int64)


def _from_smallest(values: Array) -> tuple[Ints, Any] | None:
    """How far integers are from the smallest, and that one, if none is far; None for anything else."""
    if values.dtype.kind not in "iu":
        return None
    low, high = values.min(), int(values.max())
    if high - int(low) >= _RANGE:
        return None
    if high > _INT64.max:  # as uint64 may be: it becomes small before it becomes signed
        return (values - low).astype(np.int64), low
    return values.astype(np.int64) - int(low), int(low)


def _back(near: Ints, low: Any) -> Array:
    return near + low if isinstance(low, int) else near.astype(np.uint64) + low
