"""What people do in a study: every change is checked and logged in one transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from activefs._classes import ClassList
from activefs.exceptions import InvalidInputError, InvalidLabelError, NotAllowedError, NothingToUndo, StaleQuestionError
from activefs.storages import Event, Header, Kind, Label, Log, Origin, Role, Storage
from activefs.study._asker import Asker
from activefs.study._replay import Next, ReplaySession
from activefs.study._settings import Settings, check_label
from activefs.study._state import Answer, Position, Question, State
from activefs.study._table import StudyTable

_TRIES = 4
_QUESTIONS_AHEAD = 4
_CLASSES_AHEAD = 10


@dataclass(frozen=True)
class Person:
    """Who does something, and with which right."""

    name: str
    role: Role = Role.ANNOTATOR

    @property
    def is_owner(self) -> bool:
        """Whether everything may be changed."""
        return self.role is Role.OWNER


@dataclass(frozen=True)
class Imported:
    """A label from a file; None means that the row was skipped."""

    row: int
    label: Label | None
    annotator: str
    time: datetime
    asked: bool = False


class Engine:
    """A study at work; safe to use from many threads, and beside other processes on the same storage.

    Parameters
    ----------
    storage : Storage
        Where the study is kept.
    header : Header
        Its settings.
    table : StudyTable
        Its table.
    clock : callable
        Gives the time.
    """

    def __init__(
        self,
        storage: Storage,
        header: Header,
        table: StudyTable,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.storage = storage
        self.settings = Settings.from_json(header.settings)
        self.created = header.created
        self.table = table
        self.asker = Asker(ReplaySession(table.pool, self.settings, table.cost))
        self.clock = clock
        self._lock = threading.RLock()
        self._state = State()
        self._classes = ClassList(self.settings.classes)

    def close(self) -> None:
        """End the thread that computes ahead, and close the storage."""
        self.asker.close()
        self.storage.close()

    # --- reading ---

    @contextmanager
    def reading(self) -> Iterator[State]:
        """Give the state of now; it must not be kept or changed."""
        with self._lock:
            self._state.apply(self.storage.events(self._state.last))
            yield self._state

    def position(self) -> Position:
        """Say what the next question depends on now."""
        with self.reading() as state:
            return state.position(self.clock())

    def classes(self) -> tuple[Label, ...]:
        """List the labels to choose from: the fixed ones, or those that turned up, first come first."""
        if self.settings.classes is not None:
            return self.settings.classes
        with self.reading() as state:
            labels = (a.label for a in state.told.values())
            return tuple(dict.fromkeys(label for label in labels if label is not None))

    def open_questions(self, who: Person) -> list[Question]:
        """List the questions that somebody holds, latest first."""
        now = self.clock()
        with self.reading() as state:
            return [q for q in reversed(state.open.values()) if q.annotator == who.name and q.until > now]

    # --- asking ---

    def question(self, who: Person) -> Question | Next:
        """Give the question that somebody holds, or lease a new one; or say why there is none."""
        held = self.open_questions(who)
        return held[0] if held else self.ask(who)

    def ask(self, who: Person) -> Question | Next:
        """Lease a new question; or say why there is none.

        A row that takes long is computed outside the transaction, so that answers of others need not wait for it. If
        they change the study in the meantime it is computed again; after a few times in vain, while they wait.
        """
        for attempt in range(_TRIES):
            position = None if self.asker.quick or attempt == _TRIES - 1 else self.position()
            found = None if position is None else self.asker.next(position)
            with self._writing() as (state, log):
                here = state.position(self.clock())
                if found is None:
                    found = self.asker.next(here)
                elif here != position:
                    continue
                if found.row is None:
                    return found
                events = [*self._expired(state), self._asked(who, found.row)]
                number = log.append(events)[-1].id
            self.look_ahead()
            with self._lock:
                return self._state.questions[number]
        raise AssertionError("the last attempt always ends the loop")

    def look_ahead(self) -> None:
        """Start computing what comes after every possible answer to the open questions."""
        labels = self.classes()[:_CLASSES_AHEAD]
        with self._lock:
            here = self._state.position(self.clock())
        # Of many open questions any may be answered first, and then all the others were computed in vain.
        if self.asker.quick and len(here.pending) > _QUESTIONS_AHEAD:
            return
        ahead: list[Position] = []
        for row in here.pending[: -_QUESTIONS_AHEAD - 1 : -1]:
            ahead += [here.answered(row, label) for label in labels]
            ahead.append(here.passed_over(row))
        self.asker.look_ahead(ahead)

    # --- answering ---

    def answer(self, who: Person, question: int, label: Any, *, go_on: bool = False) -> Answer:
        """Take the answer to a question; the same answer again changes nothing.

        With `go_on`, the next question is leased in the same transaction if it was computed ahead, or if that is quick.
        """
        return self._respond(who, question, self.checked(label), go_on)

    def skip(self, who: Person, question: int, *, go_on: bool = False) -> Answer:
        """Take 'cannot tell' as the answer to a question."""
        return self._respond(who, question, None, go_on)

    def tell(self, who: Person, answers: Sequence[tuple[int, Any | None]]) -> None:
        """Take labels of rows (None: skip it), asked or not, unless somebody else holds one of them; all or none."""
        checked = [(row, None if label is None else self.checked(label)) for row, label in answers]
        with self._writing() as (state, log):
            new: dict[int, Label | None] = {}
            for row, value in checked:
                if self._is_news(state, who, row, value, new):
                    new[row] = value
            self._check_count(state, list(new.values()))
            now = self.clock()
            for row, value in new.items():
                held = state.open.get(row)
                about = held.id if held is not None and held.annotator == who.name else None
                kind = Kind.SKIPPED if value is None else Kind.LABELLED
                log.append([Event(kind, row, who.name, now, label=value, about=about)])

    def undo(self, who: Person, row: int | None = None, *, anyone: bool = False, lease: bool = True) -> Answer:
        """Take back an answer: the last one of this person (of all, with `anyone`), or that of a row.

        With `lease`, the row is leased to this person again, to be answered anew.
        """
        with self._writing() as (state, log):
            answers = state.answers(None if anyone else who.name)
            if row is not None:
                answers = [a for a in (state.answer_of(row),) if a is not None]
            if not answers:
                what = "" if row is None else f" for row {self.table.name_of(row)}"
                raise NothingToUndo(
                    f"there is no answer{'' if anyone or row is not None else ' of yours'}{what} to take back"
                )
            last = answers[-1]
            self._check_may_change(who, last)
            events = [Event(Kind.UNDONE, last.row, who.name, self.clock(), about=last.id)]
            log.append([*events, self._asked(who, last.row)] if lease else events)
        if lease:
            self.look_ahead()
        return last

    def correct(self, who: Person, row: int, label: Any) -> Answer:
        """Replace the label of a row; it keeps its place in the order."""
        value = self.checked(label)
        with self._writing() as (state, log):
            old = state.answer_of(row)
            if old is None:
                raise InvalidInputError(f"row {self.table.name_of(row)} has no answer that could be corrected")
            self._check_may_change(who, old)
            self._check_count(state, [value])
            if old.label != value:
                log.append([Event(Kind.CORRECTED, row, who.name, self.clock(), label=value, about=old.id)])
        with self._lock:
            return self._state.told[row]

    def release(self, who: Person) -> None:
        """Give back all questions that somebody holds."""
        with self._writing() as (state, log):
            mine = [q for q in state.open.values() if q.annotator == who.name]
            log.append([Event(Kind.EXPIRED, q.row, who.name, self.clock(), about=q.id) for q in mine])

    def import_answers(self, who: Person, answers: Sequence[Imported]) -> int:
        """Take labels that exist already, all or none; returns how many were new."""
        if not who.is_owner:
            raise NotAllowedError("only an owner of the study may import labels")
        with self._writing() as (state, log):
            new = [a for a in answers if self._is_new(state, a)]
            self._check_count(state, [a.label for a in new])
            now = self.clock()
            log.append(
                [
                    Event(
                        Kind.IMPORTED, a.row, who.name, now, label=a.label, origin=Origin(a.annotator, a.time, a.asked)
                    )
                    for a in new
                ]
            )
        return len(new)

    def checked(self, label: Any) -> Label:
        """Return the label as the study keeps it."""
        if isinstance(label, str) and self.settings.classes is not None and label not in self.settings.classes:
            # What a form or a file sends is text, whatever the classes are.
            label = next((c for c in self.settings.classes if str(c) == label.strip()), label)
        value: Label = self._classes.check(label)
        try:
            check_label(value)
        except InvalidInputError as error:
            raise InvalidLabelError(str(error)) from None
        return value

    # --- inside ---

    @contextmanager
    def _writing(self) -> Iterator[tuple[State, Log]]:
        """Run a transaction; what it adds joins the state when it is committed."""
        with self._lock:
            with self.storage.transaction() as log:
                self._state.apply(log.events(self._state.last))
                draft = _Draft(log)
                yield self._state, draft
            self._state.apply(draft.added)

    def _respond(self, who: Person, number: int, label: Label | None, go_on: bool) -> Answer:
        with self._writing() as (state, log):
            if (done := self._said_before(state, who, number, label)) is not None:
                return done
            question = self._held(state, who, number)
            self._check_count(state, [label])
            kind = Kind.SKIPPED if label is None else Kind.LABELLED
            here = state.position(self.clock())
            here = here.passed_over(question.row) if label is None else here.answered(question.row, label)
            log.append([Event(kind, question.row, who.name, self.clock(), label=label, about=number)])
            mine = [q for q in state.open.values() if q.annotator == who.name and q is not question]
            known = None
            if go_on and not mine:
                known = self.asker.next(here) if self.asker.quick else self.asker.known(here)
            if known is not None and known.row is not None:
                log.append([*self._expired(state), self._asked(who, known.row)])
        if known is not None:
            self.look_ahead()
        with self._lock:
            found = self._state.answer_of(question.row)
            assert found is not None
            return found

    def _said_before(self, state: State, who: Person, number: int, label: Label | None) -> Answer | None:
        """Find the answer that is said again, because the connection was lost before its receipt arrived."""
        end = state.ended.get(number)
        if end is None or end.about != number or end.annotator != who.name:
            return None
        found = state.answer_of(end.row)
        same = found is not None and found.id == end.id and end.label == label
        return found if same and end.kind in (Kind.LABELLED, Kind.SKIPPED) else None

    def _held(self, state: State, who: Person, number: int) -> Question:
        """Find an open question, or say why it is not open for this person."""
        question = state.questions.get(number)
        if question is None:
            raise StaleQuestionError(f"there is no question {number}: ask for one, and answer that")
        name = self.table.name_of(question.row)
        if question.annotator != who.name and not who.is_owner:
            raise NotAllowedError(
                f"question {number} was put to {question.annotator!r}: only they or an owner can answer"
            )
        end = state.ended.get(number)
        if end is None and question.until > self.clock():
            return question
        if end is None or end.kind is Kind.EXPIRED:
            raise StaleQuestionError(
                f"your time for row {name} was over at {_clock(question.until)} and the row went back to the others, "
                "so this answer was not kept. Please answer the question that is shown now"
            )
        if end.kind is Kind.ASKED:
            raise StaleQuestionError(f"row {name} was asked again in the meantime: answer its new question")
        raise StaleQuestionError(
            f"row {name} has been answered already (by {end.annotator!r}): correct that answer if it is wrong"
        )

    def _is_news(
        self, state: State, who: Person, row: int, value: Label | None, new: Mapping[int, Label | None]
    ) -> bool:
        """Whether this was not known before; an error if it contradicts what is known, or if somebody holds the row."""
        name = self.table.name_of(row)
        held = state.open.get(row)
        if held is not None and held.annotator != who.name and held.until > self.clock():
            raise StaleQuestionError(f"row {name} is being labelled by {held.annotator!r} until {_clock(held.until)}")
        told = state.told.get(row)
        if told is None and row not in new:
            return value is not None or row not in state.skipped
        known = new[row] if told is None else told.label
        if known == value:
            return False
        if value is None:
            raise InvalidInputError(f"row {name} has a label; take it back with undo() before skipping the row")
        raise InvalidLabelError(
            f"row {name} already has the label {known!r}, now it is told {value!r}; use correct() to change it"
        )

    def _check_may_change(self, who: Person, answer: Answer) -> None:
        if answer.annotator != who.name and not who.is_owner:
            raise NotAllowedError(
                f"row {self.table.name_of(answer.row)} was answered by {answer.annotator!r}: only they or an owner of "
                "the study can change that"
            )

    def _check_count(self, state: State, labels: Sequence[Label | None]) -> None:
        """Refuse labels that are numbers or names rather than classes, as a session does."""
        if self.settings.classes is not None:
            return
        known = ClassList()
        for answer in state.told.values():
            known.code(answer.label)
        known.check_growth([label for label in labels if label is not None], len(state.told))

    def _is_new(self, state: State, answer: Imported) -> bool:
        old = state.answer_of(answer.row)
        if old is None or (old.label is None and answer.label is not None):
            return True
        if old.label != answer.label:
            raise InvalidLabelError(
                f"row {self.table.name_of(answer.row)} has the label {old.label!r} in the study and "
                f"{'none' if answer.label is None else repr(answer.label)} in the file; nothing was imported. "
                "Correct one of them first"
            )
        return False

    def _asked(self, who: Person, row: int) -> Event:
        now = self.clock()
        return Event(Kind.ASKED, row, who.name, now, until=now + timedelta(seconds=self.settings.lease))

    def _expired(self, state: State) -> list[Event]:
        now = self.clock()
        return [Event(Kind.EXPIRED, q.row, q.annotator, now, about=q.id) for q in state.lapsed(now)]


class _Draft(Log):
    """The log of a transaction, and what was added in it."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.added: list[Event] = []

    def events(self, after: int = 0) -> list[Event]:
        return self._log.events(after)

    def append(self, events: Sequence[Event]) -> list[Event]:
        added = self._log.append(events)
        self.added += added
        return added


def _clock(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%H:%M:%S UTC")
