"""`activefs reproduce single-feature`."""

from __future__ import annotations

import time
from pathlib import Path

import typer
from rich.console import Console

from activefs.cli._items import tell_work, with_items
from activefs.exceptions import DataSetError, InvalidInputError
from activefs.experiments.single_feature import GROUPS, Experiment, SingleFeatureSettings, check_groups, reproduce


def single_feature(
    out: Path = typer.Option(..., "--out", help="Folder for tables, pictures, report and finished work items."),
    repetitions: int = typer.Option(10_000, "--repetitions", help="Runs of every policy on every feature."),
    experiments: str | None = typer.Option(
        None, "--experiments", help=f"Sets to run, with commas between: {','.join(GROUPS)} (the default)."
    ),
    budgets: str | None = typer.Option(
        None, "--budgets", help="Labels after the initial draws, ascending; the paper's are 50,100,300,500."
    ),
    jobs: int = typer.Option(-1, "--jobs", help="Processes; -1: one per core."),
    seed: int = typer.Option(0, "--seed", help="Same seed, same numbers, on any number of processes."),
    as_released: bool = typer.Option(
        False,
        "--as-released",
        help="Write summary and tables for the authors' released code, slips included. "
        "The report shows both definitions in any case.",
    ),
) -> None:
    """Nine ways to spend labels on one feature: the paper's sixteen tables and its table of wins.

    Finished work items are kept in the folder: the same command goes on where it was interrupted.
    """
    settings = _settings(repetitions, seed, budgets)
    chosen = check_groups(GROUPS if experiments is None else experiments.split(","))
    started = time.monotonic()
    with with_items(out, jobs) as (processes, begin):
        found = _gather(chosen, seed, explicit=experiments is not None)
        done = reproduce(found, out, settings, jobs=processes, as_released=as_released, begin=begin)
    console = Console(soft_wrap=True)
    tell_work(console, done.work, time.monotonic() - started)
    console.print(f"{len(found)} experiments, {repetitions:,} repetitions each, seed {seed}.", highlight=False)
    console.print(f"Report: {out / 'report.md'}", highlight=False)
    console.print(
        f"Numbers: {out / 'summary.csv'}, tables: {out / 'tables'}, pictures: {out / 'pictures'}", highlight=False
    )


def _settings(repetitions: int, seed: int, budgets: str | None) -> SingleFeatureSettings:
    if budgets is None:
        return SingleFeatureSettings(repetitions=repetitions, seed=seed)
    try:
        given = tuple(int(text) for text in budgets.split(","))
    except ValueError as error:
        raise InvalidInputError(f"--budgets must be whole numbers with commas between, got {budgets!r}") from error
    return SingleFeatureSettings(repetitions=repetitions, seed=seed, budgets=given)


def _gather(groups: list[str], seed: int, explicit: bool) -> list[Experiment]:
    """Make the experiments; a set without its data is an error if asked for, else left out."""
    found: list[Experiment] = []
    for name in groups:
        try:
            found += GROUPS[name](seed)
        except DataSetError as error:
            if explicit:
                raise DataSetError(f"the {name} experiments cannot run: {error}") from error
            text = f"warning: the {name} experiments are left out, their data is missing. {error}"
            typer.echo(text, err=True)
    return found
