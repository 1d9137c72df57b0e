"""`activefs reproduce redundancy`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._progress import progress_bar
from activefs.exceptions import InvalidInputError
from activefs.experiments.redundancy import RULES, reproduce_redundancy

_SETS = "BASEHOCK,PCMAC,RELATHE,MUSK,MNIST01,MNIST35,MNIST46"


def redundancy(
    out: Annotated[Path, typer.Option("--out", help="Folder for table, picture, report and finished pieces.")],
    datasets: Annotated[str, typer.Option("--datasets", help="Data sets, with commas between.")] = _SETS,
    k: Annotated[int, typer.Option("--k", min=2, help="Number of features wanted.")] = 10,
    budget: Annotated[int, typer.Option("--budget", min=1, help="Labels of every run.")] = 200,
    runs: Annotated[int, typer.Option("--runs", help="Runs of every rule.")] = 5,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1: one per core.")] = -1,
) -> None:
    """What mRMR, JMI and CMIM buy a classifier at the same budget of labels.

    Finished pieces are kept in the folder: the same command goes on where it was interrupted.
    """
    names = [name.strip() for name in datasets.split(",") if name.strip()]
    if not names:
        raise InvalidInputError("there is nothing to run: name at least one data set")
    with progress_bar("selecting and training", total=len(names) * len(RULES) * runs) as advance:
        report = reproduce_redundancy(names, k, budget, runs, out, jobs, advance)
    Console(soft_wrap=True).print(f"Report: {report}")
