"""SIGTERM in a command that has something to end before it ends itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Never


class _Terminated(BaseException):
    """SIGTERM: nobody who handles errors shall take it for one."""


def _stop(number: int, frame: Any) -> Never:
    raise _Terminated


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Leave what was entered inside when SIGTERM comes, and die of it then, as whoever sent it expects."""
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    except _Terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
