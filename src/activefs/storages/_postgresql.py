"""A study in a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlalchemy import Connection, Engine, create_engine, event, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from activefs.exceptions import InvalidInputError
from activefs.storages._models import StudyRow
from activefs.storages._sql import SQLStorage

# Any number that is ours alone: who changes the tables holds the database's advisory lock of this number.
_SCHEMA_LOCK = 0x61667331


class PostgreSQLStorage(SQLStorage):
    """Keeps a study in a PostgreSQL database, through psycopg 3.

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

    # A single query needs no transaction around it: two round trips less.
    _reading: ClassVar[Mapping[str, Any]] = {"isolation_level": "AUTOCOMMIT"}

    def __init__(self, url: str) -> None:
        super().__init__()
        try:
            self._url = make_url(url).set(drivername="postgresql+psycopg")
        except ArgumentError:
            # The URL may hold a password: it is not repeated.
            raise InvalidInputError(
                "the URL of the study cannot be read; write postgresql://user@host/database"
            ) from None

    @property
    def place(self) -> str:
        """Name the database, without its password."""
        return self._url.set(drivername="postgresql").render_as_string(hide_password=True)

    def _make_engine(self) -> Engine:
        engine = create_engine(
            self._url,
            pool_pre_ping=True,  # the database may have been restarted since a connection was last used
            pool_size=10,
            max_overflow=20,
            connect_args={"connect_timeout": 10},
        )

        @event.listens_for(engine, "connect")
        def _set_up(connection: Any, _record: Any) -> None:
            with connection.cursor() as cursor:
                # An answer is acknowledged when it is on the disk, whatever the server is set to.
                cursor.execute("SELECT current_setting('synchronous_commit')")
                if cursor.fetchone() == ("off",):
                    cursor.execute("SET synchronous_commit TO on")
            connection.commit()

        return engine

    def _lock_study(self, connection: Connection) -> None:
        connection.execute(select(StudyRow.id).with_for_update())

    def _lock_schema(self, connection: Connection) -> None:
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _SCHEMA_LOCK})
