"""The state of a study: a pure function of its log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from activefs.engine import DrawProbability, Move, Position, Told, extended
from activefs.storages import Event, Kind, Label
from activefs.study._overlap import Overlap
from activefs.study._records import Answer, Correction, Question, Settlement

_OF_THE_STUDY = {Kind.PAUSED, Kind.RESUMED, Kind.ARCHIVED, Kind.RESTORED, Kind.NOTIFIED}

_LAST = 50
"""Labels by which one sees who labels at the same time."""


class StudyState:
    """What the log amounts to, brought up to date entry by entry.

    Parameters
    ----------
    events : iterable of Event
        Entries of the log.
    class_of : callable, optional
        Makes of a label what the engine is told; by default, the label itself.

    Attributes
    ----------
    last : int
        Number of the last entry.
    told, skipped : dict of int to Answer
        Labelled rows in the order of their labels; rows set aside.
    open : dict of int to Question
        Leased rows, in the order in which they were asked.
    ended : dict of int to Event
        How each question that is no longer open came to its end.
    questions : dict of int to Question
        All questions that were ever asked, by number.
    overlap : Overlap
        Rows that a second annotator answers.
    paused, archived : bool
        Whether nobody is asked for now; whether nothing may be changed.

    Examples
    --------
    >>> from datetime import UTC
    >>> now = datetime(2024, 5, 1, tzinfo=UTC)
    >>> state = StudyState()
    >>> state.apply([Event(Kind.ASKED, 7, "ana", now, until=now, id=1)])
    >>> state.position().pending
    (7,)
    >>> state.apply([Event(Kind.LABELLED, 7, "ana", now, label="ill", about=1, id=2)])
    >>> state.position().told
    (Told(row=7, label='ill', asked=True),)
    """

    def __init__(self, events: Iterable[Event] = (), class_of: Callable[[Label], Label] | None = None) -> None:
        self.last = 0
        self._class_of = class_of
        self.told: dict[int, Answer] = {}
        self.skipped: dict[int, Answer] = {}
        self.open: dict[int, Question] = {}
        self.questions: dict[int, Question] = {}
        self.ended: dict[int, Event] = {}
        self.paused = self.archived = False
        self.overlap = Overlap()
        self._asked: set[int] = set()
        self._moves: tuple[Move, ...] = ()
        self._position: tuple[tuple[int, list[int]], Position] | None = None  # asked for often, and long
        self.apply(events)

    def apply(self, events: Iterable[Event]) -> None:
        """Take further entries of the log; those known already are passed over."""
        for event in events:
            if event.id <= self.last:
                continue
            if event.id != self.last + 1:
                raise ValueError(f"entry {event.id} of the log came after entry {self.last}")
            self._apply(event)
            self.last = event.id

    def position(self, now: datetime | None = None) -> Position:
        """Say what the next question depends on; with a time, as if leases that ended before were given back."""
        over = [] if now is None else [q.row for q in self.lapsed(now)]
        if self._position is None or self._position[0] != (self.last, over):
            self._position = (self.last, over), self._position_without(over)
        return self._position[1]

    def _position_without(self, over: list[int]) -> Position:
        """Make the position as if these rows were given back."""
        pending = tuple(row for row in self.open if row not in over)
        told = tuple(self.overlap.told(answer, self.told) for answer in self.told.values())
        moves = extended(self._moves, [Move(row, opens=True) for row in over])
        return Position(told, pending, tuple(sorted(self.skipped)), moves, self._together())

    def _together(self) -> int:
        """Say how many people label now: as far as the last labels tell, which anybody can read in the log."""
        return max(1, len({answer.annotator for answer in islice(reversed(self.told.values()), _LAST)}))

    def lapsed(self, now: datetime) -> list[Question]:
        """List questions whose lease has run out, but which nobody took yet."""
        return [q for q in self.open.values() if q.until <= now]

    def answer_of(self, row: int) -> Answer | None:
        """Find the label or the skip of a row."""
        return self.told.get(row) or self.skipped.get(row)

    def answer_to(self, question: Question) -> Answer | None:
        """Find the label or the skip that answers a question, of whoever gave it: the first one, or the second."""
        return self.overlap.answers.get(question.row) if question.second else self.answer_of(question.row)

    def answer_by(self, annotator: str, row: int) -> Answer | None:
        """Find what somebody said about a row."""
        found = (self.answer_of(row), self.overlap.answers.get(row))
        return next((answer for answer in found if answer is not None and answer.annotator == annotator), None)

    def holder(self, question: Question) -> Question | None:
        """Find the open question in whose place this one was put, or which came in its place."""
        return (self.overlap.open if question.second else self.open).get(question.row)

    def held(self) -> list[Question]:
        """List all open questions, also those whose lease has run out, in the order in which they were asked."""
        return sorted([*self.open.values(), *self.overlap.open.values()], key=lambda question: question.id)

    def answers(self, annotator: str | None = None) -> list[Answer]:
        """List labels and skips, latest last, of one annotator or of all; second answers, too."""
        found = [*self.told.values(), *self.skipped.values(), *self.overlap.answers.values()]
        return sorted((a for a in found if annotator in (None, a.annotator)), key=lambda a: a.id)

    # --- one method per kind of event ---

    def _apply(self, event: Event) -> None:
        if event.kind in _OF_THE_STUDY:
            self.paused = event.kind is Kind.PAUSED or (self.paused and event.kind is not Kind.RESUMED)
            self.archived = event.kind is Kind.ARCHIVED or (self.archived and event.kind is not Kind.RESTORED)
        elif event.kind is Kind.ASKED:
            self._ask(event)
        elif event.kind is Kind.RENEWED:
            self._renew(event)
        elif event.kind is Kind.EXPIRED:
            self._expire(event)
        elif event.kind is Kind.CORRECTED:
            self._correct(event)
        elif event.kind is Kind.SETTLED:
            self._settle(event)
        elif event.kind is Kind.UNDONE:
            self._undo(event)
        elif self._is_second(event):
            self._answer_second(event)
        else:
            self._answer(event)

    def _ask(self, event: Event) -> None:
        question = self.questions[event.id] = Question.of(event)
        if question.second:
            self._end_second(event)
            self.overlap.open[event.row] = question
            return
        self._leave(event.row, event.chance)
        self._end(event)  # a lease that is renewed
        self.open[event.row] = question
        self._asked.add(event.row)
        if (event.details or {}).get("twice", False):
            self.overlap.drawn[event.row] = None

    def _expire(self, event: Event) -> None:
        if event.about is not None and event.about in self.questions and self.questions[event.about].second:
            self._end_second(event)
        else:
            self._return(event.row)
            self._end(event)

    def _undo(self, event: Event) -> None:
        row, overlap = event.row, self.overlap
        second = overlap.answers.get(row)
        overlap.settled.pop(row, None)
        overlap.changed()
        if second is not None and (second.id == event.about or second.label is None):
            del overlap.answers[row]
            if second.id == event.about:
                return
        elif second is not None and row in self.told:
            # The first answer is taken back, and the second stays: it is the first one now, in the same place.
            self.told[row] = replace(overlap.answers.pop(row), second=False, asked=self.told[row].asked)
            return
        self._end_second(event)
        self._return(row)
        self.told.pop(row, None)
        self.skipped.pop(row, None)

    def _renew(self, event: Event) -> None:
        for place in (self.open, self.overlap.open):
            question = place.get(event.row)
            if question is not None and question.id == event.about and event.until is not None:
                place[event.row] = self.questions[question.id] = replace(question, until=event.until)

    def _answer(self, event: Event) -> None:
        self._leave(event.row)
        self._end(event)
        answer = self._answer_of(event)
        self.skipped.pop(event.row, None)
        if answer.label is None:
            self.skipped[event.row] = answer
        else:
            self.told[event.row] = answer
            if (event.details or {}).get("twice", False):  # as it was drawn where the label comes from
                self.overlap.drawn[event.row] = None
            if event.row in self.overlap.answers:
                self.overlap.changed()

    def _is_second(self, event: Event) -> bool:
        question = None if event.about is None else self.questions.get(event.about)
        return bool((event.details or {}).get("second", False)) if question is None else question.second

    def _answer_second(self, event: Event) -> None:
        self._end_second(event)
        self.overlap.answers[event.row] = replace(self._answer_of(event), second=True)
        self.overlap.changed()

    def _settle(self, event: Event) -> None:
        assert event.label is not None
        told = self._told(event.row, event.label, self.told[event.row].asked)
        who, when = (
            (event.annotator, event.time) if (origin := event.origin) is None else (origin.annotator, origin.time)
        )
        self.overlap.settled[event.row] = Settlement(event.id, event.row, event.label, who, when, told)
        self.overlap.changed()

    def _answer_of(self, event: Event) -> Answer:
        origin, said = event.origin, event.details or {}
        question = None if event.about is None else self.questions.get(event.about)
        asked = origin.asked if origin is not None else event.row in self._asked
        annotator, correction = event.annotator if origin is None else origin.annotator, _imported_correction(said)
        return Answer(
            id=event.id,
            row=event.row,
            label=event.label,
            annotator=annotator,
            time=event.time if origin is None else origin.time,
            asked=asked,
            told=self._told(event.row, event.label, asked),
            question=event.about,
            correction=correction,
            note=str(said.get("note", "")),
            flagged=bool(said.get("flag", False)),
            seconds=_seconds(question, event),
            before=self._before(event.row, annotator, correction, asked),
        )

    def _correct(self, event: Event) -> None:
        assert event.label is not None
        self.overlap.changed()
        second = self.overlap.answers.get(event.row)
        if second is not None and second.id == event.about:
            self.overlap.answers[event.row] = self._corrected(second, event)
            return
        old = self.skipped.pop(event.row, None) or self.told[event.row]
        # A label keeps its place in the order; a row that had been skipped joins at the end.
        self.told[event.row] = self._corrected(old, event)
        self._end(event)

    def _corrected(self, old: Answer, event: Event) -> Answer:
        """Correct an answer; what is noted as its past is the first answer, however often it was corrected before."""
        first = old.label if old.correction is None else old.correction.label
        correction = Correction(first, event.annotator, event.time)
        told = self._told(event.row, event.label, old.asked)
        before = self._before(event.row, old.annotator, correction, old.asked)
        return replace(old, label=event.label, told=told, correction=correction, before=before)

    def _before(self, row: int, annotator: str, correction: Correction | None, asked: bool) -> Told | None:
        """Say what an annotator said, if somebody else corrected it."""
        if correction is None or correction.annotator == annotator:
            return None
        return self._told(row, correction.label, asked)

    def _told(self, row: int, label: Label | None, asked: bool) -> Told:
        return Told(row, "" if label is None else label if self._class_of is None else self._class_of(label), asked)

    def _is_open(self, row: int) -> bool:
        return row not in self.told and row not in self.skipped and row not in self.open

    def _leave(self, row: int, chance: DrawProbability | None = None) -> None:
        """Note that a row is not open any more, if it was."""
        if self._is_open(row):
            self._moves = extended(self._moves, [Move(row, chance=chance)])

    def _return(self, row: int) -> None:
        """Note that a row is open again, if it was not."""
        if not self._is_open(row):
            self._moves = extended(self._moves, [Move(row, opens=True)])

    def _end_second(self, event: Event) -> None:
        question = self.overlap.open.pop(event.row, None)
        if question is not None:
            self.ended[question.id] = event

    def _end(self, event: Event) -> None:
        question = self.open.pop(event.row, None)
        if question is not None:
            self.ended[question.id] = event


def _imported_correction(said: dict[str, Any]) -> Correction | None:
    found = said.get("correction")
    if found is None:
        return None
    return Correction(found["label"], found["annotator"], datetime.fromisoformat(found["time"]))


def _seconds(question: Question | None, event: Event) -> float | None:
    if question is None or question.annotator != event.annotator:
        return None
    return max(0.0, (event.time - question.asked).total_seconds())
