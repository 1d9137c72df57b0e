"""`activefs reproduce baselines|ablations|aggregations|safeguards|all`."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._items import tell_work, with_items
from activefs.constraints import Choice
from activefs.exceptions import InvalidInputError
from activefs.experiments.selection import PAPER_KS, PLANS, Plan, Reproduction, SelectionSettings, reproduce
from activefs.runs import PAPER_SETS, PEERS, Source

Out = Annotated[Path, typer.Option("--out", help="Folder for tables, pictures, report and finished work items.")]
Sets = Annotated[
    str | None,
    typer.Option(
        "--datasets", help="Data sets, with commas between ('activefs datasets list'); all of the paper's by default."
    ),
]
Tables = Annotated[
    list[str] | None,
    typer.Option(
        "--table", metavar="FILE:LABEL", help="A table of your own and its label; may be given several times."
    ),
]
Ks = Annotated[str, typer.Option("--k", help="Numbers of features wanted, with commas between.")]
Runs = Annotated[int, typer.Option("--runs", help="Runs of every strategy.")]
Budget = Annotated[int, typer.Option("--budget", help="Labels of every run.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same numbers, on any number of processes.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Processes on this machine; -1: one per core.")]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", help="Address of a dask scheduler, to run on its workers instead.")
]
Judged = Annotated[
    str, typer.Option("--estimator", help="How features are judged: 'plug-in', as in the paper, or 'assisted'.")
]
Peers = Annotated[
    bool, typer.Option("--peers", help="Also run four strategies of scikit-activeml (slow: use few runs and labels).")
]

_KS = ",".join(map(str, PAPER_KS))


def baselines(
    out: Out, datasets: Sets = None, table: Tables = None, k: Ks = _KS, runs: Runs = 30, budget: Budget = 500,
    seed: Seed = 0, jobs: Jobs = -1, scheduler: Scheduler = None, estimator: Judged = "plug-in", peers: Peers = False,
) -> None:  # fmt: skip
    """AFS, with both floors of rho, beside RANDOM, CORESET and DWUS.

    Finished work items are kept in the folder: the same command goes on where it was interrupted.
    """
    plan = PLANS["baselines"]
    if peers:
        plan = replace(plan, lines=plan.lines + PEERS, drawn=plan.drawn + PEERS)
    _run([plan], _settings(datasets, table, k, runs, budget, seed, estimator), out, jobs, scheduler)


def ablations(
    out: Out, datasets: Sets = None, table: Tables = None, k: Ks = "5,10,20", runs: Runs = 30, budget: Budget = 500,
    seed: Seed = 0, jobs: Jobs = -1, scheduler: Scheduler = None, estimator: Judged = "plug-in",
) -> None:  # fmt: skip
    """AFS beside itself without the safeguard, AVG-SEL, AVG-ALL and SINGLE.

    Finished work items are kept in the folder: the same command goes on where it was interrupted.
    """
    _run([PLANS["ablations"]], _settings(datasets, table, k, runs, budget, seed, estimator), out, jobs, scheduler)


def aggregations(
    out: Out, datasets: Sets = None, table: Tables = None, k: Ks = _KS, runs: Runs = 30, budget: Budget = 500,
    seed: Seed = 0, jobs: Jobs = -1, scheduler: Scheduler = None, estimator: Judged = "plug-in",
) -> None:  # fmt: skip
    """AFS with the norms l1, l2 and l-infinity.

    Finished work items are kept in the folder: the same command goes on where it was interrupted.
    """
    _run([PLANS["aggregations"]], _settings(datasets, table, k, runs, budget, seed, estimator), out, jobs, scheduler)


def safeguards(
    out: Out, datasets: Sets = None, table: Tables = None, k: Ks = _KS, runs: Runs = 30, budget: Budget = 500,
    seed: Seed = 0, jobs: Jobs = -1, scheduler: Scheduler = None, estimator: Judged = "plug-in",
) -> None:  # fmt: skip
    """AFS with the safeguard after 10, 20, 30, 40 unchanged questions, and without it.

    Finished work items are kept in the folder: the same command goes on where it was interrupted.
    """
    _run([PLANS["safeguards"]], _settings(datasets, table, k, runs, budget, seed, estimator), out, jobs, scheduler)


def all_plans(
    out: Out, datasets: Sets = None, table: Tables = None, k: Ks = _KS, runs: Runs = 30, budget: Budget = 500,
    seed: Seed = 0, jobs: Jobs = -1, scheduler: Scheduler = None, estimator: Judged = "plug-in",
) -> None:  # fmt: skip
    """Baselines, ablations, aggregations and safeguards; what they have in common is run once.

    Finished work items are kept in the folder: the same command goes on where it was interrupted.
    """
    _run(list(PLANS.values()), _settings(datasets, table, k, runs, budget, seed, estimator), out, jobs, scheduler)


def _settings(
    datasets: str | None, tables: list[str] | None, ks: str, runs: int, budget: int, seed: int, estimator: str
) -> SelectionSettings:
    try:
        wanted = tuple(sorted({int(part) for part in ks.split(",")}))
    except ValueError:
        raise InvalidInputError(f"--k must be whole numbers with commas between, such as 1,5,10; got {ks!r}") from None
    if datasets is None:  # a table of one's own is meant alone, unless others are named as well
        named: tuple[str, ...] = () if tables else PAPER_SETS
    else:
        named = tuple(dict.fromkeys(part.strip().upper() for part in datasets.split(",") if part.strip()))
    sources = (*map(Source.named, named), *map(Source.table, tables or ()))
    judged = Choice("plug-in", "assisted").check("--estimator", estimator)
    return SelectionSettings(sources, wanted, runs, budget, seed, judged)


def _run(plans: list[Plan], settings: SelectionSettings, out: Path, jobs: int, scheduler: str | None) -> None:
    started = time.monotonic()
    with with_items(out, jobs) as (processes, begin):
        done = reproduce(plans, settings, out, jobs=processes, scheduler=scheduler, begin=begin)
    _tell(done, out, time.monotonic() - started)


def _tell(done: Reproduction, out: Path, seconds: float) -> None:
    console = Console(soft_wrap=True)
    tell_work(console, done.work, seconds)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in done.verdicts.items())
    console.print(f"Claims of the paper: {counts}.", highlight=False)
    console.print(f"Report: {out / 'report.md'}", highlight=False)
    console.print(f"Numbers: {out / 'summary.csv'}, {out / 'curves.parquet'}", highlight=False)
    folders = ", ".join(dict.fromkeys(str(path.parent) for path in done.pictures))
    console.print(f"Pictures: {len(done.pictures)} in {folders}", highlight=False)
