"""Who is asked about which row, and for how long: leases, and rows that a second annotator answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from activefs.engine import DrawProbability, Position
from activefs.storages import Event, Kind, Log
from activefs.study._journal import Journal
from activefs.study._records import Answer, Question
from activefs.study._rules import Person
from activefs.study._state import StudyState

if TYPE_CHECKING:
    from activefs.engine import Next

_QUESTIONS_AHEAD = 4
"""Of more open questions any may be answered first, and then all the others would have been computed in vain."""
_CLASSES_AHEAD = 10


class Questions(Journal):
    """Leases rows to annotators."""

    def open_questions(self, who: Person) -> list[Question]:
        """List the questions that somebody holds, latest first; none that could not be answered, being archived."""
        with self.reading() as state:
            return [] if state.archived else self._held_by(who, state)[::-1]

    def question(self, who: Person) -> Question | Next:
        """Give the question that somebody holds, or lease a new one; or say why there is none."""
        held = self.open_questions(who)
        return held[0] if held else self.ask(who)

    def ask(self, who: Person, *, most: int | None = None) -> Question | Next:
        """Lease a new question; or say why there is none.

        Whoever holds as many as `most` by then, because of other requests at the same time, gets the latest of these.

        The row is computed outside the transaction, so that answers of others need not wait for it. If they change the
        study in the meantime it is computed again while they wait, unless a model would have to learn for it. That
        happens whenever several people ask at once: then only the first of them computes outside.
        """
        for last in (False, False, True):
            with self.glancing() as before:
                if (why := self._why_nobody(before)) is not None:
                    return why
                position, second = before.position(self.clock()), self._second_for(before, who)
            found = self._found_first(position) if second is None else None
            leased = self._change(partial(self._leased, who, position, found, most=most, whatever_happened=last))
            if leased is not None:
                break
        assert leased is not None
        self.look_ahead()
        return leased

    def _found_first(self, position: Position) -> Next | None:
        """Find the next row if nobody else is asking; in any case, wait for the model, while nobody waits for us."""
        self.asker.prepare(position)
        if not self._asking.acquire(blocking=False):
            return None
        try:
            return self.asker.next(position)
        finally:
            self._asking.release()

    def _leased(
        self,
        who: Person,
        position: Position,
        found: Next | None,
        state: StudyState,
        log: Log,
        *,
        most: int | None,
        whatever_happened: bool,
    ) -> Question | Next | None:
        """Lease the row that was found for a position, or what takes its place now; None: to be computed again."""
        if (why := self._why_nobody(state)) is not None:
            return why
        if most is not None and len(held := self._held_by(who, state)) >= most:
            return held[-1]
        if (first := self._second_for(state, who)) is not None:
            asked = self._asked(who, first.row, about=first.id, details={"second": True})
            return Question.of(log.append([*self._expired(state), asked])[-1])
        here = state.position(self.clock())
        if found is None or here != position:
            if not whatever_happened and not self.asker.same_model(here, position):
                return None
            found = self.asker.next(here)
        if found.row is None:
            return found
        asked = self._asked(who, found.row, found.chance, details=self._draw_overlap(found.row))
        return Question.of(log.append([*self._expired(state), asked])[-1])

    def _second_for(self, state: StudyState, who: Person) -> Answer | None:
        """Find the first of the answers that await a second annotator, and which this person neither gave nor knows."""
        if not self.settings.overlap:
            return None
        waiting = state.overlap.waiting(state.told, self.clock())
        return next((answer for answer in waiting if not answer.is_known_to(who.name)), None)

    def _draw_overlap(self, row: int) -> dict[str, Any] | None:
        """Draw whether a second annotator is to answer a row; what is drawn depends on seed and row only."""
        if not self.settings.overlap:
            return None
        from activefs.seeds import stream

        share = float(self.settings.overlap)
        return {"overlap": share, "twice": bool(stream(self.settings.seed, 7, row).random() < share)}

    def _why_nobody(self, state: StudyState) -> Next | None:
        """Say why nobody is asked for now; None if people are."""
        from activefs.engine import Next

        if state.archived:
            return Next(None, "the study is archived", finished=True)
        return Next(None, "the study is paused: an owner can resume it") if state.paused else None

    def look_ahead(self) -> None:
        """Start computing what comes after every possible answer to the open questions."""
        with self._lock:
            here = self._state.position(self.clock())
            few = len(here.pending) <= _QUESTIONS_AHEAD
            labels = self.rules.classes(self._state).values[:_CLASSES_AHEAD] if few else ()
        ahead: list[Position] = []
        for row in here.pending if few else ():
            ahead += [here.answered(row, label) for label in labels]
            ahead.append(_sorted(here.passed_over(row)))
        self.asker.look_ahead(here, ahead)

    def renew(self, who: Person, question: int) -> Question:
        """Make the lease of a question longer for somebody who is at it; only if half of it is over."""
        lease = self._lease(who)

        def change(state: StudyState, log: Log) -> Callable[[StudyState], Question]:
            held, now = self.rules.renewable(state, who, question), self.clock()
            if held.until - now < lease / 2:
                log.append([Event(Kind.RENEWED, held.row, who.name, now, about=question, until=now + lease)])
            return lambda after: after.questions[question]

        return self._change_and_look(change)

    def release(self, who: Person, row: int | None = None) -> None:
        """Give back all questions that somebody holds, or the one about a row; an owner may do that for others."""

        def change(state: StudyState, log: Log) -> None:
            now = self.clock()
            if row is None:
                held = [q for q in state.held() if q.annotator == who.name]
            else:
                held = [self.rules.pending(state, who, row, now)]
            log.append([Event(Kind.EXPIRED, q.row, who.name, now, about=q.id) for q in held])

        self._change(change)

    def _held_by(self, who: Person, state: StudyState) -> list[Question]:
        """List the questions that somebody holds, in the order in which they were asked."""
        now = self.clock()
        return [q for q in state.held() if q.annotator == who.name and q.until > now]

    def _lease(self, who: Person) -> timedelta:
        return timedelta(seconds=self.settings.lease) if who.lease is None else who.lease

    def _asked(
        self,
        who: Person,
        row: int,
        chance: DrawProbability | None = None,
        *,
        about: int | None = None,
        details: dict[str, Any] | None = None,
    ) -> Event:
        now = self.clock()
        until = now + self._lease(who)
        return Event(Kind.ASKED, row, who.name, now, until=until, chance=chance, about=about, details=details)

    def _expired(self, state: StudyState) -> list[Event]:
        now = self.clock()
        return [
            Event(Kind.EXPIRED, q.row, q.annotator, now, about=q.id)
            for q in (*state.lapsed(now), *state.overlap.lapsed(now))
        ]


def _sorted(position: Position) -> Position:
    """Skipped rows in the order in which the state of a study has them."""
    return replace(position, skipped=tuple(sorted(position.skipped)))
