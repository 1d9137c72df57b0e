"""`activefs datasets list|fetch`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from activefs import datasets


def list_sets() -> None:
    """List the data sets, their sizes, and whether they are on this machine."""
    table = Table(title="Data sets")
    for heading, justify in (("name", "left"), ("rows", "right"), ("features", "right"), ("classes", "right")):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("here", no_wrap=True)
    table.add_column("source")
    for info in datasets.available():
        here = "yes" if info.present else "no"
        table.add_row(info.name, f"{info.rows:,}", f"{info.features:,}", str(len(info.classes)), here, info.source)
    console = Console()
    console.print(table)
    if any(not info.present for info in datasets.available()):
        console.print("Get what is not here with: activefs datasets fetch NAME", highlight=False)


def fetch_sets(
    names: Annotated[list[str] | None, typer.Argument(help="Names of data sets; all by default.")] = None,
) -> None:
    """Make sure that data sets are on this machine and whole; download what is missing."""
    known = [info.name for info in datasets.available()]
    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    found: dict[str, tuple[Path, ...]] = {}
    with Progress(*columns, console=errors, disable=not errors.is_terminal, transient=True) as bar:
        bars: dict[str, TaskID] = {}

        def tell(file: str, done: int, total: int) -> None:
            if file not in bars:
                bars[file] = bar.add_task(file, total=total or None)
            bar.update(bars[file], completed=done, total=total or None)

        for name in names or known:
            found[name.upper()] = datasets.fetch(name, progress=tell)
    console = Console(soft_wrap=True)
    for name, paths in found.items():
        size = sum(path.stat().st_size for path in paths) / 1e6
        console.print(f"{name}: {size:.1f} MB, checked, in {paths[0].parent}", highlight=False)
