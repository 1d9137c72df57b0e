"""`activefs leaderboard`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._items import tell_work, with_items
from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import STRATEGIES, LeaderboardRun, LeaderboardSettings, choices, find_sets, listed
from activefs.experiments.leaderboard import leaderboard as run_leaderboard

Strategies = Annotated[
    str | None,
    typer.Option(
        "--strategies",
        help=f"Ways of choosing rows, with commas between: any strategies; by default {', '.join(STRATEGIES)}.",
    ),
]
Sets = Annotated[
    str | None,
    typer.Option(
        "--datasets",
        help=f"Data sets and groups of them, with commas between; all that are found by default: {listed()}.",
    ),
]


def leaderboard(
    out: Annotated[Path, typer.Option("--out", help="Folder for tables, pictures, report and finished work items.")],
    strategies: Strategies = None,
    datasets: Sets = None,
    k: Annotated[str, typer.Option("--k", help="Numbers of features wanted, with commas between.")] = "5,10,20",
    runs: Annotated[int, typer.Option("--runs", help="Runs of every strategy.")] = 10,
    budget: Annotated[
        int, typer.Option("--budget", help="Labels of every run; of a small table 80% of its rows, of public ones 200.")
    ] = 500,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same labels and gaps.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes on this machine; -1: one per core.")] = -1,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", help="Address of a dask scheduler, to run on its workers instead.")
    ] = None,
    readme: Annotated[
        Path | None, typer.Option("--readme", help="Put short table and picture between the marks of this file, too.")
    ] = None,
) -> None:
    """Which way of choosing rows, with which estimate, needs the fewest labels.

    Every choice is combined with the plug-in and the assisted estimate, on the paper's data sets, on scikit-learn's,
    on made-up traps and on public tables. Finished work items are kept in the folder: the same command goes on where
    it was interrupted.
    """
    settings = _settings(strategies, datasets, k, runs, budget, seed)
    started = time.monotonic()
    with with_items(out, jobs) as (processes, begin):
        done = run_leaderboard(settings, out, jobs=processes, scheduler=scheduler, readme=readme, begin=begin)
    _tell(done, time.monotonic() - started)


def _settings(
    strategies: str | None, datasets: str | None, ks: str, runs: int, budget: int, seed: int
) -> LeaderboardSettings:
    try:
        wanted = tuple(sorted({int(part) for part in ks.split(",")}))
    except ValueError:
        raise InvalidInputError(f"--k must be whole numbers with commas between, such as 5,10,20; got {ks!r}") from None
    return LeaderboardSettings(find_sets(datasets), choices(strategies), wanted, runs, budget, seed)


def _tell(done: LeaderboardRun, seconds: float) -> None:
    console = Console(soft_wrap=True)
    tell_work(console, done.work, seconds)
    for path in done.files:
        console.print(f"Written: {path}", highlight=False)
