"""Having tables read by a process that cannot take the server down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from activefs.exceptions import ActiveFSError, InvalidInputError, StorageError

MEMORY = 4 * 1024**3
"""Bytes of addresses that reading a table may take; less on a machine that has less."""
SECONDS = 120
_WAIT = 300
_CODE = "from activefs.web._table_process import main; main()"
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MALLOC_ARENA_MAX"), "1")
_AT_ONCE = threading.BoundedSemaphore(2)


def run_limited(task: str, name: str, **asked: Any) -> dict[str, Any]:
    """Have a task done with a table.

    Parameters
    ----------
    task : {"preview", "create"}
        What to do.
    name : str
        What people call the table, for sentences about it.
    **asked
        What the task needs.

    Raises
    ------
    InvalidInputError
        If the table is not acceptable, or takes too much.
    StorageError
        If the study cannot be written.
    """
    content = json.dumps({"task": task, "memory": _memory(), "seconds": SECONDS, **asked})
    if not _AT_ONCE.acquire(timeout=_WAIT):
        raise ActiveFSError("other tables are being read just now: try again in a minute")
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CODE],
            input=content.encode(),
            capture_output=True,
            timeout=_WAIT,
            env={**os.environ, **_ONE_THREAD},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _too_slow(name) from None
    finally:
        _AT_ONCE.release()
    if sys.platform != "win32" and done.returncode == -signal.SIGXCPU:
        raise _too_slow(name)
    try:
        said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        said = {"memory": True}
    if "storage" in said:
        raise StorageError(said["storage"])
    if "refused" in said:
        raise InvalidInputError(named(said["refused"], name, asked.get("path", "")))
    if "memory" in said:
        raise InvalidInputError(
            f"{name} cannot be read with {_memory() / 1e9:.1f} GB of memory, or is damaged: send a smaller table, as "
            ".csv or .parquet"
        )
    result: dict[str, Any] = said["done"]
    return result


def _memory() -> int:
    installed = 2 * MEMORY
    if sys.platform != "win32":
        with suppress(ValueError, OSError):
            installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(2 * 1024**3, min(MEMORY, installed // 2))


def named(said: str, name: str, path: str) -> str:
    """Call the table what people call it; where it is kept is nobody's business."""
    return said.replace(path, name).replace(os.path.basename(path), name) if path else said  # noqa: PTH119


def _too_slow(name: str) -> InvalidInputError:
    return InvalidInputError(f"{name} takes longer than {SECONDS} seconds to be read: send a smaller table")
