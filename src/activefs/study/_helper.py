"""Another process that looks at a study, with the lowest claim to the processor; this side of it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from activefs.study._engine import StudyEngine
from activefs.study._looking import Found, Part

if TYPE_CHECKING:
    from activefs.model import Completion
    from activefs.types import Ints, Targets

_MOST = 4
"""Processes at a time, if a server has many studies: of those that do nothing, the one that did so longest ends."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class HelperEnded(Exception):  # noqa: N818 - it is nobody's fault
    """The process is not there any more; `why` is empty if that was meant to be."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Where:
    """Where another process finds a study and its table."""

    url: str
    data: str | None


class Look(NamedTuple):
    """A request to compute parts of what people look at."""

    parts: tuple[Part, ...]
    now: datetime


class Learn(NamedTuple):
    """A request to let the model learn; without rows, to get ready for that."""

    rows: Ints | None
    labels: Targets | None
    n_classes: int


def where_of(engine: StudyEngine) -> Where | None:
    """Say where another process finds the study; None if it cannot."""
    from activefs.study._source import located

    url = engine.storage.url
    if url is None or (engine.source is None and engine.settings.data is None):
        return None
    return Where(url, None if engine.source is None else located(engine.source))


class Helper:
    """A process that computes one request at a time.

    It ends when this process does, however that ends: its input ends then.

    Parameters
    ----------
    where : Where
        The study. It is not among the arguments of the process, which everybody on the machine may read.
    last : bool
        Whether it computes only while nobody else on the machine does; else it stands a little behind others.
    """

    _alive: ClassVar[list[Helper]] = []
    _counting: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, where: Where, *, last: bool) -> None:
        self._busy = False
        self._make_room()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", "from activefs.study._worker import work; work()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **_ONE_THREAD},
                **_apart(last=last),
            )
        except OSError as error:
            raise HelperEnded(f"it could not be started ({error.strerror})") from None
        _put_behind(self._process.pid, last=last)
        with self._counting:
            self._alive.append(self)
        self._send(where)

    @property
    def process(self) -> int:
        """Number of the process."""
        return self._process.pid

    def compute(self, parts: tuple[Part, ...], now: datetime) -> Iterator[tuple[Part, Found, dict[str, Any]]]:
        """Compute parts of the state of now, and what is to be kept with the study; errors of it are raised."""
        for part, (found, kept) in zip(parts, self._replies(Look(parts, now), len(parts)), strict=True):
            yield part, found, kept

    def learn(self, rows: Ints, labels: Targets, n_classes: int) -> Completion:
        """Let the model of the study learn from labels."""
        ((learnt, _),) = self._replies(Learn(rows, labels, n_classes), 1)
        completion: Completion = learnt
        return completion

    def get_ready(self) -> None:
        """Wait until the model could learn."""
        list(self._replies(Learn(None, None, 0), 1))

    def _replies(self, request: Look | Learn, count: int) -> Iterator[tuple[Any, dict[str, Any]]]:
        self._busy = True
        try:
            self._send(request)
            for _ in range(count):
                found, kept = self._receive()
                if isinstance(found, Exception):
                    raise found
                yield found, kept
        except BaseException as error:
            if not isinstance(error, HelperEnded):
                self.end()  # its answers would come to the next request
            raise
        finally:
            self._busy = False
            with self._counting, suppress(ValueError):
                self._alive.remove(self)
                self._alive.append(self)  # the one that was used last

    def end(self) -> None:
        """End the process."""
        with self._counting, suppress(ValueError):
            self._alive.remove(self)
        self._process.kill()
        with suppress(OSError):
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
        self._process.wait()

    def _make_room(self) -> None:
        with self._counting:
            idle = [one for one in self._alive if not one._busy]
            over = len(self._alive) + 1 - _MOST
        for one in idle[: max(over, 0)]:
            one.end()

    def _send(self, content: object) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(content, self._process.stdin)
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def _receive(self) -> tuple[Any, dict[str, Any]]:
        assert self._process.stdout is not None
        try:
            found, kept = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise self._ended() from None
        return found, kept

    def _ended(self) -> HelperEnded:
        with self._counting:
            meant = self not in self._alive
        self.end()
        return HelperEnded("" if meant else f"exit code {self._process.returncode}")


def _apart(*, last: bool) -> dict[str, Any]:
    """Say how it is started: Ctrl-C is for the server; Windows is told now who comes last."""
    how = {"process_group": 0}  # of the same session: Linux compares priorities within one only
    if sys.platform == "win32":
        behind = subprocess.IDLE_PRIORITY_CLASS if last else subprocess.BELOW_NORMAL_PRIORITY_CLASS
        how = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | behind}
    return how


def _put_behind(process: int, *, last: bool) -> None:
    """Let others have the processor first, where the system can do that of a process that runs."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, 19 if last else 5)
            if sys.platform == "linux" and last:
                os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0))
