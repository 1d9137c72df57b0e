"""Where a session stands: all that the next question and the answer depend on, besides options and table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from activefs.engine._moves import DrawProbability, Move, extended, leaving, returning


class Told(NamedTuple):
    """A label: its row, the label, and whether a question led to it.

    A label that is not settled is told as `ClassProbabilities`.
    """

    row: int
    label: Any
    asked: bool = False


@dataclass(frozen=True)
class Position:
    """The labels in their order, what is pending, what was skipped, and how rows came to that.

    Attributes
    ----------
    told : tuple of Told
        Labels in the order in which they count.
    pending : tuple of int
        Rows that were asked and not answered, in the order in which they were asked.
    skipped : tuple of int
        Rows that cannot be labelled; their order means nothing.
    moves : tuple of Move
        When rows stopped being open, and became open again, in the order of time; what is guaranteed rests on the draws
        among them. Rows that are not open and not among them were so before the first draw.
    together : int
        How many people label at the same time: the more there are, the longer labels go by before a model that has
        learnt from them is used.

    Examples
    --------
    >>> Position().asking(7).answered(7, "ill").told
    (Told(row=7, label='ill', asked=True),)
    """

    told: tuple[Told, ...] = ()
    pending: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    moves: tuple[Move, ...] = ()
    together: int = 1

    def __hash__(self) -> int:
        # It is looked up often, and there may be thousands of labels and moves.
        found: int | None = self.__dict__.get("_hash")
        if found is None:
            found = self.__dict__["_hash"] = hash((self.told, self.pending, self.skipped, self.moves))
        return found

    @property
    def rows(self) -> list[int]:
        """Labelled rows, in the order of their labels."""
        return [told.row for told in self.told]

    @property
    def taken_before(self) -> list[int]:
        """Rows that were not open before the first of the moves."""
        first_opens: dict[int, bool] = {}
        for move in self.moves:
            first_opens.setdefault(move.row, move.opens)
        taken = [row for row in (*self.rows, *self.pending, *self.skipped) if row not in first_opens]
        return taken + [row for row, opens in first_opens.items() if opens]

    def asking(self, row: int, chance: DrawProbability | None = None) -> Position:
        """Say where the session is once a row was asked, which was drawn with this chance or (None) chosen."""
        return replace(self, pending=(*self.pending, row), moves=extended(self.moves, [Move(row, chance=chance)]))

    def answered(self, row: int, label: Any) -> Position:
        """Say where it is once a row that was asked got this label."""
        return self.telling([Told(row, label, True)])

    def telling(self, told: Iterable[Told]) -> Position:
        """Say where it is once rows got their labels."""
        new = tuple(told)
        rows, taken = {one.row for one in new}, {*self.pending, *self.skipped}
        moves = extended(self.moves, leaving(one.row for one in new if one.row not in taken))
        return replace(
            self,
            told=(*self.told, *new),
            pending=_without(self.pending, rows),
            skipped=_without(self.skipped, rows),
            moves=moves,
        )

    def corrected(self, row: int, label: Any) -> Position:
        """Say where it is once the label of a row was replaced; it keeps its place."""
        told = tuple(Told(row, label, one.asked) if one.row == row else one for one in self.told)
        return replace(self, told=told)

    def taken_back(self) -> Position:
        """Say where it is without the last label: its row is open again."""
        return replace(self, told=self.told[:-1], moves=extended(self.moves, returning([self.told[-1].row])))

    def passed_over(self, row: int) -> Position:
        """Say where it is once a row was skipped."""
        was_open = row not in self.pending and row not in self.skipped
        skipped = (*_without(self.skipped, {row}), row)
        moves = extended(self.moves, leaving([row])) if was_open else self.moves
        return replace(self, pending=_without(self.pending, {row}), skipped=skipped, moves=moves)

    def released(self, row: int) -> Position:
        """Say where it is once a pending or skipped row is open again."""
        moves = extended(self.moves, returning([row]))
        pending, skipped = _without(self.pending, {row}), _without(self.skipped, {row})
        return replace(self, pending=pending, skipped=skipped, moves=moves)

    def key_of_answer(self, *more: object) -> str:
        """Name what the answer depends on: labels, skipped rows and draws; `more` is mixed in."""
        told = [tuple(told) for told in self.told]
        content = repr((*more, told, sorted(self.skipped), [tuple(move) for move in self.moves]))
        return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


@dataclass(frozen=True)
class Next:
    """The next row, or why there is none: because it is `finished`, or because others hold what is left.

    `chance` says with which probability the row was drawn; None if it was not drawn, but chosen.
    """

    row: int | None
    reason: str = ""
    finished: bool = False
    chance: DrawProbability | None = None


def _without(rows: tuple[int, ...], gone: set[int]) -> tuple[int, ...]:
    return tuple(row for row in rows if row not in gone) if not gone.isdisjoint(rows) else rows
