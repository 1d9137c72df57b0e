"""Columns of a file that may have been read in another way than they were meant: what people are told about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

# A column of text that is nearly all numbers was meant to be numbers, unless many of its values are none.
_NEARLY_ALL, _FEW = 0.9, 5
_TOLD = 3


@dataclass(frozen=True)
class Doubt:
    """Why a column was read as it was.

    Attributes
    ----------
    column : str
        Its name.
    said : str
        A sentence that names a value, and says what to do.
    """

    column: str
    said: str


def nearly_numbers(numbers: int, rows: int, others: int) -> bool:
    """Whether text should have been numbers: so many of its values are, and so few different ones are not.

    Examples
    --------
    >>> nearly_numbers(99, 100, 1), nearly_numbers(99, 99, 0), nearly_numbers(50, 100, 1)
    (True, False, False)
    """
    return 0 < others <= _FEW and numbers >= _NEARLY_ALL * rows


def not_a_number(column: str, value: str, line: int, others: int) -> Doubt:
    """Say which value keeps a column from being numbers; `others` counts further ones that do."""
    more = f" (and {others} other value{'s' if others > 1 else ''})" if others else ""
    return Doubt(
        column,
        f"Column {column!r} is taken as text because of {value[:40]!r} in line {line}{more}; all other values are "
        "numbers. Correct it, or leave the field empty if the value is missing (missing='value' then makes 'missing' a "
        "value).",
    )


def sentences(doubts: Sequence[Doubt], but: Collection[str | int | None] = ()) -> tuple[str, ...]:
    """Say the first few, and how many more there are; columns of no concern are left out."""
    said = [doubt.said for doubt in doubts if doubt.column not in but]
    if (more := len(said) - _TOLD) > 0:
        columns = f"{more:,} more column{'s' if more > 1 else ''}"
        said[_TOLD:] = [f"The same is to be said of {columns}."]
    return tuple(said)
