"""Columns of a table that are no features, and why: what people are told about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CONSTANT = "one value only"
WHY = {
    "id": "nearly every row has a value of its own",
    "name": "nearly every row has a text of its own",
    "text": "free text that hardly ever repeats",
}
_LISTED = 5


@dataclass(frozen=True)
class LeftOut:
    """A column that was left out without anybody having asked for it.

    Attributes
    ----------
    name : str
        The column.
    why : str
        The reason, in a few words.
    """

    name: str
    why: str


def not_constant(left_out: Sequence[LeftOut]) -> list[LeftOut]:
    """Those that somebody may want to keep: they have more than one value."""
    return [column for column in left_out if column.why != CONSTANT]


def may_be_amounts(column: LeftOut) -> bool:
    """Whether a column that was left out holds numbers, which might be binned."""
    return column.why == WHY["id"]


def kept_if_named(left_out: Sequence[LeftOut]) -> str:
    """End a sentence about columns that are missing: which were left out, and how they are kept; empty if none was.

    Examples
    --------
    >>> kept_if_named([LeftOut("note", WHY["text"])])
    '; left out: note (free text that hardly ever repeats), unless it is named in binning=... or categorical=...'
    """
    named = not_constant(left_out)
    if not named:
        return ""
    unless = "unless it is" if len(named) == 1 else "unless they are"
    return f"; left out: {listed_left_out(named)}, {unless} named in binning=... or categorical=..."


def listed_left_out(left_out: Sequence[LeftOut]) -> str:
    """List columns that were left out: the first few by name, those that have one value only by their number.

    Examples
    --------
    >>> listed_left_out([LeftOut("patient", WHY["id"]), LeftOut("country", CONSTANT), LeftOut("year", CONSTANT)])
    'patient (nearly every row has a value of its own), 2 columns with one value only'
    """
    named = not_constant(left_out)
    said = [f"{column.name} ({column.why})" for column in named[:_LISTED]]
    if len(named) > _LISTED:
        said.append(f"{len(named) - _LISTED:,} more of this kind")
    if constant := len(left_out) - len(named):
        said.append(f"{constant:,} column{'s' if constant > 1 else ''} with {CONSTANT}")
    return ", ".join(said)
