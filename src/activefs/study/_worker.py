"""Another process that looks at a study; the other side of it."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from activefs.exceptions import ActiveFSError
from activefs.storages import Storage
from activefs.study._helper import Learn, Look, Where
from activefs.study._looking import Found, look
from activefs.study._open import open_engine
from activefs.study._reader import Reader

if TYPE_CHECKING:
    from activefs.model import Assistant, Completion


def work() -> None:
    """Answer requests until the input ends, which it does when the server is gone."""
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    where: Where = pickle.load(source)
    requests: queue.SimpleQueue[Look | Learn] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, requests), daemon=True).start()
    worker: _Worker | None = None
    while True:
        request = requests.get()
        try:
            worker = worker or _Worker(where)
            for reply in worker.look(request) if isinstance(request, Look) else worker.learn(request):
                _say(answers, reply)
        except Exception as error:  # told to whoever asked; the process must go on
            _say(answers, (error if isinstance(error, ActiveFSError) else RuntimeError(repr(error)), {}))


class _Worker:
    def __init__(self, where: Where) -> None:
        self._engine = open_engine(where.url, where.data, at_once=False)
        self._notes = _Notes(self._engine.storage)
        self._engine.storage = cast(Storage, self._notes)
        self._reader = Reader(self._engine)
        self._assistant: Assistant | None = None

    def look(self, request: Look) -> Iterator[tuple[Found, dict[str, Any]]]:
        """Compute what people look at."""
        self._engine.clock = partial(_same, request.now)
        for part in request.parts:
            yield look(self._engine, self._reader, part), self._notes.taken()

    def learn(self, request: Learn) -> Iterator[tuple[Completion | None, dict[str, Any]]]:
        """Let the model learn."""
        from activefs.model import sendable

        if self._assistant is None:
            self._assistant = self._engine.new_engine().assistant
        assert self._assistant is not None
        if request.rows is None or request.labels is None:
            yield None, {}
        else:
            yield sendable(self._assistant.complete(request.rows, request.labels, request.n_classes)), {}


class _Notes:
    """A storage of which the answers that are to be kept are noted, not written: the server does that.

    Whoever writes holds the lock of the database, and this process may be kept waiting at any moment.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._kept: dict[str, dict[str, Any]] = {}
        self._new: dict[str, dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def keep_answer(self, key: str, content: Mapping[str, Any]) -> None:
        self._kept[key] = self._new[key] = dict(content)
        while len(self._kept) > 16:
            del self._kept[next(iter(self._kept))]

    def find_answer(self, key: str) -> dict[str, Any] | None:
        return self._kept.get(key) or self._storage.find_answer(key)

    def taken(self) -> dict[str, dict[str, Any]]:
        new, self._new = self._new, {}
        return new


def _listen(source: BinaryIO, requests: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            requests.put(pickle.load(source))
    except BaseException:
        os._exit(0)  # in the middle of whatever it is: nobody waits for it any more


def _same(now: datetime) -> datetime:
    return now


def _say(answers: BinaryIO, content: object) -> None:
    try:
        pickle.dump(content, answers)
        answers.flush()
    except OSError:
        os._exit(0)
