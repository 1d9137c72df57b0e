"""What commands that compute work items have in common: number of processes, progress with time left, Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from activefs.cli._interrupted import Interrupted
from activefs.exceptions import InvalidInputError
from activefs.runs import FOLDER, Advance, Begin, Work


@contextmanager
def with_items(out: Path, jobs: int) -> Iterator[tuple[int, Begin]]:
    """Give the number of processes and what to tell the work to; Ctrl-C ends with a line that says how to go on."""
    if jobs == 0:
        raise InvalidInputError("--jobs must be at least 1, or -1 for one process per core; got 0")
    errors = Console(stderr=True, soft_wrap=True)
    try:
        with _bar(errors) as begin:
            yield int(joblib.effective_n_jobs(jobs)), begin
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted: finished work items are kept in {out / FOLDER}; run the same command again to go on from "
            "there"
        ) from None


def tell_work(console: Console, work: Work[Any], seconds: float) -> None:
    """Say what was left out, and how much was done."""
    for note in work.notes:
        console.print(f"Note: {note}.", highlight=False)
    console.print(
        f"{work.items:,} work items, {work.missing:,} of them computed now, in {seconds / 60:.1f} minutes.",
        highlight=False,
    )


@contextmanager
def _bar(console: Console) -> Iterator[Begin]:
    """A bar by the expected time of shards, since a label costs from a fraction of a millisecond to ten."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[shards]}"),
               TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())  # fmt: skip
    # Shards end rarely: time left is judged by the last half hour instead of the usual half minute.
    shown = Progress(
        *columns, console=console, disable=not console.is_terminal, transient=True, speed_estimate_period=1800
    )
    with shown as bar:

        def begin(work: Work[Any]) -> Advance:
            task = bar.add_task("computing", total=max(work.weight, 1e-9), shards="")
            done = 0

            def advance(weight: float) -> None:
                nonlocal done
                done += 1
                if done == len(work.shards):
                    bar.update(task, description="tables and pictures")
                bar.update(task, advance=weight, shards=f"{done:,}/{len(work.shards):,}")

            return advance

        yield begin
