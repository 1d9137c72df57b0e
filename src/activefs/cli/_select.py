"""`activefs select`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from activefs.cli._arguments import PLACES
from activefs.cli._cluster import Address, Workers, opened_cluster
from activefs.cli._options import advice_for_the_command_line, for_the_command_line, with_command_options
from activefs.cli._progress import reading_bar, two_bars
from activefs.cli._shown import shown
from activefs.cli._study_common import split_names
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.files import cannot_write, write_whole
from activefs.options import FileOptions, Options, declared

if TYPE_CHECKING:
    from activefs.experiments.simulation import Simulation


class SelectOptions(FileOptions, Options):
    """Settings of a session and of the file that its table is in."""


@with_command_options(
    SelectOptions, required=("k", "budget"), defaults={"when_certified": "continue", "random_state": 0}
)
def select(
    table: Annotated[str, typer.Argument(help=f"A table with labels: {PLACES}")],
    label: Annotated[str, typer.Option("--label", help="Column with the labels (variable, in a mat file).")],
    options: dict[str, Any],
    id_column: Annotated[str | None, typer.Option("--id", help="Column that names the rows; it is no feature.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("activefs-select"),
    seeds: Annotated[int, typer.Option("--seeds", help="Runs of the strategy and of random labelling.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")] = False,
    address: Address = None,
    workers: Workers = None,
) -> None:
    """Try active feature selection on a table whose labels are known, and compare it with random labelling."""
    from activefs.experiments.simulation import (
        columns_of_trial,
        draw,
        html_report,
        open_trial,
        selection_csv,
        simulate,
    )
    from activefs.tables import refuse_roles

    dialect = {name: options.pop(name) for name in declared(FileOptions) if name in options}
    with reading_bar() as told, advice_for_the_command_line():
        read = open_trial(table, label, id_column, progress=told, **dialect)
    for several in ("ignore", "categorical"):
        if several in options:
            options[several] = split_names(options[several], columns_of_trial(read))
    refuse_roles(options, {label: "label", id_column: "id"}, "--")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"cannot write to {out}: {error.strerror}; name another folder with --out") from None
    seed = options.pop("random_state", None) or 0
    with (
        opened_cluster(address, workers) as cluster,
        two_bars("labelling") as (told, advance),
        advice_for_the_command_line(),
    ):
        found = simulate(read, options=options, runs=seeds, seed=seed, advance=advance, progress=told, cluster=cluster)
    found = replace(found, notes=[for_the_command_line(note) for note in found.notes])
    picture = draw(found)
    name = Path(table).name if Path(table).is_file() else table
    path = out
    try:
        for path, content in (
            (out / "curve.png", picture),
            (out / "selection.csv", selection_csv(found).encode()),
            (out / "report.html", html_report(found, name, label, picture).encode()),
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
    from activefs.pool import how_to_keep
    from activefs.tables import not_constant

    console = Console(highlight=False)
    chosen = found.selection
    features = f"{found.k} feature{'s' if found.k > 1 else ''}"
    title = f"{features} for {label} ({found.strategy}, {chosen.n_labels} of {found.rows:,} labels)"
    if chosen.arbitrary:
        console.print(shown(title))
    else:
        _show_chosen(found, title, console)
    for note in found.notes:
        console.print(shown(f"Note: {note}"))
    if not_constant(found.left_out):
        console.print(shown(f"{how_to_keep(found.left_out, terminal=True)}."))
    console.print(shown(how_sure(chosen)))
    console.print(shown(comparison(found)))


def _show_chosen(found: Simulation, title: str, console: Console) -> None:
    from activefs.rendering import ABOUT_CHANCE, words_for

    chosen, words = found.selection, words_for(found.selection.criterion)
    table = Table(title=shown(title))
    # A terminal is narrow: nobody needs to see that everything is above chance.
    chance = ["above chance"] if any(chosen.by_chance) else []
    known = [f"in the true\ntop {found.k}"] if found.truly_best is not None else []
    for heading in ("rank", "feature", f"estimate{words.in_brackets}".replace(" ", "\n"), "interval", *chance, *known):
        table.add_column(heading, justify="right" if heading == "rank" else "left", overflow="fold")
    for i, name in enumerate(chosen.names):
        interval = f"{chosen.lower[i]:.3f} to {chosen.upper[i]:.3f}"
        above = ["no" if chosen.by_chance[i] else "yes"] if chance else []
        hit = [found.in_true_top(i)] if known else []
        table.add_row(str(i + 1), shown(name), f"{chosen.scores[i]:.3f}", interval, *above, *hit)
    console.print(table)
    if chance:
        console.print(ABOUT_CHANCE)
