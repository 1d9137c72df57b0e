"""A study in one file. Python's own driver does it all: other packages are needed only to make or change the tables."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from activefs.exceptions import InvalidInputError, StorageError
from activefs.storages._base import Header
from activefs.storages._read_only import connected, read_only
from activefs.storages._schema import VERSION_TABLE
from activefs.storages._sql import Connection, Row, SQLStorage

if TYPE_CHECKING:
    import sqlalchemy

_WAIT = 60  # seconds for other writers to finish
_LITTLE = 256 * 1024  # bytes without which nothing can be written
_SOON = 2  # seconds for other writers to finish, where somebody only wants to know whether they do
_AWAY = "the database cannot be reached"
_ROOM = 1024 * 1024  # bytes without which nothing can be written before long
# By the beginning of SQLite's own names of errors; what it says about them leaves people alone.
_ADVICE = {
    "SQLITE_BUSY": "another program holds the file; end it, or try again later",
    "SQLITE_READONLY": "the file and its folder must be writable",
    "SQLITE_CANTOPEN": "the file and its folder must be writable",
    "SQLITE_CORRUPT": "the file is damaged; go on with a copy of it from a backup",
    "SQLITE_NOTADB": "the file is damaged; go on with a copy of it from a backup",
    "SQLITE_FULL": "make room on the disk",
}
_START = b"SQLite format 3\x00"
_NOT_WRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")


class SQLiteStorage(SQLStorage):
    """Keeps a study in a SQLite file.

    The journal is a write-ahead log, so that readers do not wait for writers; every commit is synced to the disk; and a
    writer waits for its turn instead of failing. Do not put the file on a network drive: SQLite's locks do not work
    there. Use PostgreSQL for several machines.

    Parameters
    ----------
    url : str
        The file, or ``sqlite:///file``.

    Examples
    --------
    >>> SQLiteStorage("sqlite:///study.db").place
    'study.db'
    """

    _errors: ClassVar[tuple[type[Exception], ...]] = (sqlite3.Error,)
    _find_version_table: ClassVar[str] = (
        f"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{VERSION_TABLE}'"
    )

    def __init__(self, url: str) -> None:
        super().__init__()
        self.path = _path(url)
        # Connections that nobody uses now: there are never more than were used at once.
        self._idle: deque[sqlite3.Connection] = deque()

    @property
    def place(self) -> str:
        """Name the file."""
        return str(self.path)

    @property
    def url(self) -> str:
        """The file, from the root."""
        return str(self.path.absolute())

    def why_unwell(self) -> str:
        """Say what keeps anybody from writing: a full disk, a file that is gone, somebody who does not let go of it."""
        try:
            if shutil.disk_usage(self.path.absolute().parent).free < _ROOM:
                return "the disk is full"
            with closing(connected(self.path, "mode=rw", timeout=_SOON)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
        except (OSError, sqlite3.Error) as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith("SQLITE_BUSY"):
                return "the database is locked"
            return "the database cannot be written" if name.startswith("SQLITE_READONLY") else _AWAY
        return ""

    def check_free(self) -> None:
        """Look into the file, if there is one: to connect would make it."""
        if self.path.exists():
            super().check_free()
        else:
            self._check_reachable(creating=True)
            self._check_folder()

    def create(self, header: Header) -> None:
        """Make the file, its tables and the study; a file that could not be filled does not stay."""
        new = not self.path.exists()
        try:
            super().create(header)
        except StorageError:
            self.close()
            if new and self.path.is_file() and self.path.stat().st_size == 0:
                self.path.unlink()
            raise

    def close(self) -> None:
        """Close all connections."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _connect(self) -> sqlite3.Connection:
        # A study that was deleted meanwhile must not come back as an empty file.
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={'rw' if self._checked else 'rwc'}",
            uri=True,
            timeout=_WAIT,
            isolation_level=None,  # transactions begin where we say so, not where the driver guesses
            check_same_thread=False,  # a connection is used by one thread at a time, but not always by the same
        )
        try:
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException as error:
            connection.close()
            if _is_not_writable(error) and self.path.is_file():
                return read_only(self.path)  # whoever only reads can, and whoever writes is told why not
            raise
        return connection

    @contextmanager
    def _begin(self, *, write: bool) -> Iterator[Connection]:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        try:
            # A writer takes the lock at once: one that had read before could not get it any more.
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            yield _Connection(connection)
            connection.execute("COMMIT")
        except sqlite3.Error:
            connection.close()  # which takes back what was not committed; the next one begins afresh
            raise
        except BaseException:
            connection.rollback()
            self._idle.append(connection)
            raise
        self._idle.append(connection)

    @contextmanager
    def _for_migrations(self, connection: Connection) -> Iterator[sqlalchemy.Connection]:
        import sqlalchemy

        assert isinstance(connection, _Connection)
        lent = _Lent(connection.of_driver)
        engine = sqlalchemy.create_engine("sqlite://", creator=lambda: lent, poolclass=sqlalchemy.pool.StaticPool)
        try:
            with engine.connect() as made:
                yield made
        except sqlalchemy.exc.DBAPIError as error:
            if isinstance(error.orig, sqlite3.Error):
                raise error.orig from error
            raise

    def _upgrade(self) -> None:
        try:
            super()._upgrade()
        except StorageError as error:
            if _is_not_writable(error.__cause__):
                raise StorageError(
                    f"the study at {self.place} was made by an older release, and is upgraded when it is opened, but "
                    "nothing can be written there: copy it to a folder of your own, and open the copy"
                ) from error
            raise

    def _lock_study(self, connection: Connection) -> None:
        """BEGIN IMMEDIATE holds the only write lock of the file already."""

    def _lock_schema(self, connection: Connection) -> None:
        """The same lock."""

    def _say(self, error: Exception) -> str:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_IOERR") and shutil.disk_usage(self.path.absolute().parent).free < _LITTLE:
            name = "SQLITE_FULL"
        advice = next((f" ({advice})" for start, advice in _ADVICE.items() if name.startswith(start)), "")
        return f"the database at {self.place} cannot be used: {error}{advice}"

    def _check_reachable(self, *, creating: bool) -> None:
        if self.path.is_dir():
            raise InvalidInputError(f"{self.path} is a folder: name a file for the study")
        if not self.path.exists():
            if not creating:
                raise self._no_study()
            if not self.path.absolute().parent.is_dir():
                raise InvalidInputError(
                    f"there is no folder {self.path.absolute().parent} for the study: make it first"
                )
            return
        try:
            with self.path.open("rb") as file:
                start = file.read(len(_START))
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {error.strerror}; check its permissions") from error
        if start not in (b"", _START):
            raise InvalidInputError(f"{self.path} is no study: it is a file of another kind. Name another file")

    def _check_folder(self) -> None:
        """Say at once if no file can be made."""
        if not os.access(folder := self.path.absolute().parent, os.W_OK | os.X_OK):
            raise StorageError(f"{self.path} cannot be made: nothing can be written in {folder}; check its permissions")

    def _back_up(self, version: str) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        target = self.path.with_name(f"{self.path.name}.backup-{version}-{stamp}")
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)


def _is_not_writable(error: BaseException | None) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(_NOT_WRITABLE)


class _Connection:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.of_driver = connection

    def execute(self, statement: str, parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ()) -> list[Row]:
        if isinstance(parameters, Mapping) or not parameters:
            done = self.of_driver.execute(statement, parameters)
        else:
            done = self.of_driver.executemany(statement, parameters)
        names = [column[0] for column in done.description or ()]
        return [dict(zip(names, row, strict=True)) for row in done]


class _Lent:
    """A connection whose transaction is not ended by whom it is lent to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def commit(self) -> None:
        pass

    def rollback(self) -> None:
        pass

    def close(self) -> None:
        pass


def _path(url: str) -> Path:
    if "://" not in url:
        try:
            return Path(url).expanduser()
        except RuntimeError:  # whose home is not known
            raise InvalidInputError(f"there is no home folder for {url}: write the whole path of the study") from None
    parsed = re.fullmatch(r"[\w+]+://(?P<host>[^/?]*)(?:/(?P<file>[^?]*))?(?:\?.*)?", url)
    if parsed is None:
        raise InvalidInputError("the URL of the study cannot be read; write sqlite:///file.db")
    if parsed["host"] or not parsed["file"] or parsed["file"] == ":memory:":
        raise InvalidInputError(
            "the URL of the study names no file; write sqlite:///file.db, or sqlite:////full/path.db"
        )
    return Path(parsed["file"])
