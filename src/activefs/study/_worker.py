"""Another process that looks at a study; the other side of it."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, BinaryIO, cast

from activefs.exceptions import ActiveFSError
from activefs.storages import Storage
from activefs.study._helper import Where
from activefs.study._looking import look
from activefs.study._open import open_engine
from activefs.study._reader import Reader

_NICE = 15


def work() -> None:
    """Answer requests until the input ends, which it does when the server is gone."""
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    with suppress(OSError):
        os.nice(_NICE)
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    where: Where = pickle.load(source)
    threading.Thread(target=_listen, args=(source, requests), daemon=True).start()
    engine = None
    while True:
        parts, now = requests.get()
        try:
            if engine is None:
                engine = open_engine(where.url, where.data, at_once=False)
                notes = _Notes(engine.storage)
                engine.storage = cast(Storage, notes)
                reader = Reader(engine)
            engine.clock = partial(_same, now)
            for part in parts:
                found = look(engine, reader, part)
                _say(answers, (found, notes.taken()))
        except Exception as error:  # told to whoever asked; the process must go on
            _say(answers, (error if isinstance(error, ActiveFSError) else RuntimeError(repr(error)), {}))


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
