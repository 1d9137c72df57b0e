"""A process that computes only while nobody else does may wait for ever on a busy machine: somebody must notice."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from activefs.exceptions import StorageError

_EVERY = 5.0
"""Seconds between two looks at the process."""
_ENOUGH = 0.1
"""Share of a processor with which it gets on."""


@contextmanager
def watched(process: int, last_entry: Callable[[], int], starves: Callable[[], None]) -> Iterator[None]:
    """Watch a process; call `starves` if it gets no processor although nobody adds to the log of the study.

    While people label it has to wait for them: that is what it is for. Only Linux lets a process wait for all others,
    so that nobody watches in another system.
    """
    over = threading.Event()
    if sys.platform == "linux":
        threading.Thread(target=_watch, args=(process, last_entry, starves, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _watch(process: int, last_entry: Callable[[], int], starves: Callable[[], None], over: threading.Event) -> None:
    try:
        before = last_entry(), _processor_seconds(process)
        while not over.wait(_EVERY):
            now = last_entry(), _processor_seconds(process)
            if now[0] == before[0] and now[1] - before[1] < _ENOUGH * _EVERY and not over.is_set():
                starves()
                return
            before = now
    except (OSError, StorageError):  # the process has ended, or the database is lost: others say so
        return


def _processor_seconds(process: int) -> float:
    seconds = 0.0
    if sys.platform == "linux":
        fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds
