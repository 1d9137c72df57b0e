"""How rows stop being open and become open again: the draws that guarantees rest on, and everything else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from operator import is_
from typing import Any, NamedTuple

from activefs.exceptions import InvalidInputError


class DrawProbability(NamedTuple):
    """With which probability a row was drawn, and the smallest that any open row had.

    Attributes
    ----------
    probability : float
        That of the row.
    smallest : float
        The smallest of all open rows.
    stream : tuple of (int, int, int)
        Which random numbers were used: each question has its own, by the numbers of labels, pending and skipped rows. A
        second question with the same numbers, such as after an undo, repeats what chance decided before.

    Examples
    --------
    >>> DrawProbability(0.25, 0.125, (3, 0, 0)).smallest
    0.125
    """

    probability: float
    smallest: float
    stream: tuple[int, int, int]

    @classmethod
    def checked(cls, probability: Any, smallest: Any, *stream: Any) -> DrawProbability:
        """Refuse what cannot be: the smallest probability is above 0, and no larger than that of the row.

        Parameters
        ----------
        probability, smallest : float
            As in the attributes.
        *stream : int
            Three numbers.
        """
        p, least = float(probability), float(smallest)
        if not 0.0 < least <= p <= 1.0 or len(stream) != 3 or any(type(n) is not int or n < 0 for n in stream):
            raise InvalidInputError(f"{[p, least, *stream]} is no probability with which a row was drawn")
        return cls(p, least, (stream[0], stream[1], stream[2]))

    def to_list(self) -> list[float]:
        """Write it as what JSON can hold.

        Examples
        --------
        >>> DrawProbability.checked(*DrawProbability(0.25, 0.125, (3, 0, 0)).to_list())
        DrawProbability(probability=0.25, smallest=0.125, stream=(3, 0, 0))
        """
        return [self.probability, self.smallest, *self.stream]


class Move(NamedTuple):
    """A row stops being open, or becomes open again.

    It stops being open when it is asked, told or skipped; the row of an undone label, of a question that was given back
    or of an undone skip is open again. A `chance` is that of a draw; without one the row was chosen, or had its label.
    """

    row: int
    opens: bool = False
    chance: DrawProbability | None = None


def extended(moves: tuple[Move, ...], new: Iterable[Move]) -> tuple[Move, ...]:
    """Add moves; before the first draw nothing needs to be remembered of how rows came to where they are.

    Examples
    --------
    >>> drawn = Move(5, chance=DrawProbability(0.5, 0.5, (0, 0, 0)))
    >>> extended((), [Move(3)]), extended((), [Move(3), drawn]) == (Move(3), drawn)
    ((), True)
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
    >>> moves_from_json(moves_to_json([Move(3), Move(3, opens=True)]))
    (Move(row=3, opens=False, chance=None), Move(row=3, opens=True, chance=None))
    """
    return [[move.row, move.opens, *(move.chance.to_list() if move.chance else ())] for move in moves]


def moves_from_json(content: Sequence[Sequence[Any]]) -> tuple[Move, ...]:
    """Read them; an error if they are none."""
    found = []
    for row, opens, *chance in content:
        if type(row) is not int or row < 0 or type(opens) is not bool or (opens and chance):
            raise ValueError
        found.append(Move(row, opens, DrawProbability.checked(*chance) if chance else None))
    return tuple(found)


class UsedStreams:
    """Which random numbers rows were drawn with before; brought up to date from one position to the next.

    Examples
    --------
    >>> used, drawn = UsedStreams(), Move(5, chance=DrawProbability(0.5, 0.5, (0, 0, 0)))
    >>> used.include((0, 0, 0), (drawn,)), used.include((1, 0, 0), (drawn, Move(3))), used.include((0, 0, 0), ())
    (True, False, False)
    """

    def __init__(self) -> None:
        self._moves: tuple[Move, ...] = ()
        self._streams: set[tuple[int, int, int]] = set()

    def include(self, stream: tuple[int, int, int], moves: tuple[Move, ...]) -> bool:
        """Whether a row was drawn with these random numbers in one of the moves."""
        known = len(self._moves)
        if known > len(moves) or not all(map(is_, self._moves, moves)):
            known, self._streams = 0, set()
        self._streams.update(move.chance.stream for move in moves[known:] if move.chance is not None)
        self._moves = moves
        return stream in self._streams


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
