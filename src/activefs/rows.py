"""Numbers of rows, as people give them."""

from __future__ import annotations

import operator
from typing import Any

from activefs.exceptions import InvalidInputError


def checked_row(row: Any, n_rows: int) -> int:
    """Return the number of a row as a plain one; refuse one that the table does not have.

    Examples
    --------
    >>> checked_row(3, 3)
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: row must be a whole number from 0 to 2, got 3 (int)
    """
    try:
        at = -1 if type(row).__name__ in ("bool", "bool_") else operator.index(row)
    except TypeError:
        at = -1
    if not 0 <= at < n_rows:
        raise InvalidInputError(
            f"row must be a whole number from 0 to {n_rows - 1}, got {row!r} ({type(row).__name__})"
        )
    return at


def is_many(row: Any) -> bool:
    """Whether several rows were given rather than one.

    Examples
    --------
    >>> is_many([1, 2]), is_many(1)
    (True, False)
    """
    return isinstance(row, (list, tuple, range)) or len(getattr(row, "shape", ())) == 1
