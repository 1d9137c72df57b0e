"""What a study keeps, and what every place that keeps it promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from activefs.engine import DrawProbability
from activefs.exceptions import StorageError

Label = str | int | float | bool
"""What a label may be: anything that JSON keeps as it is."""

RowName = str | int | float
"""What people call a row: what its id column says, or its number."""

MAX_KEY = 64
"""Characters that the key of a kept answer may have."""

MAX_KEPT = 64
"""Answers that are kept; older ones go."""

NO_ROW = -1
"""Row of an entry that is about the whole study."""


SERVER = "server"
"""Setting of a header that stands for no study, but for a server with several: only its people are kept there."""


class Kind(StrEnum):
    """What can happen in a study.

    Examples
    --------
    >>> Kind("labelled") is Kind.LABELLED
    True
    """

    ASKED = "asked"  # a row was leased to an annotator
    EXPIRED = "expired"  # the lease ran out, and somebody asked after that
    LABELLED = "labelled"
    SKIPPED = "skipped"
    CORRECTED = "corrected"
    UNDONE = "undone"
    IMPORTED = "imported"  # a label (or a skip, if there is none) that came from a file
    RENEWED = "renewed"  # the lease of a question was made longer
    SETTLED = "settled"  # an owner decided between answers that differ
    PAUSED = "paused"  # from here on nobody is asked, until it is resumed
    RESUMED = "resumed"
    ARCHIVED = "archived"  # from here on nothing is changed, until it is restored
    RESTORED = "restored"
    NOTIFIED = "notified"  # somebody who wants to know was told about a milestone


class Role(StrEnum):
    """Who may change what: annotators their own answers, owners all of them.

    Examples
    --------
    >>> Role("owner") is Role.OWNER
    True
    """

    ANNOTATOR = "annotator"
    OWNER = "owner"


@dataclass(frozen=True)
class Origin:
    """Where an imported label comes from, as its file says."""

    annotator: str
    time: datetime
    asked: bool


@dataclass(frozen=True)
class Event:
    """One entry of the log.

    Attributes
    ----------
    kind : Kind
        What happened.
    row : int
        Which row of the table it is about; `NO_ROW` if it is about the whole study.
    annotator : str
        Who did it.
    time : datetime
        When, with its time zone.
    label : str, int, float, bool or None
        The label, if there is one.
    about : int or None
        Number of the event that this one answers, corrects, takes back or ends.
    until : datetime or None
        End of the lease, for a question.
    origin : Origin or None
        For an imported label.
    chance : DrawProbability or None
        For a question whose row was drawn at random: its probability, and the smallest that any open row had.
    details : dict or None
        What else is said: a note on an answer, how an overlap was drawn, a milestone; anything that JSON keeps as it
        is.
    id : int
        Number of the entry: 1, 2, ... without gaps; 0 before it is in the log.
    """

    kind: Kind
    row: int
    annotator: str
    time: datetime
    label: Label | None = None
    about: int | None = None
    until: datetime | None = None
    origin: Origin | None = None
    chance: DrawProbability | None = None
    details: dict[str, Any] | None = None
    id: int = 0


@dataclass(frozen=True)
class Header:
    """What is fixed when a study is made: its settings, and what its table looks like."""

    settings: Mapping[str, Any]
    fingerprint: Mapping[str, Any]
    created: datetime


@dataclass(frozen=True)
class Annotator:
    """Somebody with a token. Of the token itself only its public part and a hash are kept."""

    name: str
    role: Role
    key: str
    digest: str
    created: datetime


@dataclass(frozen=True)
class SignIn:
    """A browser that somebody signed in with; of its secret only a hash is kept."""

    digest: str
    annotator: str
    expires: datetime


class Log(ABC):
    """The log of a study inside a transaction."""

    @abstractmethod
    def events(self, after: int = 0) -> list[Event]:
        """Read the entries with a number above `after`, in order, those of this transaction included."""

    @abstractmethod
    def append(self, events: Sequence[Event]) -> list[Event]:
        """Add entries at the end, and return them with their numbers."""

    @abstractmethod
    def name_rows(self, names: Mapping[int, RowName]) -> None:
        """Keep what rows are called, together with the entries of this transaction; see :meth:`Storage.name_rows`."""


class Storage(ABC):
    """A place that keeps one study.

    A storage is made from its URL, ``Class(url)``; `activefs.storages.SCHEMES` says which class a scheme means. What is
    wrong with the medium (a full disk, a server that is gone) is a `StorageError`. A storage in a file says which one
    in `path`: a table that was moved together with its study is then found beside it.

    What every storage guarantees. The contract suite (``activefs.testing.StorageContract``) checks it, but for what
    takes several processes or a crash: test your own with processes that are killed while they write.

    - **Order.** Transactions of one study come one after the other, over all threads, processes and machines that use
      the same place: inside one, the log is complete and nobody else can add to it. Entries are numbered 1, 2, ...
      without gaps, in the order in which they were committed.
    - **All or nothing.** If the block of a transaction raises, nothing of it is kept.
    - **Durability.** When the block has ended without an error, its entries survive the end of this process, and for
      storages with ``durable = True`` a crash of the machine.
    - **Append only.** There is no way to change or remove an entry.
    - **Threads.** All methods may be called from any thread. A transaction belongs to the thread that opened it, and
      they do not nest. Whatever only reads may be called at any time, also by the thread whose transaction is open.
    - **Ownership.** What is returned is the caller's; changing it changes nothing in the storage.
    - **Names stay.** The first name of a row is its name for good; 1, "1" and 1.0 are three names.
    - **Kept answers are a convenience.** They are no part of the log; the newest 64 stay, others may be gone. One that
      is found is whole, and is what was kept last.
    """

    durable: ClassVar[bool] = True

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, without a password: for messages, which show it as an argument of commands."""

    @property
    def url(self) -> str | None:
        """What another process on this machine opens it with, password and all; None if no other process can."""
        return None

    def why_unwell(self) -> str:
        """Say in a few words, without names or passwords, why nothing can be kept just now; empty if it can."""
        try:
            self.header()
        except StorageError:
            return "the database cannot be reached"
        return ""

    def check_free(self) -> None:
        """Raise what `create` would, if there is a study already or none can be made; nothing is written.

        Whoever makes a study asks this first, since reading its table may take minutes. A storage need not know.
        """
        return

    @abstractmethod
    def create(self, header: Header) -> None:
        """Make the study; an error if there is one already."""

    @abstractmethod
    def header(self) -> Header:
        """Read what was fixed when the study was made; an error if there is none."""

    @abstractmethod
    def events(self, after: int = 0) -> list[Event]:
        """Read the entries with a number above `after`, in order."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Log]:
        """Open the log for writing; nobody else writes until the block ends."""

    @abstractmethod
    def name_rows(self, names: Mapping[int, RowName]) -> None:
        """Keep what rows are called; a row that has a name already keeps it."""

    @abstractmethod
    def row_names(self, rows: Iterable[int] | None = None) -> dict[int, RowName]:
        """Read what rows are called: those that are wanted and have a name, or all that have one."""

    @abstractmethod
    def keep_answer(self, key: str, content: Mapping[str, Any]) -> None:
        """Keep what was computed for a state of the study, so that nobody needs to compute it again.

        Parameters
        ----------
        key : str
            What the answer depends on, such as a hash; at most 64 characters. What was kept under it is replaced.
        content : mapping
            Anything that JSON keeps as it is.
        """

    @abstractmethod
    def find_answer(self, key: str) -> dict[str, Any] | None:
        """Look for what was kept under a key."""

    @abstractmethod
    def add_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator; one of the same name is replaced, and signed out everywhere."""

    @abstractmethod
    def remove_annotator(self, name: str) -> bool:
        """Forget an annotator and the sign-ins; returns whether there was one. The log stays as it is."""

    @abstractmethod
    def annotators(self) -> list[Annotator]:
        """List the annotators by name."""

    @abstractmethod
    def add_sign_in(self, sign_in: SignIn) -> None:
        """Keep a sign-in, and forget those that have expired."""

    @abstractmethod
    def find_sign_in(self, digest: str) -> SignIn | None:
        """Look for a sign-in; an expired one is returned too if it is still there."""

    @abstractmethod
    def remove_sign_in(self, digest: str) -> None:
        """Forget a sign-in."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the storage holds open."""
