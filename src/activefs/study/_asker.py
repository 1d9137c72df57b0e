"""The next question: computed when it is needed, or before, while people think."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from activefs.engine import Engine, Next, Position, Told
    from activefs.study._teacher import Teacher

T = TypeVar("T")

_KEPT = 128  # answers remembered
_LESSONS = 4  # as many as a model surely remembers
_AHEAD = 64  # positions thought of ahead at one time


class Asker:
    """Finds the next row for a position; one computation at a time.

    Parameters
    ----------
    engine : Engine
        What computes.
    teacher : Teacher, optional
        Lets the model learn in another process, where more than a few people label.

    Notes
    -----
    A thread computes ahead what was announced with :meth:`look_ahead`, newest announcement first. It lets go of the
    engine between two positions, and while a model learns, so a question that was not foreseen waits for one of them
    at the most. What is answered does not depend on how far the thread has come: only the time does.
    """

    def __init__(self, engine: Engine, teacher: Teacher | None = None) -> None:
        self._engine, self._teacher = engine, teacher
        self._teaching = threading.Lock()
        self._busy = threading.Lock()
        self._known: OrderedDict[Position, Next] = OrderedDict()
        self._wanted: list[Position] = []
        self._to_learn: Position | None = None
        self._lesson: tuple[Told, ...] = ()
        self._learnt: deque[tuple[Told, ...]] = deque(maxlen=_LESSONS)
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

    def prepare(self, position: Position) -> None:
        """Wait until the model knows what the next row depends on; others may use the engine meanwhile."""
        lesson = self._engine.learnt_at(position)
        if lesson and lesson not in self._learnt:
            self._teach(position, lesson)

    def same_model(self, one: Position, other: Position) -> bool:
        """Whether the next row is chosen by the same model at two positions."""
        return self._engine.learnt_at(one) == self._engine.learnt_at(other)

    def look_ahead(self, here: Position, positions: Iterable[Position]) -> None:
        """Let the model learn from the labels of here, then compute the others, instead of what was announced before.

        All in the background.
        """
        wanted = [p for p in list(positions)[:_AHEAD] if p not in self._known]
        with self._news:
            self._wanted = wanted
            if self._is_news(here):
                self._to_learn = here
            if self._thread is None and (wanted or self._to_learn) and not self._closed:
                self._thread = threading.Thread(target=self._work, name="activefs-ahead", daemon=True)
                self._thread.start()
            self._news.notify_all()

    def settle(self, timeout: float = 60.0) -> bool:
        """Wait until nothing is left to be computed ahead; returns whether that is so."""
        with self._news:
            return self._news.wait_for(lambda: not self._wanted and self._to_learn is None, timeout)

    def close(self) -> None:
        """End the thread."""
        with self._news:
            self._closed = True
            self._wanted, self._to_learn = [], None
            self._news.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(timeout=10)

    def _is_news(self, here: Position) -> bool:
        """Whether something can be learnt from the labels of here that was not taught before."""
        lesson = _lesson_of(here)
        same, self._lesson = lesson == self._lesson, lesson
        return not same

    def _find(self, engine: Engine, position: Position) -> Next:
        if (found := self._known.get(position)) is None:  # else somebody was faster
            found = self._known[position] = engine.next(position)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return found

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: bool(self._wanted) or self._to_learn is not None or self._closed)
                if self._closed:
                    return
                lesson, position = self._to_learn, self._wanted[0] if self._wanted else None
            with suppress(Exception):  # whoever asks for this position will see the error; the thread must go on
                if lesson is not None:
                    self._learn(lesson)
                elif position is not None:
                    self.next(position)
            with self._news:
                if lesson is not None and self._to_learn is lesson:
                    self._to_learn = None
                elif lesson is None and self._wanted and self._wanted[0] is position:
                    del self._wanted[0]
                self._news.notify_all()

    def _learn(self, position: Position) -> None:
        self._teach(position, _lesson_of(position))

    def _teach(self, position: Position, lesson: tuple[Told, ...]) -> None:
        from activefs.model import FEW

        # More people than a few would wait while this process learns.
        apart = self._teacher.learn if self._teacher is not None and position.together > FEW else None
        with self._teaching:  # others wait for what is learnt now, and then find it; whoever asks may use the engine
            if lesson not in self._learnt:
                self.at(position, lambda engine, where: engine.lesson(where, len(lesson), apart))()
                self._learnt.append(lesson)


def _lesson_of(position: Position) -> tuple[Told, ...]:
    """Labels from which a model has learnt when questions after a position need it."""
    from activefs.model import lesson_at  # loads much, which most commands do not need

    return position.told[: lesson_at(len(position.told), position.together)]
