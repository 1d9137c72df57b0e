"""`activefs reproduce redundancy`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._items import tell_work, with_items
from activefs.exceptions import InvalidInputError
from activefs.experiments.redundancy import reproduce_redundancy
from activefs.runs import PAPER_SETS


def redundancy(
    out: Annotated[Path, typer.Option("--out", help="Folder for table, picture, report and finished work items.")],
    datasets: Annotated[str, typer.Option("--datasets", help="Data sets, with commas between.")] = ",".join(PAPER_SETS),
    k: Annotated[int, typer.Option("--k", min=2, help="Number of features wanted.")] = 10,
    budget: Annotated[int, typer.Option("--budget", min=1, help="Labels of every run.")] = 200,
    runs: Annotated[int, typer.Option("--runs", help="Runs of every rule.")] = 5,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1: one per core.")] = -1,
) -> None:
    """What mRMR, JMI and CMIM buy a classifier at the same budget of labels.

    Finished work items are kept in the folder: the same command goes on where it was interrupted.
    """
    names = [name.strip() for name in datasets.split(",") if name.strip()]
    if not names:
        raise InvalidInputError("there is nothing to run: name at least one data set")
    started = time.monotonic()
    with with_items(out, jobs) as (processes, begin):
        done = reproduce_redundancy(names, k, budget, runs, out, jobs=processes, begin=begin)
    console = Console(soft_wrap=True)
    tell_work(console, done.work, time.monotonic() - started)
    console.print(f"Report: {done.files[0]}", highlight=False)
