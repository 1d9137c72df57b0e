"""The next question: computed when it is needed, or before, while people think."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from activefs.study._replay import Next, ReplaySession
from activefs.study._state import Position

T = TypeVar("T")

_KEPT = 512  # answers remembered
_AHEAD = 64  # positions thought of ahead at one time
_QUICK = 0.01  # seconds that others may well wait for a row to be computed


class Asker:
    """Finds the next row for a position; one computation at a time.

    Parameters
    ----------
    session : ReplaySession
        The session that computes.

    Notes
    -----
    A thread computes ahead what was announced with :meth:`look_ahead`, newest announcement first. It lets go of the
    session between two positions, so a question that was not foreseen waits for one of them at the most.
    """

    def __init__(self, session: ReplaySession) -> None:
        self._session = session
        self._busy = threading.Lock()
        self._known: OrderedDict[Position, Next] = OrderedDict()
        self._wanted: list[Position] = []
        self._news = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._pace = float("inf")

    @property
    def quick(self) -> bool:
        """Whether a row is computed in no time, as far as known."""
        return self._pace < _QUICK

    def known(self, position: Position) -> Next | None:
        """Look up what was computed already."""
        return self._known.get(position)

    def next(self, position: Position) -> Next:
        """Find the next row, or why there is none."""
        if (found := self._known.get(position)) is not None:
            return found
        return self.at(position, lambda session: self._find(position, session))

    def at(self, position: Position, look: Callable[[ReplaySession], T]) -> T:
        """Lead the session to a position and look at it there."""
        with self._busy:
            self._session.go_to(position)
            return look(self._session)

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

    def _find(self, position: Position, session: ReplaySession) -> Next:
        if (found := self._known.get(position)) is not None:  # somebody was faster
            return found
        start = time.perf_counter()
        found = self._known[position] = session.next()
        spent = time.perf_counter() - start
        # The first computation compiles or loads kernels, and some are slower than others: the mean of the last few.
        self._pace = spent if self._pace == float("inf") else 0.8 * self._pace + 0.2 * spent
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
