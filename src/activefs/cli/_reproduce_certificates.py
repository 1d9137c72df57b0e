"""`activefs reproduce certificates`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._items import tell_work, with_items
from activefs.exceptions import InvalidInputError
from activefs.experiments.certificates import LINES, reproduce_certificates


def certificates(
    out: Annotated[Path, typer.Option("--out", help="Folder for table, report and finished work items.")],
    strategies: Annotated[
        str | None, typer.Option("--strategies", help="Only sessions with these, with commas between; all by default.")
    ] = None,
    sessions: Annotated[int, typer.Option("--sessions", min=1, help="Sessions of every kind.")] = 500,
    model_sessions: Annotated[
        int, typer.Option("--model-sessions", min=1, help="Sessions of every kind in which a model is asked.")
    ] = 100,
    deltas: Annotated[str, typer.Option("--deltas", help="Confidence parameters, with commas between.")] = "0.05,0.2",
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1: one per core.")] = -1,
) -> None:
    """How often a certificate is false, and how many labels a true one needs.

    Sessions on small random tables are run to the end, for every strategy, redundancy rule and criterion. Finished work
    items are kept in the folder: the same command goes on where it was interrupted.
    """
    wanted = None if strategies is None else {name.strip() for name in strategies.split(",") if name.strip()}
    lines = [line for line in LINES if wanted is None or line.strategy in wanted]
    if not lines:
        known = ", ".join(dict.fromkeys(line.strategy for line in LINES))
        raise InvalidInputError(f"there is nothing to run with --strategies {strategies}; there are {known}")
    numbers = _deltas(deltas)
    command = "activefs reproduce certificates"
    command += f" --sessions {sessions} --model-sessions {model_sessions} --deltas {deltas}"
    if wanted is not None:
        command += f" --strategies {strategies}"
    started = time.monotonic()
    with with_items(out, jobs) as (processes, begin):
        done = reproduce_certificates(
            lines, numbers, sessions, model_sessions, out, jobs=processes, command=command, begin=begin
        )
    console = Console(soft_wrap=True)
    tell_work(console, done.work, time.monotonic() - started)
    console.print(f"Report: {done.files[0]}", highlight=False)


def _deltas(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        numbers = []
    if not numbers or not all(0.0 < number < 1.0 for number in numbers):
        raise InvalidInputError(f"--deltas must be numbers between 0 and 1, such as 0.05,0.2; got {text!r}")
    return numbers
