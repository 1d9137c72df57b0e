"""`activefs reproduce single-feature`."""

from __future__ import annotations

import os
from pathlib import Path

import typer
from rich.console import Console

from activefs.allocation import check_count
from activefs.cli._progress import progress_bar
from activefs.exceptions import DataSetError, InvalidInputError
from activefs.experiments.single_feature import (
    GROUPS,
    Experiment,
    Settings,
    check_groups,
    reproduce,
    steps,
)


def single_feature(
    out: Path = typer.Option(..., "--out", help="Folder for tables, pictures and report."),
    repetitions: int = typer.Option(10_000, "--repetitions", help="Runs of every policy on every feature."),
    experiments: str | None = typer.Option(
        None, "--experiments", help=f"Sets to run, with commas between: {','.join(GROUPS)} (the default)."
    ),
    budgets: str | None = typer.Option(
        None, "--budgets", help="Labels after the initial draws, ascending; the paper's are 50,100,300,500."
    ),
    jobs: int | None = typer.Option(None, "--jobs", help="Threads; all cores by default."),
    seed: int = typer.Option(0, "--seed", help="Same seed, same numbers, whatever the number of threads."),
    as_released: bool = typer.Option(
        False,
        "--as-released",
        help="Write summary and tables for the authors' released code, slips included. "
        "The report shows both definitions in any case.",
    ),
) -> None:
    """Nine ways to spend labels on one feature: the paper's sixteen tables and its table of wins.

    Finished experiments are kept in the folder: run the same command again after an interruption.
    """
    settings = _settings(repetitions, seed, budgets)
    threads = check_count(jobs if jobs is not None else (os.cpu_count() or 1), "jobs", 1)
    chosen = check_groups(GROUPS if experiments is None else experiments.split(","))
    _check_folder(out)
    found = _gather(chosen, seed, explicit=experiments is not None)
    with progress_bar("single feature", total=steps(found)) as advance:
        reproduce(found, out, settings, jobs=threads, as_released=as_released, advance=advance)
    console = Console(soft_wrap=True)
    console.print(f"{len(found)} experiments, {repetitions:,} repetitions each, seed {seed}.")
    console.print(f"Report: {out / 'report.md'}")
    console.print(f"Numbers: {out / 'summary.csv'}, tables: {out / 'tables'}, pictures: {out / 'pictures'}")


def _settings(repetitions: int, seed: int, budgets: str | None) -> Settings:
    if budgets is None:
        return Settings(repetitions=repetitions, seed=seed)
    try:
        given = tuple(int(text) for text in budgets.split(","))
    except ValueError as error:
        raise InvalidInputError(f"--budgets must be whole numbers with commas between, got {budgets!r}") from error
    return Settings(repetitions=repetitions, seed=seed, budgets=given)


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


def _check_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".write-test"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InvalidInputError(
            f"cannot write to the folder {out} ({error.strerror}); name another one with --out"
        ) from error
