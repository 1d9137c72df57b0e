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
    """Where an imported label comes from, as its file says.

    Attributes
    ----------
    annotator : str
        Who gave it.
    time : datetime
        When.
    asked : bool
        Whether it answered a question.
    """

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
    """What is fixed when a study is made: its settings, and what its table looks like.

    Attributes
    ----------
    settings : mapping
        What :class:`activefs.study.StudySettings` writes.
    fingerprint : mapping
        By which the table is known again.
    created : datetime
        When the study was made.
    """

    settings: Mapping[str, Any]
    fingerprint: Mapping[str, Any]
    created: datetime


@dataclass(frozen=True)
class Annotator:
    """Somebody with a token. Of the token itself only its public part and a hash are kept.

    Attributes
    ----------
    name : str
        The name in the log.
    role : Role
        What they may change.
    key, digest : str
        The public part of the token, and a hash of the rest.
    created : datetime
        When the token was made.
    """

    name: str
    role: Role
    key: str
    digest: str
    created: datetime


@dataclass(frozen=True)
class SignIn:
    """A browser that somebody signed in with; of its secret only a hash is kept.

    Attributes
    ----------
    digest : str
        The hash.
    annotator : str
        Who signed in.
    expires : datetime
        Until when that counts.
    """

    digest: str
    annotator: str
    expires: datetime


class Log(ABC):
    """The log of a study inside a transaction."""

    @abstractmethod
    def events(self, after: int = 0) -> list[Event]:
        """Read the entries with a number above `after`, in order, those of this transaction included.

        Parameters
        ----------
        after : int, default 0
            Number of an entry; 0: all.

        Returns
        -------
        list of Event
            The entries.
        """

    @abstractmethod
    def append(self, events: Sequence[Event]) -> list[Event]:
        """Add entries at the end, and return them with their numbers.

        Parameters
        ----------
        events : sequence of Event
            The entries; their `id` does not count.

        Returns
        -------
        list of Event
            The same, with the numbers that they have now.
        """

    @abstractmethod
    def name_rows(self, names: Mapping[int, RowName]) -> None:
        """Keep what rows are called, together with the entries of this transaction; see :meth:`Storage.name_rows`.

        Parameters
        ----------
        names : mapping
            From row to name.
        """


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

    See Also
    --------
    open_storage : The storage that a URL or the name of a file stands for.
    MemoryStorage : One that keeps a study in memory.

    Notes
    -----
    Guide: :doc:`/guide/extending` makes one; :doc:`/guide/studies` says where a study may be.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.storages import MemoryStorage
    >>> place = MemoryStorage()
    >>> with Study.create(place, [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", annotator="ann") as study:
    ...     study.tell(2, "ill")
    >>> [(entry.id, entry.kind.value, entry.row, entry.label, entry.annotator) for entry in place.events()]
    [(1, 'labelled', 2, 'ill', 'ann')]
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
        """Make the study.

        Parameters
        ----------
        header : Header
            What is fixed from now on.

        Raises
        ------
        InvalidInputError
            If there is one already.
        StorageError
            If nothing can be written.
        """

    @abstractmethod
    def header(self) -> Header:
        """Read what was fixed when the study was made.

        Returns
        -------
        Header
            Settings, fingerprint of the table, time.

        Raises
        ------
        InvalidInputError
            If there is no study.
        """

    @abstractmethod
    def events(self, after: int = 0) -> list[Event]:
        """Read the entries with a number above `after`, in order.

        Parameters
        ----------
        after : int, default 0
            Number of an entry; 0: all.

        Returns
        -------
        list of Event
            The entries.
        """

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Log]:
        """Open the log for writing; nobody else writes until the block ends."""

    @abstractmethod
    def name_rows(self, names: Mapping[int, RowName]) -> None:
        """Keep what rows are called; a row that has a name already keeps it.

        Parameters
        ----------
        names : mapping
            From row to name: text or a number.
        """

    @abstractmethod
    def row_names(self, rows: Iterable[int] | None = None) -> dict[int, RowName]:
        """Read what rows are called.

        Parameters
        ----------
        rows : iterable of int, optional
            The rows wanted; by default all that have a name.

        Returns
        -------
        dict
            From row to name; rows without one are not in it.
        """

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
        """Look for what was kept under a key.

        Parameters
        ----------
        key : str
            As it was given to :meth:`keep_answer`.

        Returns
        -------
        dict or None
            None if nothing is there (any more).
        """

    @abstractmethod
    def add_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator; one of the same name is replaced, and signed out everywhere.

        Parameters
        ----------
        annotator : Annotator
            Name, role and token.
        """

    @abstractmethod
    def remove_annotator(self, name: str) -> bool:
        """Forget an annotator and the sign-ins; the log stays as it is.

        Parameters
        ----------
        name : str
            Who.

        Returns
        -------
        bool
            Whether there was one.
        """

    @abstractmethod
    def annotators(self) -> list[Annotator]:
        """List the annotators by name."""

    @abstractmethod
    def add_sign_in(self, sign_in: SignIn) -> None:
        """Keep a sign-in, and forget those that have expired.

        Parameters
        ----------
        sign_in : SignIn
            Who signed in, and until when.
        """

    @abstractmethod
    def find_sign_in(self, digest: str) -> SignIn | None:
        """Look for a sign-in; an expired one is returned too if it is still there.

        Parameters
        ----------
        digest : str
            The hash of its secret.

        Returns
        -------
        SignIn or None
            None if there is none.
        """

    @abstractmethod
    def remove_sign_in(self, digest: str) -> None:
        """Forget a sign-in; it is no error if there is none.

        Parameters
        ----------
        digest : str
            The hash of its secret.
        """

    @abstractmethod
    def close(self) -> None:
        """Give back what the storage holds open."""
