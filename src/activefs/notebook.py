"""A bar in a notebook while something takes long; anywhere else, nothing at all."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

Told = Callable[[str, float | None], None]
"""Is told what is done, and which share of it (0 to 1; None: nobody knows)."""

_PATIENCE, _AGAIN = 1.0, 0.25
"""Seconds until there is a bar, and between two looks at how far the work is."""


@contextmanager
def notebook_bar(what: str) -> Iterator[Told | None]:
    """Show a bar below the cell that runs while the block does, if that takes more than a second; then take it away.

    Gives a function that is told what is done and which share of it; None if no notebook is there to show it, so that
    whoever would tell it often need not. A block inside another one tells the bar of the outer one.

    Parameters
    ----------
    what : str
        What is done until something else is told, such as "reading the table".

    Examples
    --------
    >>> with notebook_bar("counting") as told:
    ...     told is None  # this is no notebook
    True
    """
    if (bar := _Bar.open) is not None and bar.is_here():
        bar.told(what, None)
        yield bar.told
        return
    shell = _shell()
    if shell is None:
        yield None
        return
    bar = _Bar(shell, what)
    try:
        _Bar.open = bar
        bar.start()
        yield bar.told
    finally:
        _Bar.open = None
        bar.close()


def _shell() -> Any:
    """Find what talks to the notebook that runs this; None if there is none, or if this is not where its cells run.

    IPython is never imported: where a notebook runs, it is there.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    kernel = getattr(shell, "kernel", None)  # IPython in a terminal has none
    if kernel is None or threading.current_thread() is not threading.main_thread():
        return None
    # A process that was forked from the kernel has all that the kernel had, but nobody listens to it.
    return shell if getattr(getattr(kernel, "session", None), "pid", None) == os.getpid() else None


class _Bar:
    """A bar that a thread keeps up to date, so that whoever is at work only notes how far it is."""

    open: ClassVar[_Bar | None] = None
    _last: ClassVar[tuple[Any, str]] = (None, "")
    """A cell and its display: what the cell shows one after the other takes the same place, or a hundred empty ones
    would stay behind in a notebook that is saved."""

    def __init__(self, shell: Any, what: str) -> None:
        self._shell, self._pid = shell, os.getpid()
        self._cell = shell.get_parent().get("header", {}).get("msg_id")
        self._said: tuple[str, float | None] = what, None
        self._shown: tuple[str, float | None] | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._keep_showing, name="activefs-notebook", daemon=True)

    def is_here(self) -> bool:
        return threading.current_thread() is threading.main_thread() and os.getpid() == self._pid

    def start(self) -> None:
        self._thread.start()

    def told(self, what: str, share: float | None) -> None:
        self._said = what, share

    def close(self) -> None:
        self._done.set()
        try:
            if self._thread.ident is not None:
                self._thread.join()
        finally:  # also if the kernel is interrupted once more
            if self._shown is not None:
                self._publish({"text/html": ""})

    def _keep_showing(self) -> None:
        wait = _PATIENCE
        while not self._done.wait(wait):
            wait = _AGAIN
            if self._said != self._shown:
                self._shown = self._said
                # No plain text: a console could not take it away again.
                self._publish({"text/html": _html(*self._shown)})

    def _publish(self, data: dict[str, str]) -> None:
        with suppress(Exception):  # no work of hours ends because a frontend is gone
            again = _Bar._last[0] == self._cell
            if not again:
                _Bar._last = self._cell, f"activefs-{os.urandom(8).hex()}"
            self._shell.display_pub.publish(data, transient={"display_id": _Bar._last[1]}, update=again)


def _html(what: str, share: float | None) -> str:
    from html import escape

    said = escape(what[:1].upper() + what[1:])
    if share is None:
        return f'<div><progress aria-label="{said}"></progress> {said}</div>'
    done = min(max(share, 0.0), 1.0)
    return f'<div><progress aria-label="{said}" max="1" value="{done:.3f}"></progress> {said}: {done:.0%}</div>'
