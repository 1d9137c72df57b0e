"""What people do in a study: every change is checked and logged in one transaction; what is allowed is in `_rules`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from activefs.engine import DrawProbability, Position
from activefs.exceptions import InvalidInputError, NotAllowedError, NothingToUndo
from activefs.storages import NO_ROW, Event, Header, Kind, Label, Log, Origin, RowName, Storage
from activefs.study._asker import Asker
from activefs.study._names import RowNames
from activefs.study._records import Answer, Question
from activefs.study._rules import Imported, Person, Rules, same_class
from activefs.study._settings import StudySettings
from activefs.study._state import StudyState

if TYPE_CHECKING:
    from activefs.engine import ClassList, Engine, Next
    from activefs.study._table import StudyTable

T = TypeVar("T")

_QUESTIONS_AHEAD = 4
"""Of more open questions any may be answered first, and then all the others would have been computed in vain."""
_CLASSES_AHEAD = 10


class StudyEngine:
    """A study at work; safe to use from many threads, and beside other processes on the same storage.

    The table is read when something needs it: questions do, most other things do not.

    Parameters
    ----------
    storage : Storage
        Where the study is kept.
    header : Header
        Its settings.
    table : callable
        Reads the table; called once, when it is needed.
    clock : callable
        Gives the time.
    """

    def __init__(
        self,
        storage: Storage,
        header: Header,
        table: Callable[[], StudyTable],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.storage = storage
        self.settings = StudySettings.from_json(header.settings)
        self.created = header.created
        self.fingerprint = header.fingerprint
        self.clock = clock
        self._open_table = table
        self._table: StudyTable | None = None
        self._asker: Asker | None = None
        self._loading = threading.RLock()
        self._lock = threading.RLock()
        self._asking = threading.Lock()
        self._noted: ContextVar[Mapping[str, Any] | None] = ContextVar("noted", default=None)
        ids = None if self.settings.id_column is None else lambda: self.table.ids or ()
        self.names = RowNames(storage, self.n_rows, ids)
        self.rules = Rules(self.settings, self.names)
        # The engine knows ranges only, so that the next row can be computed before the number is known.
        self._state = StudyState(class_of=None if self.rules.ranges is None else self.rules.ranges.class_of)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.fingerprint["rows"])

    @property
    def table(self) -> StudyTable:
        """The table; read when it is asked for first."""
        with self._loading:
            if self._table is None:
                self._table = self._open_table()
            return self._table

    @property
    def asker(self) -> Asker:
        """Who finds the next question; made when it is asked for first."""
        with self._loading:
            if self._asker is None:
                self._asker = Asker(self.new_engine())
            return self._asker

    def new_engine(self) -> Engine:
        """Make another engine of the study; all of them share the model, which takes a while to prepare."""
        from activefs.engine import Engine

        table = self.table
        engine = Engine(self.settings.session_options, table.pool, cost=table.cost, assistant=table.assistant)
        table.assistant = engine.assistant
        return engine

    def close(self) -> None:
        """End the thread that computes ahead, and close the storage."""
        if self._asker is not None:
            self._asker.close()
        self.storage.close()

    # --- reading ---

    @contextmanager
    def reading(self) -> Iterator[StudyState]:
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
        if (fixed := self.rules.fixed) is not None:
            return fixed.values
        with self.reading() as state:
            return self.rules.classes(state).values

    def caution(self) -> str:
        """Say that the labels look like a measurement; nothing if they do not."""
        with self.reading() as state:
            return self.rules.classes(state).caution(len(state.told))

    def cost(self, rows: Sequence[int]) -> float | None:
        """Say what the labels of these rows cost together; None if labels have no price."""
        if self.settings.cost is None:
            return None
        assert self.table.cost is not None
        return float(self.table.cost[list(rows)].sum())

    def open_questions(self, who: Person) -> list[Question]:
        """List the questions that somebody holds, latest first."""
        now = self.clock()
        with self.reading() as state:
            return [q for q in reversed(state.held()) if q.annotator == who.name and q.until > now]

    # --- asking ---

    def question(self, who: Person) -> Question | Next:
        """Give the question that somebody holds, or lease a new one; or say why there is none."""
        held = self.open_questions(who)
        return held[0] if held else self.ask(who)

    def ask(self, who: Person) -> Question | Next:
        """Lease a new question; or say why there is none.

        The row is computed outside the transaction, so that answers of others need not wait for it; whoever asks as
        well does, since their question depends on this one. If answers change the study in the meantime it is computed
        again while they wait, unless a model would have to learn for it.
        """
        with self._asking:
            for last in (False, False, True):
                with self.reading() as before:
                    if (why := self._why_nobody(before)) is not None:
                        return why
                    position, second = before.position(self.clock()), self._second_for(before, who)
                found = self.asker.next(position) if second is None else None
                leased = self._change(partial(self._leased, who, position, found, whatever_happened=last))
                if leased is not None:
                    break
        assert leased is not None
        self.look_ahead()
        return leased

    def _leased(
        self,
        who: Person,
        position: Position,
        found: Next | None,
        state: StudyState,
        log: Log,
        *,
        whatever_happened: bool,
    ) -> Question | Next | None:
        """Lease the row that was found for a position, or what takes its place now; None: to be computed again."""
        if (why := self._why_nobody(state)) is not None:
            return why
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
        """Find the first of the answers that await a second annotator, and are not this person's own."""
        if not self.settings.overlap:
            return None
        waiting = state.overlap.waiting(state.told, self.clock())
        return next((answer for answer in waiting if answer.annotator != who.name), None)

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

    # --- answering ---

    def answer(
        self, who: Person, question: int, label: Any, *, text: bool = False, note: str | None = None, flag: bool = False
    ) -> Answer:
        """Take the answer to a question; the same answer again changes nothing.

        Parameters
        ----------
        who : Person
            Who answers.
        question : int
            Number of the question.
        label : str, int, float or bool
            The answer.
        text : bool
            Whether the label was typed, so that "1" may mean 1.
        note, flag : str, bool
            What the annotator wants to say about it; whether somebody should look at it.
        """
        return self._respond(who, question, label, text=text, details=self._remarks(note, flag))

    def skip(self, who: Person, question: int, *, note: str | None = None, flag: bool = False) -> Answer:
        """Take 'cannot tell' as the answer to a question."""
        return self._respond(who, question, None, details=self._remarks(note, flag))

    def tell(self, who: Person, answers: Sequence[tuple[int, Any | None]]) -> None:
        """Take labels of rows (None: skip it), asked or not, unless somebody else holds one of them; all or none."""

        def change(state: StudyState, log: Log) -> None:
            classes = self.rules.classes(state)
            new: dict[int, Label | None] = {}
            now = self.clock()
            seconds: list[Event] = []
            for row, label in answers:
                value = None if label is None else self.rules.checked(classes, label)
                second = state.overlap.open.get(row)
                if second is not None and second.annotator == who.name:
                    kind = Kind.SKIPPED if value is None else Kind.LABELLED
                    seconds.append(Event(kind, row, who.name, now, label=value, about=second.id))
                elif self.rules.is_news(state, classes, who, row, value, new, now):
                    new[row] = value
            classes.check_growth([label for label in new.values() if label is not None], len(state.told))
            events = seconds
            for row, value in new.items():
                held = state.open.get(row)
                about = held.id if held is not None and held.annotator == who.name else None
                kind = Kind.SKIPPED if value is None else Kind.LABELLED
                events.append(Event(kind, row, who.name, now, label=value, about=about))
            log.append(events)

        self._change(change)

    def undo(
        self,
        who: Person,
        row: int | None = None,
        *,
        answer: int | None = None,
        anyone: bool = False,
        lease: bool = True,
    ) -> Answer:
        """Take back an answer: the last one of this person (of all, with `anyone`), that of a row, or that of a number.

        With `lease`, the row is leased to this person again, to be answered anew.
        """

        def change(state: StudyState, log: Log) -> Answer:
            answers = state.answers(None if anyone else who.name)
            if row is not None:
                answers = [a for a in (state.answer_by(who.name, row) or state.answer_of(row),) if a is not None]
            if answer is not None:
                answers = [a for a in state.answers() if a.id == answer]
            if not answers:
                what = "" if row is None else f" for row {self.names.of(row)}"
                raise NothingToUndo(
                    f"there is no answer{'' if anyone or row is not None else ' of yours'}{what} to take back"
                )
            last = answers[-1]
            self.rules.check_may_change(who, last)
            events = [Event(Kind.UNDONE, last.row, who.name, self.clock(), about=last.id)]
            log.append([*events, *self._asked_again(who, state, last)] if lease else events)
            return last

        taken = self._change(change)
        if lease:
            self.look_ahead()
        return taken

    def _asked_again(self, who: Person, state: StudyState, taken: Answer) -> list[Event]:
        """Lease the row of an answer that is taken back; if another answer stays, this person's will be the second."""
        others = (state.told.get(taken.row), state.overlap.answers.get(taken.row))
        other = next((a for a in others if a is not None and a.id != taken.id and a.label is not None), None)
        if other is None:
            return [self._asked(who, taken.row)]
        if other.annotator == who.name:
            return []
        return [self._asked(who, taken.row, about=other.id, details={"second": True})]

    def settle(self, who: Person, row: int, label: Any, *, text: bool = False) -> Answer:
        """Decide about a row that two annotators answered (owners); returns the first answer as it counts now."""
        if not who.is_owner:
            raise NotAllowedError("only an owner of the study may settle what annotators disagree about")

        def change(state: StudyState, log: Log) -> Callable[[StudyState], Answer]:
            classes = self.rules.classes(state)
            value = self.rules.checked(classes, label, text=text)
            first, second = state.told.get(row), state.overlap.answers.get(row)
            if first is None or second is None:
                raise InvalidInputError(f"row {self.names.of(row)} does not have two answers that could be settled")
            classes.check_growth([value], len(state.told))
            before = state.overlap.settled.get(row)
            if before is None or not same_class(classes, before.label, value):
                log.append([Event(Kind.SETTLED, row, who.name, self.clock(), label=value, about=first.id)])
            return lambda after: after.overlap.counted(after.told[row])

        return self._change_and_look(change)

    def correct(self, who: Person, row: int, label: Any, *, text: bool = False) -> Answer:
        """Replace the label of a row; it keeps its place in the order. `text`: the label was typed.

        An annotator corrects the own answer; an owner who corrects a row with two answers settles it.
        """
        with self.reading() as state:
            own, second = state.answer_by(who.name, row), state.overlap.answers.get(row)
        if own is None and who.is_owner and second is not None and second.label is not None:
            return self.settle(who, row, label, text=text)

        def change(state: StudyState, log: Log) -> Callable[[StudyState], Answer]:
            classes = self.rules.classes(state)
            value = self.rules.checked(classes, label, text=text)
            old = state.answer_by(who.name, row) or state.answer_of(row)
            if old is None:
                raise InvalidInputError(f"row {self.names.of(row)} has no answer that could be corrected")
            self.rules.check_may_change(who, old)
            classes.check_growth([value], len(state.told))
            if not same_class(classes, old.label, value):
                log.append([Event(Kind.CORRECTED, row, who.name, self.clock(), label=value, about=old.id)])
            is_second = old.second
            return lambda after: (after.overlap.answers if is_second else after.told)[row]

        return self._change_and_look(change)

    def unskip(self, who: Person, row: int) -> None:
        """Take back that a row cannot be labelled."""

        def change(state: StudyState, log: Log) -> None:
            skip = state.skipped.get(row)
            if skip is None:
                raise InvalidInputError(f"row {self.names.of(row)} is not skipped")
            self.rules.check_may_change(who, skip)
            log.append([Event(Kind.UNDONE, row, who.name, self.clock(), about=skip.id)])

        self._change(change)

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

    def import_answers(self, who: Person, answers: Sequence[Imported]) -> int:
        """Take labels that exist already, all or none; returns how many were new."""
        if not who.is_owner:
            raise NotAllowedError("only an owner of the study may import labels")

        def change(state: StudyState, log: Log) -> int:
            classes = self.rules.classes(state)
            now = self.clock()
            events = [event for a in answers for event in self._imported(state, classes, who, a, now)]
            classes.check_growth([e.label for e in events if e.label is not None], len(state.told))
            log.append(events)
            return len({event.row for event in events})

        return self._change(change)

    def _imported(
        self, state: StudyState, classes: ClassList, who: Person, given: Imported, now: datetime
    ) -> Iterator[Event]:
        """Say what an imported row adds to the log: its answer, that of a second annotator, what was decided."""

        def event(kind: Kind, a: Imported, details: dict[str, Any] | None) -> Event:
            value = None if a.label is None else self.rules.checked(classes, a.label)
            origin = Origin(a.annotator, a.time, a.asked)
            return Event(kind, a.row, who.name, now, label=value, origin=origin, details=details)

        if self.rules.is_new(state, classes, given):
            drawn = self._draw_overlap(given.row) if given.asked else None
            yield event(Kind.IMPORTED, given, {**(given.remarks or {}), **(drawn or {})} or None)
        second, decided = given.second, given.settled
        if second is not None and self.rules.is_new_second(state, classes, second):
            yield event(Kind.IMPORTED, second, {**(second.remarks or {}), "second": True})
        before = state.overlap.settled.get(given.row)
        if decided is not None and (before is None or not same_class(classes, before.label, decided.label)):
            yield event(Kind.SETTLED, decided, None)

    # --- the study as a whole ---

    def pause(self, who: Person) -> None:
        """Ask nobody any more, until it is resumed; rows that somebody holds can still be answered."""
        self._mark(who, Kind.PAUSED)

    def resume(self, who: Person) -> None:
        """Go on asking."""
        self._mark(who, Kind.RESUMED)

    def archive(self, who: Person) -> None:
        """Keep the study as it is: nothing is changed any more, until it is restored."""
        self._mark(who, Kind.ARCHIVED)

    def restore(self, who: Person) -> None:
        """Take a study out of the archive."""
        self._mark(who, Kind.RESTORED)

    def _mark(self, who: Person, kind: Kind) -> None:
        if not who.is_owner:
            raise NotAllowedError("only an owner of the study may do this")

        def change(state: StudyState, log: Log) -> None:
            if kind is not Kind.RESTORED:
                self.rules.check_open(state)
            is_so = {
                Kind.PAUSED: state.paused,
                Kind.RESUMED: not state.paused,
                Kind.ARCHIVED: state.archived,
                Kind.RESTORED: not state.archived,
            }
            if not is_so[kind]:
                log.append([Event(kind, NO_ROW, who.name, self.clock())])

        self._change(change, always=True)

    def note_told(self, details: Mapping[str, Any]) -> None:
        """Note in the log that somebody was told about a milestone, also of a study that is archived."""
        told = Event(Kind.NOTIFIED, NO_ROW, "activefs", self.clock(), details=dict(details))
        self._change(lambda state, log: log.append([told]), always=True)

    @contextmanager
    def noting(self, details: Mapping[str, Any]) -> Iterator[None]:
        """Let every entry that this thread adds to the log say something besides, such as where it comes from."""
        token = self._noted.set(details)
        try:
            yield
        finally:
            self._noted.reset(token)

    # --- inside ---

    def _change(self, change: Callable[[StudyState, Log], T], *, always: bool = False) -> T:
        """Run a transaction; what it adds joins the state when it is committed."""
        return self._change_and_look(lambda state, log: _always(change(state, log)), always=always)

    def _change_and_look(
        self, change: Callable[[StudyState, Log], Callable[[StudyState], T]], *, always: bool = False
    ) -> T:
        """Run a transaction, then look at the state that it led to, before anybody else can change it.

        An archived study is not changed, unless `always` says so.
        """
        with self._lock:
            with self.storage.transaction() as log:
                self._state.apply(log.events(self._state.last))
                if not always:
                    self.rules.check_open(self._state)
                draft = _Draft(log, self.names, self._noted.get())
                look = change(self._state, draft)
            self._state.apply(draft.added)
            return look(self._state)

    def _remarks(self, note: str | None, flag: bool) -> dict[str, Any] | None:
        said = {"note": self.rules.check_note(note), "flag": bool(flag)}
        return {name: value for name, value in said.items() if value} or None

    def _respond(
        self,
        who: Person,
        number: int,
        label: Any | None,
        *,
        text: bool = False,
        details: dict[str, Any] | None = None,
    ) -> Answer:
        def change(state: StudyState, log: Log) -> Callable[[StudyState], Answer]:
            classes = self.rules.classes(state)
            value = None if label is None else self.rules.checked(classes, label, text=text)
            if (done := self.rules.said_before(state, classes, who, number, value)) is not None:
                return _always(done)
            question = self.rules.held(state, who, number, self.clock())
            if value is not None:
                classes.check_growth([value], len(state.told))
            kind = Kind.SKIPPED if value is None else Kind.LABELLED
            now = self.clock()
            log.append([Event(kind, question.row, who.name, now, label=value, about=number, details=details)])

            def kept(after: StudyState) -> Answer:
                found = after.answer_to(question)
                assert found is not None  # nobody else could change it since the commit
                return found

            return kept

        return self._change_and_look(change)

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


class _Draft(Log):
    """The log of a transaction, and what was added in it; rows that come up are named."""

    def __init__(self, log: Log, names: RowNames, details: Mapping[str, Any] | None = None) -> None:
        self._log, self._names, self._details = log, names, details
        self.added: list[Event] = []

    def events(self, after: int = 0) -> list[Event]:
        return self._log.events(after)

    def append(self, events: Sequence[Event]) -> list[Event]:
        if names := self._names.not_kept(dict.fromkeys(event.row for event in events if event.row != NO_ROW)):
            self.name_rows(names)
        if self._details is not None:
            events = [replace(event, details={**(event.details or {}), **self._details}) for event in events]
        added = self._log.append(events)
        self.added += added
        return added

    def name_rows(self, names: Mapping[int, RowName]) -> None:
        self._log.name_rows(names)


def _always(value: T) -> Callable[[StudyState], T]:
    return lambda _: value


def _sorted(position: Position) -> Position:
    """Skipped rows in the order in which the state of a study has them."""
    return replace(position, skipped=tuple(sorted(position.skipped)))
