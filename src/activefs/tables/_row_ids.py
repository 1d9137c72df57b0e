"""What is said of a column of ids that does not name every row, or names two rows alike."""

from __future__ import annotations

from activefs.exceptions import InvalidInputError


def without_id(column: str, count: int, first: int) -> InvalidInputError:
    """Say that so many rows have no id, and which is the first.

    Examples
    --------
    >>> str(without_id("patient", 1, 2))
    "the id column 'patient' has 1 row without an id (the first is row 3 of the table): give each one, or choose ..."
    """
    return InvalidInputError(
        f"the id column {column!r} has {count} row{'' if count == 1 else 's'} without an id (the first is row "
        f"{first + 1} of the table): give each one, or choose another column"
    )


def with_one_id(column: str, before: int, row: int, name: object) -> InvalidInputError:
    """Say that two rows have the same id.

    Examples
    --------
    >>> str(with_one_id("patient", 0, 2, "p1"))
    "the id column 'patient' must be unique, but rows 1 and 3 of the table have both 'p1', and could not be told ..."
    """
    return InvalidInputError(
        f"the id column {column!r} must be unique, but rows {before + 1} and {row + 1} of the table have both "
        f"{str(name)[:80]!r}, and could not be told apart: correct one of them, or choose another column"
    )
