"""Databases and browsers that tests use if they are there; what is missing is said in the reason for a skip."""

import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, AnyStr

import pytest

# Seconds until a test gives up waiting for something: what is slow on a busy machine is not wrong.
PATIENCE = 300

DEFAULT_POSTGRES = "postgresql://activefs_test:activefs_test@127.0.0.1:5432/activefs_test"


def wait_until(reached: Callable[[], bool], pause: float = 0.02) -> None:
    """Look again and again until something is so."""
    end = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < end, f"waited for {PATIENCE} seconds in vain"
        time.sleep(pause)


@cache
def _postgres() -> str | None:
    import psycopg

    url = os.environ.get("ACTIVEFS_TEST_POSTGRES", DEFAULT_POSTGRES)
    try:
        psycopg.connect(url, connect_timeout=60).close()
    except psycopg.Error:
        return None
    return url


@contextmanager
def postgres_url() -> Iterator[str]:
    """A schema of its own in the test database, gone afterwards."""
    import psycopg

    url = _postgres()
    if url is None:
        pytest.skip(
            "no PostgreSQL for tests: run .ci/install as root on Debian, or set ACTIVEFS_TEST_POSTGRES to the URL of a "
            "database in which schemas may be made"
        )
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    try:
        yield f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {name} CASCADE")


@contextmanager
def postgres_database() -> Iterator[str]:
    """A database of its own, gone afterwards; it holds nothing."""
    import psycopg

    url = _postgres()
    if url is None:
        pytest.skip("no PostgreSQL for tests: run .ci/install as root on Debian, or set ACTIVEFS_TEST_POSTGRES")
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        try:
            connection.execute(f"CREATE DATABASE {name}")
        except psycopg.errors.InsufficientPrivilege:
            pytest.skip("the role of ACTIVEFS_TEST_POSTGRES may not make databases")
    try:
        yield f"{url.rpartition('/')[0]}/{name}"
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def sqlite_url() -> Iterator[str]:
    """A file in a folder of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield str(Path(folder) / "study.db")


@contextmanager
def small_disk(folder: Path, megabytes: int = 8) -> Iterator[Path]:
    """A disk of a few megabytes at a new folder, gone afterwards."""
    if platform.system() != "Linux":
        pytest.skip("a small disk is a tmpfs, which only Linux has")
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("mounting is not allowed here: run as root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


DATABASES = {"sqlite": sqlite_url, "postgresql": postgres_url}


def chromium_path() -> str:
    """Path of an installed Chromium."""
    for name in (os.environ.get("ACTIVEFS_TEST_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and (found := shutil.which(name)):
            return found
    return pytest.skip("no Chromium: install Debian's package chromium, or set ACTIVEFS_TEST_CHROMIUM to its path")


def line_of(stream: IO[AnyStr] | None) -> AnyStr:
    """The next line that a process writes into a pipe."""
    assert stream is not None, "it does not write into a pipe"
    return stream.readline()


def held_port() -> tuple[socket.socket, int]:
    """Reserve a port for servers that come and go; it is free again when the socket is closed.

    Nothing listens here, so a server that says SO_REUSEADDR can. While it is away nobody else gets the port, nor can a
    client that knocks meanwhile be given it as its own (and be connected with itself).
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port = int(held.getsockname()[1])
    if sys.platform != "linux":  # elsewhere a port that is bound is taken
        held.close()
    return held, port
