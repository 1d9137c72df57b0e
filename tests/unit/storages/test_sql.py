import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import postgres_url
from sqlalchemy import inspect, text

from activefs.exceptions import InvalidInputError, MissingExtraError, StorageError
from activefs.storages import Header, MemoryStorage, open_storage
from activefs.storages import _registry as registry
from activefs.storages import _schema as schema
from activefs.storages._models import Base

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
HEADER = Header({"k": 1}, {"rows": 3}, NOW)


def made(path):
    storage = open_storage(path)
    storage.create(HEADER)
    return storage


def old_study(path):
    """A study as the first release made it, with an entry in its log."""
    storage = open_storage(path)
    storage._check_reachable(creating=True)
    with storage._connected(write=True) as connection:
        schema.upgrade(connection, "0001")
        connection.execute(
            text("INSERT INTO activefs_study VALUES (1, '{\"k\": 5}', '{}', '2024-05-01T12:00:00.000000Z')")
        )
        connection.execute(
            text(
                "INSERT INTO activefs_events (id, kind, row, annotator, time, label) "
                "VALUES (1, 'labelled', 2, 'ana', '2024-05-01T12:00:00.000000Z', '\"ill\"')"
            )
        )
    storage.close()


class TestUrls:
    @pytest.mark.parametrize(
        ("url", "place"),
        [
            ("study.db", "study.db"),
            ("sqlite:///study.db", "study.db"),
            ("sqlite:////var/study.db", "/var/study.db"),
            ("postgresql://me:secret@db/x", "postgresql://me:***@db/x"),
            ("postgres://me@db/x", "postgresql://me@db/x"),
            ("postgresql+psycopg://me@db/x", "postgresql://me@db/x"),
            ("memory:", "memory"),
        ],
    )
    def test_schemes(self, url, place):
        assert open_storage(url).place == place

    def test_a_storage_is_taken_as_it_is(self):
        storage = MemoryStorage()
        assert open_storage(storage) is storage

    @pytest.mark.parametrize("url", ["mysql://host/db", "", "sqlite://", "sqlite:///:memory:"])
    def test_unusable(self, url):
        with pytest.raises(InvalidInputError):
            open_storage(url)

    def test_missing_packages_are_named(self, monkeypatch):
        monkeypatch.setitem(registry.SCHEMES, "sqlite", ("activefs.storages._not_there", "X"))
        with pytest.raises(MissingExtraError, match=r"activefs\[sql\]"):
            open_storage("study.db")

    def test_plain_install_imports_no_database_packages(self):
        code = "import activefs, sys; activefs.Study; assert not {'sqlalchemy', 'fastapi'} & set(sys.modules)"
        subprocess.run([sys.executable, "-c", code], check=True)


class TestSQLiteFile:
    def test_pragmas(self, tmp_path):
        storage = made(tmp_path / "s.db")
        with storage._connected() as connection:
            values = [
                connection.exec_driver_sql(f"PRAGMA {n}").scalar()
                for n in ("journal_mode", "synchronous", "busy_timeout")
            ]
        assert values == ["wal", 2, 60_000]

    def test_no_file_appears_when_there_is_no_study(self, tmp_path):
        with pytest.raises(InvalidInputError, match="there is no study"):
            open_storage(tmp_path / "s.db").header()
        assert not (tmp_path / "s.db").exists()

    def test_a_file_of_another_kind(self, tmp_path):
        path = tmp_path / "s.db"
        path.write_text("a,b\n1,2\n" * 10)
        with pytest.raises(InvalidInputError, match="no study"):
            open_storage(path).header()
        with pytest.raises(InvalidInputError, match="Name another file"):
            open_storage(path).create(HEADER)

    def test_a_database_of_something_else(self, tmp_path):
        path = tmp_path / "s.db"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE t (x)")
        with pytest.raises(InvalidInputError, match="there is no study"):
            open_storage(path).header()

    def test_held_by_another_program(self, tmp_path, monkeypatch):
        monkeypatch.setattr("activefs.storages._sqlite._WAIT", 0.05)
        storage = made(tmp_path / "s.db")
        other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="another program holds the file"), storage.transaction():
            pass
        assert storage.events() == []  # readers need not wait
        other.close()
        with storage.transaction() as log:
            log.append([])

    def test_damaged_file(self, tmp_path):
        path = tmp_path / "s.db"
        made(path).close()
        path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 36864)
        with pytest.raises(StorageError, match="from a backup"):
            open_storage(path).events()

    def test_folder_is_missing(self, tmp_path):
        with pytest.raises(InvalidInputError, match="make it first"):
            open_storage(tmp_path / "no" / "s.db").create(HEADER)
        with pytest.raises(InvalidInputError, match="is a folder"):
            open_storage(tmp_path).header()


class TestVersions:
    def test_models_are_what_migrations_make(self, tmp_path):
        storage = made(tmp_path / "s.db")
        with storage._connected() as connection:
            inspector = inspect(connection)
            for name, table in Base.metadata.tables.items():
                found = {c["name"]: (str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)}
                assert found == {c.name: (str(c.type), c.nullable) for c in table.columns}
            assert set(inspector.get_table_names()) == {*Base.metadata.tables, schema.VERSION_TABLE}

    def test_old_study_is_upgraded_after_a_backup(self, tmp_path):
        path = tmp_path / "s.db"
        old_study(path)
        storage = open_storage(path)
        assert dict(storage.header().settings) == {"k": 5}
        assert [e.label for e in storage.events()] == ["ill"]
        assert storage.find_sign_in("x") is None  # the table that was added
        (backup,) = tmp_path.glob("s.db.backup-0001-*")
        with sqlite3.connect(backup) as connection:
            assert connection.execute("SELECT version_num FROM activefs_version").fetchone() == ("0001",)
            assert connection.execute("SELECT label FROM activefs_events").fetchone() == ('"ill"',)

    def test_current_study_needs_no_backup(self, tmp_path):
        made(tmp_path / "s.db")
        open_storage(tmp_path / "s.db").header()
        assert not list(tmp_path.glob("*backup*"))

    def test_later_study_is_refused(self, tmp_path):
        storage = made(tmp_path / "s.db")
        with storage._connected(write=True) as connection:
            connection.execute(text("UPDATE activefs_version SET version_num = '9999'"))
        with pytest.raises(StorageError, match="update activefs"):
            open_storage(tmp_path / "s.db").header()

    def test_old_study_on_postgresql(self):
        with postgres_url() as url:
            old_study(url)
            storage = open_storage(url)
            assert [e.label for e in storage.events()] == ["ill"]
            assert storage.find_sign_in("x") is None
            storage.close()


class TestPostgreSQL:
    def test_unreachable_is_a_sentence_without_the_password(self):
        with pytest.raises(StorageError, match="cannot be used") as caught:
            open_storage("postgresql://me:secret@127.0.0.1:1/x").header()
        assert "secret" not in str(caught.value)

    def test_commits_are_synchronous(self):
        with postgres_url() as url:
            storage = made(url + "%20-csynchronous_commit%3Doff")
            with storage._connected() as connection:
                assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
            storage.close()


def test_sources_ship_with_migrations():
    folder = Path(schema.__file__).parent / "migrations"
    assert (folder / "env.py").is_file()
    assert len(list((folder / "versions").glob("0*.py"))) >= 2
