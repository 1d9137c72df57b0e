import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from machines import postgres_url

from activefs.exceptions import InvalidInputError, MissingExtraError, StorageError
from activefs.storages import Header, MemoryStorage, open_storage
from activefs.storages import _registry as registry
from activefs.storages import _schema as schema
from activefs.storages._postgresql import PostgreSQLStorage
from activefs.storages._sql import SQLStorage
from activefs.storages._tables import TABLES

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
HEADER = Header({"k": 1}, {"rows": 3}, NOW)


def made(path):
    storage = open_storage(path)
    storage.create(HEADER)
    return storage


def old_study(path, version):
    """A study as an earlier release made it, with an entry in its log."""
    storage = open_storage(path)
    assert isinstance(storage, SQLStorage)
    storage._check_reachable(creating=True)
    with storage._connected(write=True) as connection:
        storage._migrate(connection, version)
        connection.execute(
            "INSERT INTO activefs_study VALUES (1, :settings, '{}', '2024-05-01T12:00:00.000000Z')",
            {"settings": '{"k": 5}'},
        )
        connection.execute(
            "INSERT INTO activefs_events (id, kind, row, annotator, time, label) "
            "VALUES (1, 'labelled', 2, 'ana', '2024-05-01T12:00:00.000000Z', '\"ill\"')"
        )
    storage.close()


def check_what_was_added(storage):
    assert storage.find_sign_in("x") is None
    storage.name_rows({2: "P002"})
    storage.keep_answer("key", {"a": 1})
    assert storage.row_names() == {2: "P002"} and storage.find_answer("key") == {"a": 1}


class TestUrls:
    @pytest.mark.parametrize(
        ("url", "place"),
        [
            ("study.db", "study.db"),
            ("sqlite:///study.db", "study.db"),
            ("sqlite:////var/study.db", str(Path("/var/study.db"))),
            ("sqlite+pysqlite:///study.db?timeout=5", "study.db"),
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

    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("mysql://host/db", "cannot be kept at mysql:"),
            ("", "is empty"),
            ("sqlite://", "names no file"),
            ("sqlite:///:memory:", "names no file"),
            ("sqlite://host/x.db", "names no file"),
        ],
    )
    def test_unusable(self, url, said):
        with pytest.raises(InvalidInputError, match=said):
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
            names = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
            values = [next(iter(connection.execute(f"PRAGMA {name}")[0].values())) for name in names]
        assert values == ["wal", 2, 60_000, 1]

    def test_connections_are_used_again(self, tmp_path):
        storage = made(tmp_path / "s.db")
        for _ in range(5):
            storage.events()
        assert len(storage._idle) == 1
        with storage.transaction(), storage._connected():
            assert len(storage._idle) == 0
        assert len(storage._idle) == 2
        storage.close()
        assert len(storage._idle) == 0 and storage.events() == []
        storage.close()
        assert not (tmp_path / "s.db-wal").exists()  # the last connection clears away what belongs to the file

    def test_an_error_of_the_database_is_followed_by_a_fresh_connection(self, tmp_path):
        storage = made(tmp_path / "s.db")
        with pytest.raises(StorageError, match="no such table: absent"), storage._connected(write=True) as connection:
            connection.execute("SELECT * FROM absent")
        with storage.transaction() as log:
            assert log.events() == []

    def test_no_packages_are_needed_for_a_study_that_is_there(self, tmp_path):
        made(tmp_path / "s.db").close()
        code = (
            "import sys; sys.modules.update(dict.fromkeys(('sqlalchemy', 'alembic', 'psycopg')))\n"
            "from activefs.exceptions import MissingExtraError; from activefs.storages import Header, open_storage\n"
            "from datetime import UTC, datetime\n"
            f"header = open_storage({str(tmp_path / 's.db')!r}).header()\n"
            "assert header.settings == {'k': 1}\n"
            "try: open_storage('t.db').create(header)\n"
            "except MissingExtraError as error: print(error)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
        assert "pip install 'activefs[sql]'" in done.stdout and not (tmp_path / "t.db").exists()

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
    def test_tables_are_what_migrations_make(self, tmp_path):
        made(tmp_path / "s.db").close()
        with sqlite3.connect(tmp_path / "s.db") as connection:
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            assert names == {*(table.name for table in TABLES), schema.VERSION_TABLE}
            for table in TABLES:
                found = [column[1] for column in connection.execute(f"PRAGMA table_info({table.name})")]
                assert sorted(found) == sorted(table.columns)

    def test_newest_version_is_that_of_the_scripts(self):
        scripts = ScriptDirectory.from_config(schema._config())
        assert scripts.get_current_head() == schema.NEWEST

    @pytest.mark.parametrize("version", ["0001", "0002", "0003"])
    def test_old_study_is_upgraded_after_a_backup(self, tmp_path, version):
        path = tmp_path / "s.db"
        old_study(path, version)
        storage = open_storage(path)
        assert dict(storage.header().settings) == {"k": 5}
        assert [(e.label, e.chance) for e in storage.events()] == [("ill", None)]
        check_what_was_added(storage)
        (backup,) = tmp_path.glob(f"s.db.backup-{version}-*")
        with sqlite3.connect(backup) as connection:
            assert connection.execute("SELECT version_num FROM activefs_version").fetchone() == (version,)
            assert connection.execute("SELECT label FROM activefs_events").fetchone() == ('"ill"',)

    def test_a_failed_upgrade_changes_nothing(self, tmp_path, monkeypatch):
        path = tmp_path / "s.db"
        old_study(path, "0002")
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE activefs_kept_answers (x)")  # in the way of the second table
        with pytest.raises(StorageError, match="already exists"):
            open_storage(path).header()
        with sqlite3.connect(path) as connection:
            assert connection.execute("SELECT version_num FROM activefs_version").fetchone() == ("0002",)
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            assert "activefs_row_names" not in names  # the first one was taken back
            connection.execute("DROP TABLE activefs_kept_answers")
        check_what_was_added(open_storage(path))

    def test_current_study_needs_no_backup(self, tmp_path):
        made(tmp_path / "s.db")
        open_storage(tmp_path / "s.db").header()
        assert not list(tmp_path.glob("*backup*"))

    def test_later_study_is_refused(self, tmp_path):
        storage = made(tmp_path / "s.db")
        with storage._connected(write=True) as connection:
            connection.execute("UPDATE activefs_version SET version_num = '9999'")
        with pytest.raises(StorageError, match="update activefs"):
            open_storage(tmp_path / "s.db").header()

    def test_old_study_on_postgresql(self):
        with postgres_url() as url:
            old_study(url, "0001")
            storage = open_storage(url)
            assert [e.label for e in storage.events()] == ["ill"]
            check_what_was_added(storage)
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
                assert connection.execute("SHOW synchronous_commit") == [{"synchronous_commit": "on"}]
            storage.close()


class TestKeptAnswers:
    def test_what_cannot_be_kept_is_an_error_like_all_others(self, tmp_path):
        storage = made(tmp_path / "s.db")
        with storage._connected(write=True) as connection:
            connection.execute("ALTER TABLE activefs_kept_answers RENAME TO away")
        with pytest.raises(StorageError, match="no such table"):
            storage.keep_answer("key", {})
        with pytest.raises(StorageError, match="no such table"):
            storage.find_answer("key")

    def test_the_file_does_not_grow_for_ever(self, tmp_path):
        storage = made(tmp_path / "s.db")
        for i in range(200):
            storage.keep_answer(f"key {i % 150}", {"i": i})
        with storage._connected() as connection:
            assert connection.execute("SELECT COUNT(*) AS n FROM activefs_kept_answers") == [{"n": 64}]


def test_sources_ship_with_migrations():
    folder = Path(schema.__file__).parent / "migrations"
    assert (folder / "env.py").is_file()
    assert len(list((folder / "versions").glob("0*.py"))) >= 3


class TestSchemes:
    @pytest.mark.parametrize("url", ["sqlite:study.db", "postgresql:db", "postgres:db"])
    def test_half_a_url_is_told(self, url):
        with pytest.raises(InvalidInputError, match=rf"no URL of a study.*\./{url}"):
            open_storage(url)

    def test_a_file_may_have_a_colon_in_its_name(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert open_storage("ward:3.db").place == "ward:3.db"
        assert open_storage("./sqlite:3.db").place.endswith("sqlite:3.db")

    def test_one_entry_makes_a_storage_known(self, monkeypatch):
        monkeypatch.setitem(registry.SCHEMES, "lines", ("activefs.storages._memory", "MemoryStorage"))
        assert open_storage("lines://study").place == "memory"


@pytest.mark.skipif(sys.platform != "linux", reason="not every system can be told when to give up a lost connection")
def test_a_database_that_is_gone_without_a_word_is_given_up():
    with ExitStack() as stack:
        storage = stack.enter_context(closing(open_storage(stack.enter_context(postgres_url()))))
        assert isinstance(storage, PostgreSQLStorage)
        connection: Any = stack.enter_context(storage._engine.connect())
        lent = socket.socket(fileno=os.dup(connection.connection.driver_connection.fileno()))
        with closing(lent):
            if sys.platform == "linux":
                assert lent.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
                assert lent.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30
