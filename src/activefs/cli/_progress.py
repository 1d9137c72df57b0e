"""Progress on standard error, none when it is not a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(title: str, total: float = 1.0) -> Iterator[Callable[[float], None]]:
    """Show a bar; the function that it gives is called with what was done since the last call."""
    console = Console(stderr=True)
    columns = (TextColumn(title), BarColumn(), TaskProgressColumn(), TextColumn("left:"), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.advance(task, done)


@contextmanager
def waiting(title: str) -> Iterator[None]:
    """Show that something is being done whose end cannot be foreseen."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(title):
        yield
