"""Changes of people who come at the same moment are written in one go: the disk is waited for once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from activefs.exceptions import StorageError
from activefs.storages import Log
from activefs.study._state import StudyState

T = TypeVar("T")

_AT_ONCE = 32
"""Changes that are written together: whoever comes later waits no longer than for so many."""


class Turn(Generic[T]):
    """A change that somebody wants to make, and what came of it.

    Parameters
    ----------
    change : callable
        Checks and adds to the log; returns what looks at the state that it led to.
    always : bool
        Whether an archived study may be changed.
    details : mapping, optional
        What its entries say besides.
    """

    def __init__(
        self,
        change: Callable[[StudyState, Log], Callable[[StudyState], T]],
        *,
        always: bool,
        details: Mapping[str, Any] | None,
    ) -> None:
        self.change, self.always, self.details = change, always, details
        self.done = self.alone = False
        self._found: list[T] = []
        self._error: Exception | None = None

    def found(self, value: T) -> None:
        """Note what was seen; it counts once the transaction has ended."""
        self._found, self._error = [value], None

    def refused(self, error: Exception) -> None:
        """Note why nothing was changed."""
        self._found, self._error = [], error

    def outcome(self) -> T:
        """Return what was seen, or raise what was wrong."""
        if self._error is not None:
            raise self._error
        return self._found[0]


class Queue:
    """Changes that wait for their turn, first come first."""

    def __init__(self) -> None:
        self._waiting: deque[Turn[Any]] = deque()

    def add(self, turn: Turn[Any]) -> None:
        """Let somebody wait."""
        self._waiting.append(turn)

    def take(self, own: Turn[Any]) -> list[Turn[Any]]:
        """Take those that wait, among them one's own, or only that if it went wrong together with others."""
        if own.alone:
            return [own]
        taken: list[Turn[Any]] = []
        while self._waiting and (len(taken) < _AT_ONCE or own not in taken):
            taken.append(self._waiting.popleft())
        return taken


def settle(turns: list[Turn[Any]], error: Exception | None) -> None:
    """Say that turns are over; if their transaction failed by a fault of one, each is tried again alone.

    What is wrong with the database is so for all of them: nobody knows what became of the transaction.
    """
    alone = error is not None and len(turns) > 1 and not isinstance(error, StorageError)
    for turn in turns:
        turn.alone, turn.done = alone, not alone
        if error is not None:
            turn.refused(error)
