"""What SQLite and PostgreSQL have in common: the statements."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from activefs.exceptions import InvalidInputError, StorageError
from activefs.storages import _schema
from activefs.storages._base import MAX_KEPT, Annotator, Event, Header, Log, Role, RowName, SignIn, Storage
from activefs.storages._rows import (
    answer_from_text,
    answer_to_text,
    event_from_row,
    event_to_row,
    from_text,
    name_to_text,
    to_text,
)
from activefs.storages._tables import ANNOTATORS, EVENTS, KEPT_ANSWERS, ROW_NAMES, SIGN_INS, STUDY

if TYPE_CHECKING:
    import sqlalchemy

Row = dict[str, Any]
_AT_ONCE = 500  # rows that one statement asks for


class Connection(Protocol):
    """A connection inside a transaction."""

    def execute(self, statement: str, parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ...) -> list[Row]:
        """Run a statement whose parameters are written ``:name``, once or for each of several; returns the rows."""


class SQLStorage(Storage):
    """Keeps a study in a database."""

    _errors: ClassVar[tuple[type[Exception], ...]]
    """What the driver raises."""

    _find_version_table: ClassVar[str]
    """Statement that finds a row if there is a table with the version, and none if there is not."""

    def __init__(self) -> None:
        self._checked = False

    # --- what each database does in its own way ---

    @abstractmethod
    def _begin(self, *, write: bool) -> AbstractContextManager[Connection]:
        """Run a transaction: what a block with it has done is durable when it ends, and undone if it raises."""

    @abstractmethod
    def _for_migrations(self, connection: Connection) -> AbstractContextManager[sqlalchemy.Connection]:
        """Lend the connection and its transaction to what changes tables."""

    @abstractmethod
    def _lock_study(self, connection: Connection) -> None:
        """Wait until this connection is the only writer of the study, up to the end of its transaction."""

    @abstractmethod
    def _lock_schema(self, connection: Connection) -> None:
        """Wait until this connection is the only one that changes the tables."""

    @abstractmethod
    def _say(self, error: Exception) -> str:
        """Say what is wrong with the database, and what to do about it where that is known."""

    def _check_reachable(self, *, creating: bool) -> None:
        """Say in words why there is nothing to connect to."""

    def _back_up(self, version: str) -> None:
        """Copy the database before its tables are changed, where that is our business."""

    # --- the study ---

    def check_free(self) -> None:
        """Connect, and look for a study."""
        self._check_reachable(creating=True)
        _schema.check_installed()
        with self._connected() as connection:
            if self._version(connection) is not None:
                self._refuse_second(connection)

    def create(self, header: Header) -> None:
        """Make the tables, if they are not there, and the study."""
        self._check_reachable(creating=True)
        _schema.check_installed()
        with self._connected(write=True) as connection:
            self._lock_schema(connection)
            if self._version(connection) is None:
                self._migrate(connection)
            else:
                self._refuse_second(connection)
            row = {
                "id": 1,
                "settings": json.dumps(header.settings),
                "fingerprint": json.dumps(header.fingerprint),
                "created": to_text(header.created),
            }
            connection.execute(STUDY.insert, row)
        self._checked = True

    def header(self) -> Header:
        """Read what was fixed when the study was made."""
        rows = self._read(f"SELECT * FROM {STUDY.name}")
        if not rows:
            raise self._no_study()
        (row,) = rows
        return Header(json.loads(row["settings"]), json.loads(row["fingerprint"]), from_text(row["created"]))

    def events(self, after: int = 0) -> list[Event]:
        """Read the entries above a number."""
        return [event_from_row(row) for row in self._read(_EVENTS_AFTER, {"after": after})]

    @contextmanager
    def transaction(self) -> Iterator[Log]:
        """Open the log for writing."""
        with self._writing() as connection:
            yield _OpenLog(connection)

    # --- beside the log ---

    def name_rows(self, names: Mapping[int, RowName]) -> None:
        """Keep what rows are called."""
        with self._writing() as connection:
            _OpenLog(connection).name_rows(names)

    def row_names(self, rows: Iterable[int] | None = None) -> dict[int, RowName]:
        """Read what rows are called."""
        if rows is None:
            found = self._read(f"SELECT * FROM {ROW_NAMES.name}")
        else:
            wanted = sorted({int(row) for row in rows})
            found = []
            for start in range(0, len(wanted), _AT_ONCE):
                some = {f"row{i}": row for i, row in enumerate(wanted[start : start + _AT_ONCE])}
                listed = ", ".join(f":{name}" for name in some)
                found += self._read(f'SELECT * FROM {ROW_NAMES.name} WHERE "row" IN ({listed})', some)
        return {int(row["row"]): json.loads(row["name"]) for row in found}

    def keep_answer(self, key: str, content: Mapping[str, Any]) -> None:
        """Keep what was computed."""
        text = answer_to_text(key, content)
        table = KEPT_ANSWERS.name
        with self._writing() as connection:
            (last,) = connection.execute(f"SELECT COALESCE(MAX(number), 0) AS number FROM {table}")
            connection.execute(f'DELETE FROM {table} WHERE "key" = :key', {"key": key})
            connection.execute(KEPT_ANSWERS.insert, {"key": key, "number": last["number"] + 1, "content": text})
            newest = f"SELECT number FROM {table} ORDER BY number DESC LIMIT {MAX_KEPT}"
            connection.execute(f"DELETE FROM {table} WHERE number NOT IN ({newest})")

    def find_answer(self, key: str) -> dict[str, Any] | None:
        """Look for what was kept under a key."""
        rows = self._read(f'SELECT content FROM {KEPT_ANSWERS.name} WHERE "key" = :key', {"key": key})
        return answer_from_text(rows[0]["content"]) if rows else None

    # --- people ---

    def add_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator."""
        row = {
            "name": annotator.name,
            "role": annotator.role.value,
            "key": annotator.key,
            "digest": annotator.digest,
            "created": to_text(annotator.created),
        }
        with self._writing() as connection:
            _forget(connection, annotator.name)
            connection.execute(ANNOTATORS.insert, row)

    def remove_annotator(self, name: str) -> bool:
        """Forget an annotator and the sign-ins."""
        with self._writing() as connection:
            return _forget(connection, name)

    def annotators(self) -> list[Annotator]:
        """List the annotators by name."""
        rows = self._read(f"SELECT * FROM {ANNOTATORS.name}")
        found = [Annotator(r["name"], Role(r["role"]), r["key"], r["digest"], from_text(r["created"])) for r in rows]
        return sorted(found, key=lambda a: a.name)

    def add_sign_in(self, sign_in: SignIn) -> None:
        """Keep a sign-in."""
        row = {"digest": sign_in.digest, "annotator": sign_in.annotator, "expires": to_text(sign_in.expires)}
        self._prepare()
        with self._connected(write=True) as connection:
            now = {"now": to_text(datetime.now(UTC))}
            connection.execute(f"DELETE FROM {SIGN_INS.name} WHERE expires <= :now", now)
            connection.execute(SIGN_INS.insert, row)

    def find_sign_in(self, digest: str) -> SignIn | None:
        """Look for a sign-in."""
        rows = self._read(f"SELECT * FROM {SIGN_INS.name} WHERE digest = :digest", {"digest": digest})
        return SignIn(digest, rows[0]["annotator"], from_text(rows[0]["expires"])) if rows else None

    def remove_sign_in(self, digest: str) -> None:
        """Forget a sign-in."""
        self._prepare()
        with self._connected(write=True) as connection:
            connection.execute(f"DELETE FROM {SIGN_INS.name} WHERE digest = :digest", {"digest": digest})

    # --- inside ---

    @contextmanager
    def _connected(self, *, write: bool = False) -> Iterator[Connection]:
        """Run a transaction; what the database complains about becomes a sentence."""
        try:
            with self._begin(write=write) as connection:
                yield connection
        except self._errors as error:
            raise StorageError(self._say(error)) from error

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Run a transaction of the only writer of the study."""
        self._prepare()
        with self._connected(write=True) as connection:
            self._lock_study(connection)
            yield connection

    def _read(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        self._prepare()
        with self._connected() as connection:
            return connection.execute(statement, parameters or {})

    def _prepare(self) -> None:
        """Once: check that there is a study, and bring its tables up to date."""
        if self._checked:
            return
        self._check_reachable(creating=False)
        with self._connected() as connection:
            version = self._version(connection)
        if version is None:
            raise self._no_study()
        if version != _schema.NEWEST:
            self._upgrade()
        self._checked = True

    def _version(self, connection: Connection) -> str | None:
        """Version of the tables; None if there are none."""
        if not connection.execute(self._find_version_table):
            return None
        rows = connection.execute(f"SELECT version_num FROM {_schema.VERSION_TABLE}")
        return str(rows[0]["version_num"]) if rows else None

    def _upgrade(self) -> None:
        _schema.check_installed()
        with self._connected(write=True) as connection:
            self._lock_schema(connection)
            version = self._version(connection)  # somebody else may have been faster
            if version is None or version == _schema.NEWEST:
                return
            _schema.check_known(version, self.place)
            self._back_up(version)
            self._migrate(connection)

    def _migrate(self, connection: Connection, to: str = "head") -> None:
        with self._for_migrations(connection) as lent:
            _schema.upgrade(lent, to)

    def _refuse_second(self, connection: Connection) -> None:
        if connection.execute(f"SELECT id FROM {STUDY.name}"):
            raise InvalidInputError(
                f"there is a study at {self.place} already: open it, or name another place for the new one"
            )

    def _no_study(self) -> InvalidInputError:
        return InvalidInputError(
            f"there is no study at {self.place}: make one with activefs study create, or check the name"
        )


_EVENTS_AFTER = f"SELECT * FROM {EVENTS.name} WHERE id > :after ORDER BY id"


class _OpenLog(Log):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def events(self, after: int = 0) -> list[Event]:
        return [event_from_row(row) for row in self._connection.execute(_EVENTS_AFTER, {"after": after})]

    def append(self, events: Sequence[Event]) -> list[Event]:
        if not events:
            return []
        (last,) = self._connection.execute(f"SELECT COALESCE(MAX(id), 0) AS id FROM {EVENTS.name}")
        rows = [event_to_row(event, last["id"] + i) for i, event in enumerate(events, start=1)]
        self._connection.execute(EVENTS.insert, rows)
        return [event_from_row(row) for row in rows]

    def name_rows(self, names: Mapping[int, RowName]) -> None:
        rows = [{"row": int(row), "name": name_to_text(name)} for row, name in names.items()]
        if rows:
            self._connection.execute(f'{ROW_NAMES.insert} ON CONFLICT ("row") DO NOTHING', rows)


def _forget(connection: Connection, name: str) -> bool:
    whose = {"name": name}
    connection.execute(f"DELETE FROM {SIGN_INS.name} WHERE annotator = :name", whose)
    found = connection.execute(f"SELECT name FROM {ANNOTATORS.name} WHERE name = :name", whose)
    connection.execute(f"DELETE FROM {ANNOTATORS.name} WHERE name = :name", whose)
    return bool(found)
