"""Opening a SQLite file that cannot be written: a copy on a read-only medium, or in somebody else's folder."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from activefs.exceptions import StorageError


def connected(path: Path, how: str, timeout: float) -> sqlite3.Connection:
    """Open a file in a way that SQLite's URIs know, such as ``mode=ro``; it is never made."""
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{how}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
    )


def read_only(path: Path) -> sqlite3.Connection:
    """Open a file that cannot be written.

    What the write-ahead log beside it holds belongs to it. To read that, SQLite needs the file of shared memory, which
    it cannot make here: if it was not copied too, what is read is a copy elsewhere, in memory. Without anything in that
    log it is not needed, provided that nobody writes.

    Raises
    ------
    StorageError
        If the write-ahead log holds something that cannot be read.
    """
    log = path.with_name(f"{path.name}-wal")
    for how in ("mode=ro", "mode=ro&immutable=1"):
        if how != "mode=ro" and log.exists() and log.stat().st_size > 0:
            return _copied(path, log)
        connection = connected(path, how, timeout=5)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.Error as error:
            connection.close()
            refused = error
        else:
            return connection
    raise refused


def _copied(path: Path, log: Path) -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        with TemporaryDirectory(prefix="activefs-") as folder:
            copy = Path(folder) / "study"
            shutil.copyfile(path, copy)
            shutil.copyfile(log, copy.with_name("study-wal"))
            with closing(connected(copy, "mode=rw", timeout=5)) as source:
                source.backup(memory)
        memory.execute("PRAGMA query_only=ON")
    except (OSError, sqlite3.Error) as error:
        memory.close()
        raise StorageError(
            f"the last changes of the study at {path} are in {log.name}, which cannot be read where nothing can be "
            f"written ({error}): copy both files to a folder of your own, and open the copy"
        ) from error
    return memory
