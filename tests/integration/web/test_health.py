"""/health: whether what annotators say can be kept."""

import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from machines import PATIENCE, held_port, postgres_url, small_disk, sqlite_url
from platforms import IS_ROOT, needs_deleting
from servers import served

from activefs import Study

OPTIONS: dict[str, Any] = {"id_column": "patient", "classes": ["yes", "no"], "strategy": "random", "ignore": ["note"]}


def _health(server):
    said = httpx.get(f"{server.base}/health", timeout=PATIENCE)
    return said.status_code, said.text


def test_a_full_disk(table, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        Study.create(disk / "study.db", table, 1, **OPTIONS).close()
        with served(disk / "study.db") as server:
            assert _health(server) == (200, "well\n")
            _fill(disk)
            assert _health(server) == (503, "the disk is full\n")
            (disk / "ballast").unlink()
            assert _health(server) == (200, "well\n")


@pytest.fixture
def small_cluster():
    """A PostgreSQL on a disk of its own that is small: its URL, and the disk."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs or not IS_ROOT or shutil.which("setpriv") is None:
        pytest.skip("needs PostgreSQL as Debian has it, and root, who may mount a small disk")
    disk = Path(tempfile.mkdtemp(prefix="activefs-test-"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m,mode=777", "tmpfs", disk]).returncode != 0:
        pytest.skip("mounting is not allowed here")
    who = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--inh-caps=-all"]
    held, port = held_port()
    data, control = disk / "data", programs[-1].with_name("pg_ctl")
    try:
        command = [*who, str(programs[-1]), "-D", str(data), "-A", "trust", "--wal-segsize=1"]
        subprocess.run(command, check=True, capture_output=True, cwd="/")
        options = f"-p {port} -k {disk} -c listen_addresses=127.0.0.1 -c max_wal_size=4MB -c min_wal_size=2MB"
        command = [*who, str(control), "-D", str(data), "-o", options, "-l", str(disk / "log"), "-w"]
        subprocess.run([*command, "start"], check=True, stdout=subprocess.DEVNULL, cwd="/")
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres", disk
        subprocess.run([*who, control, "-D", data, "-m", "immediate", "stop"], stdout=subprocess.DEVNULL, cwd="/")
    finally:
        held.close()
        subprocess.run(["umount", "-l", disk], check=True)
        disk.rmdir()


def test_a_full_disk_of_the_database(table, small_cluster):
    url, disk = small_cluster
    Study.create(url, table, 1, **OPTIONS).close()
    with served(url) as server:
        assert _health(server) == (200, "well\n")
        _fill(disk)
        assert _health(server) == (503, "the disk is full\n")
        (disk / "ballast").unlink()
        assert _health(server) == (200, "well\n")


def _fill(disk):
    with (disk / "ballast").open("wb") as ballast, pytest.raises(OSError, match="No space"):
        while True:
            ballast.write(bytes(65536))
            ballast.flush()


@needs_deleting
def test_a_file_that_is_gone_or_locked(table, tmp_path):
    with sqlite_url() as url:
        Study.create(url, table, 1, **OPTIONS).close()
        with served(url) as server:
            other = sqlite3.connect(url, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            assert _health(server) == (503, "the database is locked\n")
            other.execute("ROLLBACK")
            other.close()
            assert _health(server) == (200, "well\n")
            shutil.move(url, tmp_path / "elsewhere.db")
            assert _health(server) == (503, "the database cannot be reached\n")
            shutil.move(tmp_path / "elsewhere.db", url)
            assert _health(server) == (200, "well\n")


def test_a_database_that_lets_nobody_write_or_in(table):
    with postgres_url() as url:
        Study.create(url, table, 1, **OPTIONS).close()
        schema = url.rpartition("%3D")[2]
        with served(url) as server, psycopg.connect(url.partition("?")[0], autocommit=True) as owner:
            assert _health(server) == (200, "well\n")
            owner.execute(f"REVOKE INSERT ON {schema}.activefs_events FROM CURRENT_USER")
            assert _health(server) == (503, "the database cannot be written\n")
            owner.execute(f"GRANT INSERT ON {schema}.activefs_events TO CURRENT_USER")
            assert _health(server) == (200, "well\n")
            owner.execute(f"ALTER SCHEMA {schema} RENAME TO {schema}_away")
            status, said = _health(server)
            owner.execute(f"ALTER SCHEMA {schema}_away RENAME TO {schema}")
            assert (status, said) == (503, "the database cannot be reached\n")
            assert _health(server) == (200, "well\n")
