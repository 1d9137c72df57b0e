"""The studies in the schemas of a PostgreSQL database."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy
from sqlalchemy.exc import SQLAlchemyError

from activefs.catalog._base import Catalog, CatalogEntry, name_in_addresses, taken_by
from activefs.exceptions import InvalidInputError, StorageError
from activefs.storages import CONNECTING, STUDY_TABLE, Storage, open_storage

KEEPER = "activefs_server"
PREFIX = "activefs_"
_PLAIN = re.compile("[a-z_][a-z0-9_]*")
_GONE = ("42P01", "3F000")  # what PostgreSQL says of tables and schemas that are not there
_FRESH = 2.0  # seconds for which a list is as good as a new one
_SCHEMAS = sqlalchemy.text(
    "SELECT n.nspname, c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relname = :table AND c.relkind = 'r' ORDER BY n.nspname"
)


class DatabaseCatalog(Catalog):
    """Every schema of a database that holds a study.

    Parameters
    ----------
    url : str
        The database, without a search path.
    tables : Path, optional
        Folder for the tables of new studies; without it none can be made.
    """

    def __init__(self, url: str, tables: Path | None = None) -> None:
        self._url = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
        self._tables = None if tables is None else tables.absolute()
        self._engine = sqlalchemy.create_engine(
            self._url, pool_pre_ping=True, pool_size=2, connect_args=dict(CONNECTING)
        )
        self._lock = threading.Lock()
        self._known: tuple[float, list[CatalogEntry]] = (0.0, [])

    @property
    def place(self) -> str:
        """Name the database, without its password."""
        return self._url.set(drivername="postgresql").render_as_string(hide_password=True)

    def entries(self) -> list[CatalogEntry]:
        """List the studies by name."""
        with self._lock:
            asked, found = self._known
            if time.monotonic() - asked > _FRESH:
                found = self._listed()
                self._known = (time.monotonic(), found)
            return list(found)

    def find(self, name: str) -> CatalogEntry | None:
        """Look for a study."""
        return next((entry for entry in self.entries() if entry.name == name), None)

    def keeper(self) -> Storage:
        """Give the storage of the owners: a schema of its own."""
        return open_storage(self._of(KEEPER))

    def people(self) -> Storage:
        """Give the storage of the owners, in its schema, which is made if it is not there."""
        self._make(KEEPER)
        return super().people()

    @property
    def tables(self) -> Path | None:
        """Folder of the tables of new studies."""
        return self._tables

    def finish(self, name: str, url: str) -> None:
        """Look again at what is there."""
        self._forget()

    def table_for(self, name: str, ending: str, own: Path) -> Path:
        """Put the table into the folder for tables."""
        if self._tables is None or self.why_not_new():
            raise InvalidInputError(self.why_not_new())
        self._forget()
        if taken_by(self._tables, name, own) is not None or self.find(name) is not None:
            raise InvalidInputError(f"there is a study or a table {name!r} already: choose another name")
        return self._tables / f"{name}{ending}"

    def new(self, name: str) -> str:
        """Make a schema."""
        self._make(f"{PREFIX}{name}")
        self._forget()
        return self._of(f"{PREFIX}{name}")

    def discard(self, name: str, url: str) -> None:
        """Drop the schema of a study that did not come to be; one with a study in it stays."""
        schema = _quoted(f"{PREFIX}{name}")
        with self._begin() as connection:
            found = connection.execute(
                sqlalchemy.text("SELECT to_regclass(:table)"), {"table": f"{schema}.{STUDY_TABLE}"}
            )
            if (
                found.scalar() is None
                or not connection.execute(sqlalchemy.text(f"SELECT 1 FROM {schema}.{STUDY_TABLE}")).first()
            ):
                connection.execute(sqlalchemy.text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
        self._forget()

    def why_not_new(self) -> str:
        """Say that a folder for tables must be named, if none is."""
        if self._tables is None:
            return "the server must be started with --tables FOLDER, where the tables of new studies are kept"
        if not self._tables.is_dir():
            return f"there is no folder {self._tables} for the tables of new studies"
        return ""

    @property
    def has_owners(self) -> bool:
        """Whether there is a place for owners already."""
        return any(schema == KEEPER for schema, _ in self._schemas())

    def _schemas(self) -> list[tuple[str, int]]:
        with self._begin() as connection:
            rows = connection.execute(_SCHEMAS, {"table": STUDY_TABLE}).all()
        return [(str(schema), int(number)) for schema, number in rows]

    def _listed(self) -> list[CatalogEntry]:
        found = []
        schemas = [one for one in self._schemas() if one[0] != KEEPER]
        names = {schema for schema, _ in schemas}
        for schema, number in schemas:
            problem = self._look(schema)
            if problem is None:
                continue
            short = schema.removeprefix(PREFIX)
            name = name_in_addresses(schema if short in names else short)
            found.append(CatalogEntry(name, self._of(schema), f"schema {schema}", problem, (schema, number)))
        return sorted(found, key=lambda entry: entry.name)

    def _look(self, schema: str) -> str | None:
        """Say what is wrong with a schema; None if it holds no study."""
        try:
            with self._engine.connect() as connection:
                found = connection.execute(sqlalchemy.text(f"SELECT 1 FROM {_quoted(schema)}.{STUDY_TABLE}"))
                return None if found.first() is None else ""
        except SQLAlchemyError as error:
            if getattr(getattr(error, "orig", None), "sqlstate", "") in _GONE:
                return None
            return f"it cannot be read ({_reason(error)})"

    def _of(self, schema: str) -> str:
        # In options, what a blank means is said by a backslash before it.
        path = schema if _PLAIN.fullmatch(schema) else re.sub(r"([\\\s])", r"\\\1", _identifier(schema))
        url = self._url.update_query_dict({"options": f"-csearch_path={path}"})
        return url.set(drivername="postgresql").render_as_string(hide_password=False)

    def _make(self, schema: str) -> None:
        with self._begin() as connection:
            connection.execute(sqlalchemy.text(f"CREATE SCHEMA IF NOT EXISTS {_quoted(schema)}"))

    def _forget(self) -> None:
        with self._lock:
            self._known = (0.0, [])

    @contextmanager
    def _begin(self) -> Iterator[sqlalchemy.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StorageError(f"the database at {self.place} cannot be used: {_reason(error)}") from error


def _reason(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def _quoted(schema: str) -> str:
    """Write a name as SQLAlchemy wants it in a statement, where a colon begins a parameter."""
    return _identifier(schema).replace(":", "\\:")


def _identifier(schema: str) -> str:
    doubled = schema.replace('"', '""')
    return f'"{doubled}"'
