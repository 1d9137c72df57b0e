"""What people look at, computed in the background: once for a state of the study, however many look."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from activefs.exceptions import ActiveFSError, StorageError
from activefs.study._engine import StudyEngine
from activefs.study._helper import Helper, HelperEnded, where_of
from activefs.study._looking import PARTS, Found, Part, look
from activefs.study._reader import Reader
from activefs.study._starving import watched
from activefs.study._status import Status, known_status, moment_of

logger = logging.getLogger("activefs.study")

_DEATHS = 3
"""Ends of the other process, each before it computed anything, after which it is not started again."""
_NOBODY_LOOKS = 600.0
"""Seconds after which the other process ends, if nobody looks: it needs as much memory as the server."""


class Background:
    """Looks at a study while people label, below them: in a process of its own where one can be started.

    Only the newest state of the study is ever computed, and not twice. What was found stays at hand, so that a page
    can show it at once and say as of which label it is.

    Parameters
    ----------
    engine : StudyEngine
        The study.
    apart : bool, default True
        Whether to compute in another process, if storage and table can be opened there; else in a thread.
    """

    def __init__(self, engine: StudyEngine, *, apart: bool = True) -> None:
        self._engine = engine
        self._reader = Reader(engine)
        self._where = where_of(engine) if apart else None
        self._helper: Helper | None = None
        self._deaths = 0
        self._waits = True  # for everything else on the machine
        self._found: dict[Part, Found] = {}
        self._wanted: set[Part] = set()
        self._waiting: list[_Waiting] = []
        self._news = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def ask(self, part: Part) -> Future[Found]:
        """Promise what a part is at the state of now, or a newer one; labelling does not wait for it."""
        future: Future[Found] = Future()
        last = self._last()
        with self._news:
            found = self._found.get(part)
            if found is not None and found.last >= last:
                future.set_result(found)
            else:
                self._waiting.append(_Waiting(part, last, future))
                self._start()
        return future

    def newest(self, part: Part) -> Found | None:
        """Give what is known of a part now, and start to compute it if the study has moved on; None: nothing yet."""
        last = self._last()
        with self._news:
            found = self._found.get(part)
            if found is None or found.last < last:
                self._wanted.add(part)
                self._start()
        return found

    def status(self) -> Status:
        """Wait for the status of now, or a newer one."""
        found: Status = self.ask("status").result().value
        return found

    def shown(self) -> Shown | None:
        """Give the newest status, with the counts of now; None if nothing is known yet."""
        found = self.newest("status")
        if found is None:
            moment = moment_of(self._engine)
            known = known_status(self._engine, moment)  # computed before the server was started
            return None if known is None else Shown(known, known.n_labels, known.last)
        with self._engine.reading() as state:
            here = state.position(self._engine.clock())
        told, skipped, pending = len(here.told), len(here.skipped), len(here.pending)
        status = replace(found.value, n_labels=told, n_skipped=skipped, n_open=pending)
        return Shown(status, found.labels, found.last)

    def close(self) -> None:
        """End what computes."""
        with self._news:
            self._closed = True
            self._news.notify_all()
            helper, thread = self._helper, self._thread
        if helper is not None:
            helper.end()
        if thread is not None:
            thread.join(timeout=10)

    # --- inside ---

    def _last(self) -> int:
        with self._engine.reading() as state:
            return state.last

    def _start(self) -> None:
        if self._closed:
            self._give_up(StorageError("the server is being stopped"))
        elif self._thread is None:
            self._thread = threading.Thread(target=self._work, name="activefs-background", daemon=True)
            self._thread.start()
        self._news.notify_all()

    def _work(self) -> None:
        while True:
            with self._news:
                if not self._news.wait_for(self._is_wanted, _NOBODY_LOOKS) and self._helper is not None:
                    self._helper.end()
                    self._helper = None
                    continue
                if self._closed:
                    self._give_up(StorageError("the server is being stopped"))
                    return
                asked = {*self._wanted, *(one.part for one in self._waiting)}
                self._wanted = set()
            self._compute([part for part in PARTS if part in asked])

    def _is_wanted(self) -> bool:
        return self._closed or bool(self._wanted) or bool(self._waiting)

    def _compute(self, parts: list[Part]) -> None:
        """Compute some parts; whoever waits for one that cannot be computed is told why."""
        try:
            for part, found in self._look(parts):
                with self._news:
                    self._found[part] = found
                    self._answer(part, found)
        except Exception as error:
            if not self._closed:
                logger.error("what the study page shows could not be computed: %s", error)
            with self._news:
                self._give_up(error, parts)

    def _look(self, parts: list[Part]) -> Iterator[tuple[Part, Found]]:
        left = list(parts)
        while left and self._where is not None and self._deaths < _DEATHS:
            try:
                if self._helper is None:
                    self._helper = Helper(self._where, last=self._waits)
                with watched(self._helper.process, self._last, self._starves) if self._waits else nullcontext():
                    for part, found, kept in self._helper.compute(tuple(left), self._engine.clock()):
                        self._deaths = 0
                        self._keep(kept)
                        yield part, found
                        left.remove(part)
            except HelperEnded as ended:
                self._helper = None
                if self._closed:
                    return
                self._deaths += 1
                if ended.why:
                    logger.warning("the process that computes what the study page shows ended: %s", ended.why)
            except ActiveFSError as error:  # it cannot read the table, perhaps, which this process has read
                self._helper = None
                self._deaths += 1
                logger.warning("another process cannot compute what the study page shows: %s", error)
                break
        for part in left:
            yield part, look(self._engine, self._reader, part)

    def _starves(self) -> None:
        """Let it compete from now on: the machine has too much else to do, while nobody labels."""
        self._waits = False
        if (helper := self._helper) is not None:
            helper.end()

    def _keep(self, kept: dict[str, Any]) -> None:
        """Keep what the other process found: it must not hold the lock of the database, being slow on purpose."""
        with suppress(StorageError):
            for key, content in kept.items():
                self._engine.storage.keep_answer(key, content)

    def _answer(self, part: Part, found: Found) -> None:
        ready = [one for one in self._waiting if one.part == part and one.last <= found.last]
        self._waiting = [one for one in self._waiting if one not in ready]
        for one in ready:
            if one.future.set_running_or_notify_cancel():
                one.future.set_result(found)

    def _give_up(self, error: Exception, parts: list[Part] | None = None) -> None:
        ready = [one for one in self._waiting if parts is None or one.part in parts]
        self._waiting = [one for one in self._waiting if one not in ready]
        for one in ready:
            if one.future.set_running_or_notify_cancel():
                one.future.set_exception(error)


class Shown(NamedTuple):
    """A status whose counts are those of now; everything else is as of a number of labels, and an entry of the log."""

    status: Status
    labels: int
    last: int


@dataclass(frozen=True, eq=False)
class _Waiting:
    part: Part
    last: int
    future: Future[Found]
