"""A study that lives as long as the process: for trying things out, and for tests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar

from activefs.exceptions import InvalidInputError
from activefs.storages._base import MAX_KEPT, Annotator, Event, Header, Log, RowName, SignIn, Storage
from activefs.storages._rows import answer_from_text, answer_to_text, event_from_row, event_to_row, name_to_text


class MemoryStorage(Storage):
    """Keeps a study in memory; each object is a place of its own.

    Parameters
    ----------
    url : str
        ``memory:``; nothing depends on it.

    Examples
    --------
    >>> storage = MemoryStorage()
    >>> with storage.transaction() as log:
    ...     log.events()
    []
    """

    durable: ClassVar[bool] = False

    def __init__(self, url: str = "memory:") -> None:
        self._lock = threading.Lock()
        self._header: Header | None = None
        self._events: list[Event] = []
        self._names: dict[int, str] = {}
        self._answers: dict[str, str] = {}
        self._annotators: dict[str, Annotator] = {}
        self._sign_ins: dict[str, SignIn] = {}

    @property
    def place(self) -> str:
        """Say that it is in memory."""
        return "memory"

    def check_free(self) -> None:
        """Refuse a second study."""
        if self._header is not None:
            raise InvalidInputError("there is a study in this memory already; make another storage")

    def create(self, header: Header) -> None:
        """Make the study.

        Parameters
        ----------
        header
            As for :meth:`Storage.create`.
        """
        with self._lock:
            self.check_free()
            self._header = deepcopy(header)

    def header(self) -> Header:
        """Read what was fixed when the study was made."""
        if self._header is None:
            raise InvalidInputError("there is no study in this memory; create it first")
        return deepcopy(self._header)

    def events(self, after: int = 0) -> list[Event]:
        """Read the entries above a number.

        Parameters
        ----------
        after
            As for :meth:`Storage.events`.
        """
        return [_copied(event) for event in self._events[after:]]

    @contextmanager
    def transaction(self) -> Iterator[Log]:
        """Open the log for writing."""
        with self._lock:
            draft = _Draft(self._events)
            yield draft
            self._events += draft.new
            if draft.names:
                self._names = {**draft.names, **self._names}  # a new one: somebody may be reading the old one

    def name_rows(self, names: Mapping[int, RowName]) -> None:
        """Keep what rows are called.

        Parameters
        ----------
        names
            As for :meth:`Storage.name_rows`.
        """
        with self.transaction() as log:
            log.name_rows(names)

    def row_names(self, rows: Iterable[int] | None = None) -> dict[int, RowName]:
        """Read what rows are called.

        Parameters
        ----------
        rows
            As for :meth:`Storage.row_names`.
        """
        known = self._names
        wanted = known if rows is None else [row for row in rows if row in known]
        return {row: json.loads(known[row]) for row in wanted}

    def keep_answer(self, key: str, content: Mapping[str, Any]) -> None:
        """Keep what was computed.

        Parameters
        ----------
        key, content
            As for :meth:`Storage.keep_answer`.
        """
        text = answer_to_text(key, content)
        with self._lock:
            others = {k: v for k, v in self._answers.items() if k != key}
            self._answers = dict([*others.items(), (key, text)][-MAX_KEPT:])

    def find_answer(self, key: str) -> dict[str, Any] | None:
        """Look for what was kept under a key.

        Parameters
        ----------
        key
            As for :meth:`Storage.find_answer`.
        """
        text = self._answers.get(key)
        return None if text is None else answer_from_text(text)

    def add_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator.

        Parameters
        ----------
        annotator
            As for :meth:`Storage.add_annotator`.
        """
        with self._lock:
            self._forget(annotator.name)
            self._annotators = {**self._annotators, annotator.name: annotator}

    def remove_annotator(self, name: str) -> bool:
        """Forget an annotator and the sign-ins.

        Parameters
        ----------
        name
            As for :meth:`Storage.remove_annotator`.
        """
        with self._lock:
            return self._forget(name)

    def annotators(self) -> list[Annotator]:
        """List the annotators by name."""
        known = self._annotators
        return [known[name] for name in sorted(known)]

    def add_sign_in(self, sign_in: SignIn) -> None:
        """Keep a sign-in.

        Parameters
        ----------
        sign_in
            As for :meth:`Storage.add_sign_in`.
        """
        now = datetime.now(UTC)
        with self._lock:
            live = {d: s for d, s in self._sign_ins.items() if s.expires > now}
            self._sign_ins = {**live, sign_in.digest: sign_in}

    def find_sign_in(self, digest: str) -> SignIn | None:
        """Look for a sign-in.

        Parameters
        ----------
        digest
            As for :meth:`Storage.find_sign_in`.
        """
        return self._sign_ins.get(digest)

    def remove_sign_in(self, digest: str) -> None:
        """Forget a sign-in.

        Parameters
        ----------
        digest
            As for :meth:`Storage.remove_sign_in`.
        """
        with self._lock:
            self._sign_ins = {d: s for d, s in self._sign_ins.items() if d != digest}

    def close(self) -> None:
        """Nothing is open."""

    def _forget(self, name: str) -> bool:
        # New dictionaries, always: somebody may be reading the old ones.
        self._sign_ins = {d: s for d, s in self._sign_ins.items() if s.annotator != name}
        there = name in self._annotators
        self._annotators = {n: a for n, a in self._annotators.items() if n != name}
        return there


def _copied(event: Event) -> Event:
    return event if event.details is None else replace(event, details=deepcopy(event.details))


class _Draft(Log):
    """Entries on their way: they join the log when the block ends well."""

    def __init__(self, old: list[Event]) -> None:
        self._old = old
        self.new: list[Event] = []
        self.names: dict[int, str] = {}

    def events(self, after: int = 0) -> list[Event]:
        return [*self._old[after:], *self.new[max(0, after - len(self._old)) :]]

    def append(self, events: Sequence[Event]) -> list[Event]:
        start = len(self._old) + len(self.new) + 1
        # Written and read again: what cannot be kept elsewhere is not kept here, and details are a copy.
        added = [event_from_row(event_to_row(event, start + i)) for i, event in enumerate(events)]
        self.new += added
        return added

    def name_rows(self, names: Mapping[int, RowName]) -> None:
        self.names = {**{int(row): name_to_text(name) for row, name in names.items()}, **self.names}
