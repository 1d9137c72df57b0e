"""What people do in a study: every change is checked and logged in one transaction; what is allowed is in `_rules`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from activefs.exceptions import InvalidInputError, NotAllowedError, NothingToUndo
from activefs.storages import Event, Header, Kind, Label, Log, Origin, RowName, Storage
from activefs.study._asker import Asker
from activefs.study._replay import Next, ReplaySession, new_session
from activefs.study._rules import Imported, Person, Rules
from activefs.study._settings import Settings
from activefs.study._state import Answer, Position, Question, State
from activefs.study._table import StudyTable

_TRIES = 4
_QUESTIONS_AHEAD = 4
_CLASSES_AHEAD = 10


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
        self.asker = Asker(new_session(table, self.settings))
        self.clock = clock
        self._lock = threading.RLock()
        self._state = State()
        self.rules = Rules(self.settings, table)

    def new_session(self) -> ReplaySession:
        """Make another session of the study."""
        return new_session(self.table, self.settings)

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

    def cost(self, rows: Sequence[int]) -> float | None:
        """Say what the labels of these rows cost together; None if labels have no price."""
        return None if self.table.cost is None else float(self.table.cost[list(rows)].sum())

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
        return self._respond(who, question, self.rules.checked(label), go_on)

    def skip(self, who: Person, question: int, *, go_on: bool = False) -> Answer:
        """Take 'cannot tell' as the answer to a question."""
        return self._respond(who, question, None, go_on)

    def tell(self, who: Person, answers: Sequence[tuple[int, Any | None]]) -> None:
        """Take labels of rows (None: skip it), asked or not, unless somebody else holds one of them; all or none."""
        checked = [(row, None if label is None else self.rules.checked(label)) for row, label in answers]
        with self._writing() as (state, log):
            new: dict[int, Label | None] = {}
            now = self.clock()
            for row, value in checked:
                if self.rules.is_news(state, who, row, value, new, now):
                    new[row] = value
            self.rules.check_count(state, list(new.values()))
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
            self.rules.check_may_change(who, last)
            events = [Event(Kind.UNDONE, last.row, who.name, self.clock(), about=last.id)]
            log.append([*events, self._asked(who, last.row)] if lease else events)
        if lease:
            self.look_ahead()
        return last

    def correct(self, who: Person, row: int, label: Any) -> Answer:
        """Replace the label of a row; it keeps its place in the order."""
        value = self.rules.checked(label)
        with self._writing() as (state, log):
            old = state.answer_of(row)
            if old is None:
                raise InvalidInputError(f"row {self.table.name_of(row)} has no answer that could be corrected")
            self.rules.check_may_change(who, old)
            self.rules.check_count(state, [value])
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
            new = [a for a in answers if self.rules.is_new(state, a)]
            self.rules.check_count(state, [a.label for a in new])
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
            if (done := self.rules.said_before(state, who, number, label)) is not None:
                return done
            question = self.rules.held(state, who, number, self.clock())
            self.rules.check_count(state, [label])
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

    def name_rows(self, names: Mapping[int, RowName]) -> None:
        self._log.name_rows(names)
