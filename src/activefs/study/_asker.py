"""The next question: computed when it is needed, or before, while people think."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from activefs.engine import Engine, Next, Position

T = TypeVar("T")

_KEPT = 512  # answers remembered
_AHEAD = 64  # positions thought of ahead at one time


class Asker:
    """Finds the next row for a position; one computation at a time.

    Parameters
    ----------
    engine : Engine
        What computes.

    Notes
    -----
    A thread computes ahead what was announced with :meth:`look_ahead`, newest announcement first. It lets go of the
    engine between two positions, so a question that was not foreseen waits for one of them at the most. What is
    answered does not depend on how far the thread has come: only the time does.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._busy = threading.Lock()
        self._known: OrderedDict[Position, Next] = OrderedDict()
        self._wanted: list[Position] = []
        self._news = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def next(self, position: Position) -> Next:
        """Find the next row, or why there is none."""
        if (found := self._known.get(position)) is not None:
            return found
        return self.at(position, self._find)

    def at(self, position: Position, look: Callable[[Engine, Position], T]) -> T:
        """Let the engine answer something about a position."""
        with self._busy:
            return look(self._engine, position)

    def look_ahead(self, positions: Iterable[Position]) -> None:
        """Compute these in the background, instead of what was announced before."""
        wanted = [p for p in list(positions)[:_AHEAD] if p not in self._known]
        with self._news:
            self._wanted = wanted
            if self._thread is None and wanted and not self._closed:
                self._thread = threading.Thread(target=self._work, name="activefs-ahead", daemon=True)
                self._thread.start()
            self._news.notify_all()

    def settle(self, timeout: float = 60.0) -> bool:
        """Wait until nothing is left to be computed ahead; returns whether that is so."""
        with self._news:
            return self._news.wait_for(lambda: not self._wanted, timeout)

    def close(self) -> None:
        """End the thread."""
        with self._news:
            self._closed = True
            self._wanted = []
            self._news.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(timeout=10)

    def _find(self, engine: Engine, position: Position) -> Next:
        if (found := self._known.get(position)) is None:  # else somebody was faster
            found = self._known[position] = engine.next(position)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return found

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: bool(self._wanted) or self._closed)
                if self._closed:
                    return
                position = self._wanted[0]
            with suppress(Exception):  # whoever asks for this position will see the error; the thread must go on
                self.next(position)
            with self._news:
                if self._wanted and self._wanted[0] is position:
                    del self._wanted[0]
                self._news.notify_all()
