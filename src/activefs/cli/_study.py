"""`activefs study`: create, status, undo, import, report; what else there is has files of its own."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from activefs.cli._arguments import PLACES, Data, Url
from activefs.cli._cluster import Address, Workers, opened_cluster
from activefs.cli._options import for_the_command_line, with_command_options
from activefs.cli._progress import waiting
from activefs.cli._shown import shown
from activefs.cli._study_common import (
    PREPARING,
    advice_for_studies,
    columns_of,
    opened,
    printed_name,
    split_names,
)
from activefs.exceptions import ActiveFSError, DoubtfulColumnWarning, InvalidInputError, LeftOutWarning
from activefs.files import cannot_write, write_whole
from activefs.options import TextFileOptions
from activefs.rendering import amount
from activefs.storages import open_storage
from activefs.study import AllStudyOptions, Study, create_engine


@with_command_options(AllStudyOptions, required=("k", "budget"))
def create(
    url: Url,
    data: Annotated[str, typer.Option("--data", metavar="PATH", help=f"The table: {PLACES}")],
    options: dict[str, Any],
    go_on: Annotated[
        bool, typer.Option("--continue-when-certified", hidden=True, help="The same as --when-certified continue.")
    ] = False,
    overlap_all: Annotated[
        bool, typer.Option("--overlap-all", help="Every row is answered by two annotators; the same as --overlap 1.")
    ] = False,
    address: Address = None,
    workers: Workers = None,
) -> None:
    """Make a study of a table whose labels are still to come."""
    from activefs.pool import how_to_keep
    from activefs.tables import listed_left_out, not_constant

    if go_on:
        options["when_certified"] = "continue"
    if overlap_all:
        if options.get("overlap", 1.0) != 1.0:
            raise InvalidInputError("give either --overlap SHARE or --overlap-all")
        options["overlap"] = 1.0
    with advice_for_studies():
        if not open_storage(url).durable:
            raise InvalidInputError(f"a study at {url} would end with this command: name a file, or give a URL")
        several = [name for name in ("show", "show_media", "ignore", "categorical") if name in options]
        if several:
            with waiting(PREPARING) as progress:
                names = columns_of(data, options, progress)
            options |= {name: split_names(options[name], names) for name in several}
        with (
            opened_cluster(address, workers) as cluster,
            waiting(PREPARING) as progress,
            warnings.catch_warnings(record=True) as caught,
        ):
            # Both are said below, in the words of the terminal.
            warnings.simplefilter("ignore", LeftOutWarning)
            warnings.simplefilter("always", DoubtfulColumnWarning)
            study = Study(create_engine(url, data, progress=progress, cluster=cluster, **options))
    with study:
        pool = study.pool
        place = printed_name(url)
        console = Console(soft_wrap=True, highlight=False, emoji=False)
        budget = "" if options["budget"] is None else f", {amount(options['budget'])} "
        budget += ("to spend" if options.get("cost") else "labels") if budget else ""
        console.print(
            f"Study made: {place}: {pool.n_rows:,} rows, {pool.n_features:,} features, {options['k']} wanted{budget}.",
            markup=False,
        )
        if overlap := study.engine.settings.overlap:
            rows = "Every row is" if overlap == 1 else f"{overlap:.3g} of the rows are"
            console.print(f"{rows} answered by a second annotator as well; these answers are not counted as labels.")
        if how := study.engine.settings.dialect.in_words():
            console.print(shown(f"{Path(data).name} was read with {how}."))
        for warning in caught:
            console.print(shown(f"Note: {for_the_command_line(str(warning.message))}"))
        if pool.left_out:
            console.print(shown(f"Left out: {listed_left_out(pool.left_out)}."))
        if not_constant(pool.left_out):
            console.print(shown(f"{how_to_keep(pool.left_out, terminal=True)}, in a new study."))
        console.print(
            f"Label in the terminal:   activefs study label {place}\n"
            f"or in the browser:       activefs serve {place}\n"
            f"For a team, give tokens: activefs study annotator add {place} NAME",
            markup=False,
        )


def status(
    url: Url,
    data: Data = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")] = False,
) -> None:
    """Show labels used, the current top k with intervals, what is contested, when it will be done."""
    with opened(url, data, at_once=False) as study:
        found, ahead = study.status(), study.forecast()
        if as_json:
            print(json.dumps({**found.to_json(), "forecast": ahead.to_json()}, indent=2))
        else:
            from activefs.cli._study_status import show_status  # it loads numpy, which other commands do without

            show_status(found, ahead, study.title)


def undo(
    url: Url,
    data: Data = None,
    row: Annotated[str | None, typer.Option("--row", help="Take back the answer for this row (its id).")] = None,
    annotator: Annotated[
        str | None, typer.Option("--annotator", help="Take back the last answer of this annotator.")
    ] = None,
) -> None:
    """Take back the last answer of all, or that of a row or of an annotator."""
    with opened(url, data, at_once=False) as study:
        taken = study.take_back(row=row, annotator=annotator)
        what = "skipped" if taken.label is None else str(taken.label)
        row_name = shown(study.name_of(taken.row)).plain
        typer.echo(f"Taken back: row {row_name} ({what}), answered by {taken.annotator}.")


@with_command_options(TextFileOptions)
def import_labels(
    url: Url,
    file: Annotated[
        Path,
        typer.Argument(help="CSV (any separator) with the columns row and label; annotator, time and kind if known."),
    ],
    options: dict[str, Any],
    data: Data = None,
) -> None:
    """Take labels that exist already from a CSV file, all or none."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    with opened(url, data, at_once=False) as study:
        new, total = study.import_labels(content, **options)
        known = f"; {total - new:,} were there already" if new < total else ""
        typer.echo(f"Imported {new:,} of {total:,} rows{known}.")


def report(
    url: Url,
    file: Annotated[Path, typer.Argument(help="HTML file to write.")] = Path("activefs-study.html"),
    data: Data = None,
) -> None:
    """Write one HTML file with tables and pictures, which needs no network."""
    with opened(url, data) as study:
        _write(file, study.report())
        typer.echo(f"Report: {file}")


def _write(path: Path, content: str) -> None:
    try:
        write_whole(path, content.encode())
    except OSError as error:
        raise ActiveFSError(f"{cannot_write(path, error)} Then run the same command again.") from error
