"""Opening a SQLite file that cannot be written: a copy on a read-only medium, or in somebody else's folder."""

from __future__ import annotations

import sqlite3
from pathlib import Path
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
    it cannot make here; without anything in that log it is not needed, provided that nobody writes.

    Raises
    ------
    StorageError
        If the write-ahead log holds something that cannot be read.
    """
    log = path.with_name(f"{path.name}-wal")
    for how in ("mode=ro", "mode=ro&immutable=1"):
        if how != "mode=ro" and log.exists() and log.stat().st_size > 0:
            raise StorageError(
                f"the last changes of the study at {path} are in {log.name}, which cannot be read where nothing can be "
                f"written: copy both files to a folder of your own, and open the copy"
            )
        connection = connected(path, how, timeout=5)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.Error as error:
            connection.close()
            refused = error
        else:
            return connection
    raise refused
