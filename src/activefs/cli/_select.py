"""`activefs select`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from activefs.cli._options import advice_for_the_command_line, for_the_command_line, with_command_options
from activefs.cli._progress import progress_bar
from activefs.cli._shown import shown
from activefs.cli._study_common import split_names
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.files import cannot_write, write_whole
from activefs.options import Options

if TYPE_CHECKING:
    from activefs.experiments.simulation import Simulation


@with_command_options(Options, required=("k", "budget"), defaults={"when_certified": "continue", "random_state": 0})
def select(
    table: Annotated[Path, typer.Argument(help="A csv, tsv, parquet or mat file with labels.")],
    label: Annotated[str, typer.Option("--label", help="Column with the labels (variable, in a mat file).")],
    options: dict[str, Any],
    id_column: Annotated[str | None, typer.Option("--id", help="Column that names the rows; it is no feature.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("activefs-select"),
    seeds: Annotated[int, typer.Option("--seeds", help="Runs of the strategy and of random labelling.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")] = False,
) -> None:
    """Try active feature selection on a table whose labels are known, and compare it with random labelling."""
    from activefs.experiments.simulation import draw, html_report, selection_csv, simulate
    from activefs.tables import open_labelled

    read = open_labelled(table, label, id_column)
    if "ignore" in options:
        options["ignore"] = split_names(options["ignore"], read.names or read.features.column_names)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"cannot write to {out}: {error.strerror}; name another folder with --out") from None
    seed = options.pop("random_state", None) or 0
    with progress_bar("labelling") as advance, advice_for_the_command_line():
        found = simulate(read, options=options, runs=seeds, seed=seed, advance=advance)
    found = replace(found, notes=[for_the_command_line(note) for note in found.notes])
    picture = draw(found)
    path = out
    try:
        for path, content in (
            (out / "curve.png", picture),
            (out / "selection.csv", selection_csv(found).encode()),
            (out / "report.html", html_report(found, table.name, label, picture).encode()),
        ):
            write_whole(path, content)
    except OSError as error:
        raise ActiveFSError(f"{cannot_write(path, error)} Then run the same command again.") from error
    if as_json:
        print(json.dumps({**found.to_json(), "report": str(path)}, indent=2))
        return
    _show(found, label)
    Console(soft_wrap=True, emoji=False).print(f"Report: {path}", highlight=False, markup=False)


def _show(found: Simulation, label: str) -> None:
    from activefs.experiments.simulation import comparison, how_sure
    from activefs.rendering import words_for

    console = Console(highlight=False)
    chosen = found.selection
    words = words_for(chosen.criterion)
    features = f"{found.k} feature{'s' if found.k > 1 else ''}"
    title = f"{features} for {label} ({found.strategy}, {chosen.n_labels} of {found.rows:,} labels)"
    table = Table(title=shown(title))
    for heading in ("rank", "feature", words.name, "interval", f"in the true top {found.k}"):
        table.add_column(heading, justify="right" if heading == "rank" else "left", overflow="fold")
    for i, name in enumerate(chosen.names):
        interval = f"{chosen.lower[i]:.3f} to {chosen.upper[i]:.3f}"
        hit = "yes" if found.truly_best[i] else "no"
        table.add_row(str(i + 1), shown(name), words.amount(chosen.scores[i], 3), interval, hit)
    console.print(table)
    for note in found.notes:
        console.print(shown(f"Note: {note}"))
    console.print(shown(how_sure(chosen)))
    console.print(shown(comparison(found)))
