"""A study in one file."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from activefs.exceptions import InvalidInputError, StorageError
from activefs.storages._base import Header
from activefs.storages._sql import SQLStorage

_WAIT = 60  # seconds for other writers to finish
_LITTLE = 256 * 1024  # bytes without which nothing can be written
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

    def __init__(self, url: str) -> None:
        super().__init__()
        self.path = _path(url)

    @property
    def place(self) -> str:
        """Name the file."""
        return str(self.path)

    def _make_engine(self) -> Engine:
        # As many connections as a server has threads: nobody should wait for one.
        engine = create_engine(
            URL.create("sqlite", database=str(self.path)),
            connect_args={"timeout": _WAIT},
            pool_size=50,
            max_overflow=50,
        )

        @event.listens_for(engine, "connect")
        def _set_up(connection: Any, _record: Any) -> None:
            connection.isolation_level = None  # transactions begin where we say so, not where the driver guesses
            for pragma in (
                f"busy_timeout={_WAIT * 1000}",
                "journal_mode=WAL",
                "synchronous=FULL",
                "foreign_keys=ON",
            ):
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            # A writer takes the lock at once: one that had read before could not get it any more.
            write = connection.get_execution_options().get("activefs_write")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

        return engine

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

    def _advice(self, error: BaseException) -> str:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_IOERR") and shutil.disk_usage(self.path.absolute().parent).free < _LITTLE:
            name = "SQLITE_FULL"
        return next((f" ({advice})" for start, advice in _ADVICE.items() if name.startswith(start)), "")

    def _lock_study(self, connection: Connection) -> None:
        """BEGIN IMMEDIATE holds the only write lock of the file already."""

    def _lock_schema(self, connection: Connection) -> None:
        """The same lock."""

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

    def _back_up(self, version: str) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        target = self.path.with_name(f"{self.path.name}.backup-{version}-{stamp}")
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)


def _path(url: str) -> Path:
    if "://" not in url:
        return Path(url).expanduser()
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InvalidInputError("the URL of the study cannot be read; write sqlite:///file.db") from None
    if not parsed.database or parsed.database == ":memory:" or parsed.host:
        raise InvalidInputError(
            "the URL of the study names no file; write sqlite:///file.db, or sqlite:////full/path.db"
        )
    return Path(parsed.database)
