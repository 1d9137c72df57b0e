"""What SQLite and PostgreSQL have in common."""

from __future__ import annotations

import json
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import Connection, Engine, Table, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from activefs.exceptions import InvalidInputError, StorageError
from activefs.storages import _schema
from activefs.storages._base import Annotator, Event, Header, Log, Role, SignIn, Storage
from activefs.storages._models import AnnotatorRow, EventRow, SignInRow, StudyRow
from activefs.storages._rows import event_from_row, event_to_row, from_text, to_text

_EVENTS: Table = EventRow.__table__  # type: ignore[assignment]
_STUDY: Table = StudyRow.__table__  # type: ignore[assignment]


class SQLStorage(Storage):
    """Keeps a study in a database that SQLAlchemy can reach."""

    _reading: ClassVar[Mapping[str, Any]] = {}
    """Options of connections that only read."""

    def __init__(self) -> None:
        self._engine_made: Engine | None = None
        self._checked = False
        self._lock = threading.Lock()

    # --- what each database does in its own way ---

    @abstractmethod
    def _make_engine(self) -> Engine:
        """Describe how to connect, durably."""

    @abstractmethod
    def _lock_study(self, connection: Connection) -> None:
        """Wait until this connection is the only writer of the study, up to the end of its transaction."""

    @abstractmethod
    def _lock_schema(self, connection: Connection) -> None:
        """Wait until this connection is the only one that changes the tables."""

    def _check_reachable(self, *, creating: bool) -> None:
        """Say in words why there is nothing to connect to."""

    def _advice(self, error: BaseException) -> str:
        """Say what to do about an error of the database, where that is known."""
        return ""

    def _back_up(self, version: str) -> None:
        """Copy the database before its tables are changed, where that is our business."""

    # --- the study ---

    def create(self, header: Header) -> None:
        """Make the tables, if they are not there, and the study."""
        self._check_reachable(creating=True)
        with self._connected(write=True) as connection:
            self._lock_schema(connection)
            if _schema.current(connection) is None:
                _schema.upgrade(connection)
            elif connection.execute(select(func.count()).select_from(_STUDY)).scalar_one():
                raise InvalidInputError(
                    f"there is a study at {self.place} already: open it, or name another place for the new one"
                )
            row = {
                "id": 1,
                "settings": json.dumps(header.settings),
                "fingerprint": json.dumps(header.fingerprint),
                "created": to_text(header.created),
            }
            connection.execute(insert(_STUDY), row)
        self._checked = True

    def header(self) -> Header:
        """Read what was fixed when the study was made."""
        self._prepare()
        with self._connected() as connection:
            row = connection.execute(select(_STUDY)).mappings().one_or_none()
        if row is None:
            raise self._no_study()
        return Header(json.loads(row["settings"]), json.loads(row["fingerprint"]), from_text(row["created"]))

    def events(self, after: int = 0) -> list[Event]:
        """Read the entries above a number."""
        self._prepare()
        with self._connected() as connection:
            return _read(connection, after)

    @contextmanager
    def transaction(self) -> Iterator[Log]:
        """Open the log for writing."""
        self._prepare()
        with self._connected(write=True) as connection:
            self._lock_study(connection)
            yield _OpenLog(connection)

    # --- people ---

    def add_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator."""
        self._prepare()
        with self._connected(write=True) as connection:
            self._lock_study(connection)
            _forget(connection, annotator.name)
            row = {
                "name": annotator.name,
                "role": annotator.role.value,
                "key": annotator.key,
                "digest": annotator.digest,
                "created": to_text(annotator.created),
            }
            connection.execute(insert(AnnotatorRow), row)

    def remove_annotator(self, name: str) -> bool:
        """Forget an annotator and the sign-ins."""
        self._prepare()
        with self._connected(write=True) as connection:
            self._lock_study(connection)
            return _forget(connection, name)

    def annotators(self) -> list[Annotator]:
        """List the annotators by name."""
        self._prepare()
        with self._connected() as connection:
            rows = connection.execute(select(AnnotatorRow.__table__)).mappings().all()
        found = [Annotator(r["name"], Role(r["role"]), r["key"], r["digest"], from_text(r["created"])) for r in rows]
        return sorted(found, key=lambda a: a.name)

    def add_sign_in(self, sign_in: SignIn) -> None:
        """Keep a sign-in."""
        self._prepare()
        with self._connected(write=True) as connection:
            connection.execute(delete(SignInRow).where(SignInRow.expires <= to_text(datetime.now(UTC))))
            row = {"digest": sign_in.digest, "annotator": sign_in.annotator, "expires": to_text(sign_in.expires)}
            connection.execute(insert(SignInRow), row)

    def find_sign_in(self, digest: str) -> SignIn | None:
        """Look for a sign-in."""
        self._prepare()
        with self._connected() as connection:
            found = connection.execute(select(SignInRow.__table__).where(SignInRow.digest == digest)).mappings().first()
        return None if found is None else SignIn(found["digest"], found["annotator"], from_text(found["expires"]))

    def remove_sign_in(self, digest: str) -> None:
        """Forget a sign-in."""
        self._prepare()
        with self._connected(write=True) as connection:
            connection.execute(delete(SignInRow).where(SignInRow.digest == digest))

    def close(self) -> None:
        """Close all connections."""
        if self._engine_made is not None:
            self._engine_made.dispose()

    # --- inside ---

    @property
    def _engine(self) -> Engine:
        with self._lock:
            if self._engine_made is None:
                self._engine_made = self._make_engine()
            return self._engine_made

    @contextmanager
    def _connected(self, *, write: bool = False) -> Iterator[Connection]:
        """Run a transaction; what the database complains about becomes a sentence."""
        try:
            options: dict[str, Any] = {"activefs_write": write} if write else dict(self._reading)
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        except PoolTimeoutError as error:
            raise StorageError(f"the database at {self.place} is too busy: try again in a moment") from error
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            reason = str(cause).strip().splitlines()[0]
            raise StorageError(f"the database at {self.place} cannot be used: {reason}{self._advice(cause)}") from error

    def _prepare(self) -> None:
        """Once: check that there is a study, and bring its tables up to date."""
        if self._checked:
            return
        self._check_reachable(creating=False)
        with self._connected() as connection:
            version = _schema.current(connection)
        if version is None:
            raise self._no_study()
        if version != _schema.newest():
            self._upgrade()
        self._checked = True

    def _upgrade(self) -> None:
        with self._connected(write=True) as connection:
            self._lock_schema(connection)
            version = _schema.current(connection)  # somebody else may have been faster
            if version is None or version == _schema.newest():
                return
            _schema.check_known(version, self.place)
            self._back_up(version)
            _schema.upgrade(connection)

    def _no_study(self) -> InvalidInputError:
        return InvalidInputError(
            f"there is no study at {self.place}: make one with activefs study create, or check the name"
        )


class _OpenLog(Log):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def events(self, after: int = 0) -> list[Event]:
        return _read(self._connection, after)

    def append(self, events: Sequence[Event]) -> list[Event]:
        if not events:
            return []
        last = self._connection.execute(select(func.coalesce(func.max(_EVENTS.c.id), 0))).scalar_one()
        rows = [event_to_row(event, last + i) for i, event in enumerate(events, start=1)]
        self._connection.execute(insert(_EVENTS), rows)
        return [event_from_row(row) for row in rows]


def _read(connection: Connection, after: int) -> list[Event]:
    rows = connection.execute(select(_EVENTS).where(_EVENTS.c.id > after).order_by(_EVENTS.c.id)).mappings()
    return [event_from_row(dict(row)) for row in rows]


def _forget(connection: Connection, name: str) -> bool:
    connection.execute(delete(SignInRow).where(SignInRow.annotator == name))
    found = connection.execute(select(AnnotatorRow.name).where(AnnotatorRow.name == name)).first()
    connection.execute(delete(AnnotatorRow).where(AnnotatorRow.name == name))
    return found is not None
