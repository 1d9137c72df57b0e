"""Progress on standard error, none when it is not a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

Told = Callable[[str, float], None]
"""Is told what is done, and which share of it (0 to 1)."""


@contextmanager
def progress_bar(title: str, total: float = 1.0) -> Iterator[Callable[[float], None]]:
    """Show a bar; the function that it gives is called with what was done since the last call."""
    console = Console(stderr=True)
    columns = (TextColumn(title), BarColumn(), TaskProgressColumn(), TextColumn("left:"), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.advance(task, done)


@contextmanager
def reading_bar() -> Iterator[Told]:
    """Show what is done with a table before anything else, if somebody tells."""
    with _bars() as progress:
        yield _told(progress)


@contextmanager
def two_bars(title: str) -> Iterator[tuple[Told, Callable[[float], None]]]:
    """Show what is done with a table, if somebody tells, and then a bar with a title, as `progress_bar` does."""
    with _bars() as progress:
        task = progress.add_task(title, total=1.0)
        yield _told(progress), lambda done: progress.advance(task, done)


def _bars() -> Progress:
    console = Console(stderr=True)
    what = TextColumn("{task.description}", markup=False)  # a path may hold brackets
    columns = (what, BarColumn(), TaskProgressColumn(), TextColumn("left:"), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def _told(progress: Progress) -> Told:
    tasks: dict[str, TaskID] = {}

    def told(what: str, share: float) -> None:
        for other in [name for name in tasks if name != what]:
            progress.remove_task(tasks.pop(other))
        if what not in tasks:
            tasks[what] = progress.add_task(what, total=1.0)
        progress.update(tasks[what], completed=share, visible=share < 1.0)

    return told


@contextmanager
def waiting(title: str) -> Iterator[Told]:
    """Show that something is being done; the function that it gives is told what, and which share of it is done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda what, share: None
        return
    with console.status(title) as status:
        yield lambda what, share: status.update(escape(f"{title}: {what}, {share:.0%}"))
