"""How rows stop being open and become open again: the draws that guarantees rest on, and everything else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from activefs.exceptions import InvalidInputError


class Chance(NamedTuple):
    """With which probability a row was drawn, and the smallest that any open row had.

    Examples
    --------
    >>> Chance(0.25, 0.125).smallest
    0.125
    """

    probability: float
    smallest: float

    @classmethod
    def checked(cls, probability: Any, smallest: Any) -> Chance:
        """Refuse what cannot be: the smallest probability is above 0, and no larger than that of the row."""
        p, least = float(probability), float(smallest)
        if not 0.0 < least <= p <= 1.0:
            raise InvalidInputError(f"a row cannot be drawn with probability {p:g} where the smallest is {least:g}")
        return cls(p, least)


class Move(NamedTuple):
    """A row stops being open, or becomes open again.

    It stops being open when it is asked, told or skipped; the row of an undone label, of a question that was given back
    or of an undone skip is open again. A `chance` is that of a draw; without one the row was chosen, or had its label.
    """

    row: int
    opens: bool = False
    chance: Chance | None = None


def extended(moves: tuple[Move, ...], new: Iterable[Move]) -> tuple[Move, ...]:
    """Add moves; before the first draw nothing needs to be remembered of how rows came to where they are.

    Examples
    --------
    >>> extended((), [Move(3)]), extended((), [Move(3, chance=Chance(0.5, 0.5))])
    ((), (Move(row=3, opens=False, chance=Chance(probability=0.5, smallest=0.5)),))
    """
    some = tuple(new)
    if not moves and all(move.chance is None for move in some):
        return ()
    return (*moves, *some)


def leaving(rows: Iterable[int]) -> tuple[Move, ...]:
    """Rows that stop being open without having been drawn."""
    return tuple(Move(row) for row in rows)


def returning(rows: Iterable[int]) -> tuple[Move, ...]:
    """Rows that are open again."""
    return tuple(Move(row, opens=True) for row in rows)


def moves_to_json(moves: Iterable[Move]) -> list[list[Any]]:
    """Write moves as what JSON can hold.

    Examples
    --------
    >>> moves_from_json(moves_to_json([Move(3, chance=Chance(0.5, 0.5)), Move(3, opens=True)]))
    (Move(row=3, opens=False, chance=Chance(probability=0.5, smallest=0.5)), Move(row=3, opens=True, chance=None))
    """
    return [[move.row, move.opens, *(move.chance or ())] for move in moves]


def moves_from_json(content: Sequence[Sequence[Any]]) -> tuple[Move, ...]:
    """Read them; an error if they are none."""
    found = []
    for row, opens, *chance in content:
        if type(row) is not int or row < 0 or type(opens) is not bool or (opens and chance):
            raise ValueError
        found.append(Move(row, opens, Chance.checked(*chance) if chance else None))
    return tuple(found)


def lead_to(moves: Iterable[Move], taken: Collection[int]) -> bool:
    """Whether moves can have led to these rows being taken: none leaves or returns twice, and all end there.

    Examples
    --------
    >>> lead_to([Move(3), Move(3, opens=True), Move(5)], {5}), lead_to([Move(3)], {5})
    (True, False)
    """
    opened: dict[int, bool] = {}
    for move in moves:
        if opened.get(move.row, not move.opens) is move.opens:
            return False
        opened[move.row] = move.opens
    return all((row in taken) is not is_open for row, is_open in opened.items())
