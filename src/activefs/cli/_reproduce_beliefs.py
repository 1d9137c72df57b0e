"""`activefs reproduce beliefs`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._items import tell_work, with_items
from activefs.experiments.beliefs import BeliefsSettings, measure_beliefs
from activefs.experiments.leaderboard import find_sets, listed


def beliefs(
    out: Annotated[Path, typer.Option("--out", help="Folder for report, table, picture and finished work items.")],
    datasets: Annotated[
        str | None,
        typer.Option("--datasets", help=f"Data sets and groups, with commas between; all by default: {listed()}."),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", help="Runs on every data set.")] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same labels.")] = 0,
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Constants as everybody gets them, not those chosen on other tables.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1: one per core.")] = -1,
) -> None:
    """Whether bounds, expected gap and probabilities of the assisted estimate hold, on tables left out.

    Labels that `activefs leaderboard` kept in the same folder are used. Finished work items are kept: the same command
    goes on where it was interrupted.
    """
    settings = BeliefsSettings(find_sets(datasets), runs, seed, shipped)
    started = time.monotonic()
    with with_items(out, jobs) as (processes, begin):
        done = measure_beliefs(settings, out, jobs=processes, begin=begin)
    console = Console(soft_wrap=True)
    tell_work(console, done.work, time.monotonic() - started)
    console.print(f"Report: {done.files[0]}", highlight=False)
