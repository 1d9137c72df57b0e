"""Where a session stands: all that the next question and the answer depend on, besides options and table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple


class Told(NamedTuple):
    """A label: its row, the label, and whether a question led to it."""

    row: int
    label: Any
    asked: bool = False


@dataclass(frozen=True)
class Position:
    """The labels in their order, what is pending, and what was skipped.

    Attributes
    ----------
    told : tuple of Told
        Labels in the order in which they count.
    pending : tuple of int
        Rows that were asked and not answered, in the order in which they were asked.
    skipped : tuple of int
        Rows that cannot be labelled; their order means nothing.

    Examples
    --------
    >>> Position().asking(7).answered(7, "ill")
    Position(told=(Told(row=7, label='ill', asked=True),), pending=(), skipped=())
    """

    told: tuple[Told, ...] = ()
    pending: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()

    @property
    def rows(self) -> list[int]:
        """Labelled rows, in the order of their labels."""
        return [told.row for told in self.told]

    def asking(self, row: int) -> Position:
        """Say where the session is once a row was asked."""
        return replace(self, pending=(*self.pending, row))

    def answered(self, row: int, label: Any) -> Position:
        """Say where it is once a row that was asked got this label."""
        return self.telling([Told(row, label, True)])

    def telling(self, told: Iterable[Told]) -> Position:
        """Say where it is once rows got their labels."""
        new = tuple(told)
        rows = {one.row for one in new}
        return Position((*self.told, *new), _without(self.pending, rows), _without(self.skipped, rows))

    def passed_over(self, row: int) -> Position:
        """Say where it is once a row was skipped."""
        return Position(self.told, _without(self.pending, {row}), (*_without(self.skipped, {row}), row))

    def released(self, row: int) -> Position:
        """Say where it is once a pending or skipped row is open again."""
        return Position(self.told, _without(self.pending, {row}), _without(self.skipped, {row}))

    def key_of_answer(self, *more: object) -> str:
        """Name what the answer depends on: labels and skipped rows, not what is pending; `more` is mixed in."""
        content = repr((*more, [tuple(told) for told in self.told], sorted(self.skipped)))
        return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


@dataclass(frozen=True)
class Next:
    """The next row, or why there is none: because it is `finished`, or because others hold what is left."""

    row: int | None
    reason: str = ""
    finished: bool = False


def _without(rows: tuple[int, ...], gone: set[int]) -> tuple[int, ...]:
    return tuple(row for row in rows if row not in gone) if not gone.isdisjoint(rows) else rows
