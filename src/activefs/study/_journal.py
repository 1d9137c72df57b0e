"""A study and its log: every change is one transaction, and the state is what the log amounts to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from activefs.engine import Position
from activefs.exceptions import ActiveFSError, StorageError
from activefs.storages import NO_ROW, Event, Header, Label, Log, RowName, Storage
from activefs.study._asker import Asker
from activefs.study._names import RowNames
from activefs.study._rules import Rules
from activefs.study._settings import StudySettings
from activefs.study._state import StudyState
from activefs.study._turns import Queue, Turn, settle

if TYPE_CHECKING:
    from activefs.engine import Engine
    from activefs.study._table import StudyTable
    from activefs.study._teacher import Teacher

T = TypeVar("T")

_MOMENT = 0.05
"""Seconds for which what was read of the log is new enough for a glance."""


class Journal:
    """What all that is done in a study shares: its log and state, its table, and what computes questions.

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
        self.source: str | Path | None = None  # file of the table, where it is not the one that the settings name
        self._open_table = table
        self._table: StudyTable | None = None
        self._asker: Asker | None = None
        self.teacher: Teacher | None = None
        self._loading = threading.RLock()
        self._lock = threading.RLock()
        self._asking = threading.Lock()
        self._noted: ContextVar[Mapping[str, Any] | None] = ContextVar("noted", default=None)
        ids = None if self.settings.id_column is None else lambda: self.table.ids or ()
        self.names = RowNames(storage, self.n_rows, ids)
        self.rules = Rules(self.settings, self.names)
        self._turns = Queue()
        self._read = float("-inf")
        self._state = self._new_state()

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
                self._asker = Asker(self.new_engine(), self.teacher)
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
        if self.teacher is not None:
            self.teacher.close()
        self.storage.close()

    @contextmanager
    def reading(self) -> Iterator[StudyState]:
        """Give the state of now; it must not be kept or changed."""
        with self._lock:
            self._state.apply(self.storage.events(self._state.last))
            self._read = time.monotonic()
            yield self._state

    @contextmanager
    def glancing(self) -> Iterator[StudyState]:
        """Give the state of now, or of a moment ago, for what a transaction will check once more."""
        with self._lock:
            if time.monotonic() - self._read < _MOMENT:
                yield self._state
                return
        with self.reading() as state:
            yield state

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

    @contextmanager
    def noting(self, details: Mapping[str, Any]) -> Iterator[None]:
        """Let every entry that this thread adds to the log say something besides, such as where it comes from."""
        token = self._noted.set(details)
        try:
            yield
        finally:
            self._noted.reset(token)

    def _change(self, change: Callable[[StudyState, Log], T], *, always: bool = False) -> T:
        """Run a transaction; what it adds joins the state when it is committed."""
        return self._change_and_look(lambda state, log: _always(change(state, log)), always=always)

    def _change_and_look(
        self, change: Callable[[StudyState, Log], Callable[[StudyState], T]], *, always: bool = False
    ) -> T:
        """Run a transaction, then look at the state that it led to, before anybody else can change it.

        An archived study is not changed, unless `always` says so. Whoever comes while another transaction is written
        waits, and is then taken along by the first of those who wait.
        """
        turn = Turn(change, always=always, details=self._noted.get())
        self._turns.add(turn)
        with self._lock:
            while not turn.done:
                self._take_turns(self._turns.take(turn))
        return turn.outcome()

    def _take_turns(self, turns: list[Turn[Any]]) -> None:
        """Make changes in one transaction; if it fails, none of them is made."""
        failed: Exception | None = None
        try:
            with self.storage.transaction() as log:
                self._state.apply(log.events(self._state.last))
                self._read = time.monotonic()
                for turn in turns:
                    self._take_turn(turn, log)
        except Exception as error:
            failed = error
            self._state, self._read = self._new_state(), float("-inf")
        except BaseException:  # Ctrl-C
            self._state, self._read = self._new_state(), float("-inf")
            settle(turns, StorageError("the change was interrupted"))
            raise
        settle(turns, failed)

    def _take_turn(self, turn: Turn[Any], log: Log) -> None:
        draft = _Draft(log, self.names, turn.details)
        try:
            if not turn.always:
                self.rules.check_open(self._state)
            look = turn.change(self._state, draft)
        except ActiveFSError as error:
            if draft.added:
                raise
            turn.refused(error)
        else:
            self._state.apply(draft.added)
            turn.found(look(self._state))

    def _new_state(self) -> StudyState:
        # The engine knows ranges only, so that the next row can be computed before the number is known.
        return StudyState(class_of=None if self.rules.ranges is None else self.rules.ranges.class_of)


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
