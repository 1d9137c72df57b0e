"""Reads a table that somebody has sent, in a process of its own that may not take much memory or time.

Whatever is in the file, the server goes on: what is too large or too slow ends this process, and nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from activefs.exceptions import ActiveFSError, StorageError

NICE = 5


def main() -> None:
    """Do what standard input says, and print what came of it as one line of JSON."""
    asked = json.load(sys.stdin)
    _limit(asked["memory"], asked["seconds"])
    done: dict[str, Any]
    try:
        done = {"done": _TASKS[asked["task"]](asked)}
    except StorageError as error:
        done = {"storage": str(error)}
    except ActiveFSError as error:
        done = {"memory": True} if _lacked_memory(error) else {"refused": str(error)}
    except MemoryError:
        done = {"memory": True}
    print(json.dumps(done))


def _lacked_memory(error: BaseException | None) -> bool:
    """Whether there was too little memory, however it was put into words."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _preview(asked: dict[str, Any]) -> dict[str, Any]:
    from activefs.study import preview_table
    from activefs.tables import Dialect, refuse_bombs

    path = Path(asked["path"])
    refuse_bombs(path, asked["expanded"])
    return preview_table(path, Dialect.of(asked["said"])).to_json()


def _create(asked: dict[str, Any]) -> dict[str, Any]:
    from activefs.study import Study

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the page has told them
        Study.create(asked["url"], asked["path"], annotator=asked["annotator"], **asked["options"]).close()
    return {}


_TASKS = {"preview": _preview, "create": _create}


def _limit(memory: int, seconds: int) -> None:
    """Take away what is not needed for reading a table."""
    if sys.platform != "win32":  # which has none of this; there the time is limited by who waits
        import resource

        os.nice(NICE)
        with suppress(OSError, ValueError):  # macOS knows this limit, but a process is beyond it when it starts
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
