"""A study in a PostgreSQL database."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, ClassVar

import sqlalchemy
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from activefs.exceptions import InvalidInputError, StorageError
from activefs.storages._schema import VERSION_TABLE
from activefs.storages._sql import Connection, Row, SQLStorage
from activefs.storages._tables import EVENTS, STUDY

# Any number that is ours alone: who changes the tables holds the database's advisory lock of this number.
_SCHEMA_LOCK = 0x61667331
CONNECTING = {
    "connect_timeout": 30,
    # Without these, whoever asked a machine that has gone meanwhile would wait for a quarter of an hour.
    "tcp_user_timeout": 30_000,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
"""How a database is connected to: seconds, and milliseconds, until one that does not answer is given up."""
_FULL = "53100"  # what PostgreSQL says of a disk without room
# Sorted on the disk, since it is more than the memory that it may take: a megabyte that is gone right afterwards.
_NEEDS_ROOM = (
    "SELECT count(*) AS n FROM (SELECT repeat('x', 100) AS x, g FROM generate_series(1, 10000) AS g "
    "ORDER BY x, g DESC OFFSET 0) AS sorted"
)
_LITTLE_MEMORY = "SET LOCAL work_mem = '64kB'"


class PostgreSQLStorage(SQLStorage):
    """Keeps a study in a PostgreSQL database, through psycopg 3 and the pool of connections of SQLAlchemy.

    One database (or one schema of it, with ``?options=-csearch_path%3Dname``) holds one study. Writers lock the row of
    the study, so they come one after the other from however many machines.

    Parameters
    ----------
    url : str
        ``postgresql://user:password@host:port/database``.

    Examples
    --------
    >>> PostgreSQLStorage("postgresql://me:secret@db/study").place
    'postgresql://me:***@db/study'
    """

    _errors: ClassVar[tuple[type[Exception], ...]] = (SQLAlchemyError,)
    _find_version_table: ClassVar[str] = f"SELECT 1 WHERE to_regclass('{VERSION_TABLE}') IS NOT NULL"

    def __init__(self, url: str) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._engine_made: sqlalchemy.Engine | None = None
        try:
            self._url = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
        except ArgumentError:
            # The URL may hold a password: it is not repeated.
            raise InvalidInputError(
                "the URL of the study cannot be read; write postgresql://user@host/database"
            ) from None

    @property
    def place(self) -> str:
        """Name the database, without its password."""
        return self._url.set(drivername="postgresql").render_as_string(hide_password=True)

    def why_unwell(self) -> str:
        """Say what keeps anybody from writing."""
        able = f"has_table_privilege(current_user, '{EVENTS.name}', 'INSERT') AS able"
        try:
            (found,) = self._read(f"SELECT current_setting('transaction_read_only') AS frozen, {able}")
            if found["frozen"] != "off" or not found["able"]:
                return "the database cannot be written"
            with self._connected(write=True) as connection:
                connection.execute(_LITTLE_MEMORY)
                connection.execute(_NEEDS_ROOM)
        except StorageError as error:
            is_full = getattr(getattr(error.__cause__, "orig", None), "sqlstate", "") == _FULL
            return "the disk is full" if is_full else "the database cannot be reached"
        return ""

    @property
    def url(self) -> str:
        """The URL, with its password."""
        return self._url.set(drivername="postgresql").render_as_string(hide_password=False)

    def close(self) -> None:
        """Close all connections."""
        if self._engine_made is not None:
            self._engine_made.dispose()

    @property
    def _engine(self) -> sqlalchemy.Engine:
        with self._lock:
            if self._engine_made is None:
                self._engine_made = self._make_engine()
            return self._engine_made

    def _make_engine(self) -> sqlalchemy.Engine:
        engine = sqlalchemy.create_engine(
            self._url,
            pool_pre_ping=True,  # the database may have been restarted since a connection was last used
            pool_size=10,
            max_overflow=20,
            connect_args=dict(CONNECTING),
        )

        @sqlalchemy.event.listens_for(engine, "connect")
        def _set_up(connection: Any, _record: Any) -> None:
            with connection.cursor() as cursor:
                # An answer is acknowledged when it is on the disk, whatever the server is set to.
                cursor.execute("SELECT current_setting('synchronous_commit')")
                if cursor.fetchone() == ("off",):
                    cursor.execute("SET synchronous_commit TO on")
            connection.commit()

        return engine

    @contextmanager
    def _begin(self, *, write: bool) -> Iterator[Connection]:
        # A single query needs no transaction around it: two round trips less.
        options: dict[str, Any] = {} if write else {"isolation_level": "AUTOCOMMIT"}
        with self._engine.connect().execution_options(**options) as connection, connection.begin():
            yield _Connection(connection)

    @contextmanager
    def _for_migrations(self, connection: Connection) -> Iterator[sqlalchemy.Connection]:
        assert isinstance(connection, _Connection)
        yield connection.of_sqlalchemy

    def _lock_study(self, connection: Connection) -> None:
        connection.execute(f"SELECT id FROM {STUDY.name} FOR UPDATE")

    def _lock_schema(self, connection: Connection) -> None:
        connection.execute(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})")

    def _say(self, error: Exception) -> str:
        if isinstance(error, PoolTimeoutError):
            return f"the database at {self.place} is too busy: try again in a moment"
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        return f"the database at {self.place} cannot be used: {reason}"


class _Connection:
    def __init__(self, connection: sqlalchemy.Connection) -> None:
        self.of_sqlalchemy = connection

    def execute(self, statement: str, parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ()) -> list[Row]:
        done = self.of_sqlalchemy.execute(_text(statement), parameters or None)
        return [dict(row) for row in done.mappings()] if done.returns_rows else []


@lru_cache(maxsize=64)
def _text(statement: str) -> sqlalchemy.TextClause:
    return sqlalchemy.text(statement)
