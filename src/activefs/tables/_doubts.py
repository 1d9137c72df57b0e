"""Columns of a file that may have been read in another way than they were meant: what people are told about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

# A column of text that is nearly all numbers was meant to be numbers, unless many of its values are none.
_NEARLY_ALL, MOST_OTHERS = 0.9, 5
_TOLD = 3


@dataclass(frozen=True)
class Doubt:
    """Why a column was read as it was.

    Attributes
    ----------
    column : str
        Its name.
    value : str
        What the sentence says up to and with the value that is the reason.
    line : callable
        Gives the line of the value; to find it takes time, and not every doubt is told.
    advice : str
        The rest of the sentence, and what to do.
    """

    column: str
    value: str
    line: Callable[[], int]
    advice: str

    def in_words(self) -> str:
        """Say it."""
        return f"Column {self.column!r} is {self.value} in line {self.line()}{self.advice}"


def nearly_numbers(numbers: int, rows: int, others: int) -> bool:
    """Whether text should have been numbers: so many of its values are, and so few different ones are not.

    Examples
    --------
    >>> nearly_numbers(99, 100, 1), nearly_numbers(99, 99, 0), nearly_numbers(50, 100, 1)
    (True, False, False)
    """
    return 0 < others <= MOST_OTHERS and numbers >= _NEARLY_ALL * rows


def not_a_number(column: str, value: str, line: Callable[[], int], others: int) -> Doubt:
    """Say which value keeps a column from being numbers; `others` counts further ones that do."""
    more = f" (and {others} other value{'s' if others > 1 else ''})" if others else ""
    return Doubt(
        column,
        f"taken as text because of {value[:40]!r}",
        line,
        f"{more}; all other values are numbers. Correct it, or leave the field empty if the value is missing "
        "(missing='value' then makes 'missing' a value).",
    )


def sentences(doubts: Sequence[Doubt], but: Collection[str | int | None] = ()) -> tuple[str, ...]:
    """Say the first few, and how many more there are; columns of no concern are left out."""
    told = [doubt for doubt in doubts if doubt.column not in but]
    said = [doubt.in_words() for doubt in told[:_TOLD]]
    if (more := len(told) - _TOLD) > 0:
        said.append(f"There are {more:,} more columns of this kind." if more > 1 else "There is another of this kind.")
    return tuple(said)
