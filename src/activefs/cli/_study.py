"""`activefs study`: create, status, undo, import, export, report; labelling and annotators have files of their own."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._progress import waiting
from activefs.cli._study_annotators import annotator_app
from activefs.cli._study_common import (
    PREPARING,
    Data,
    Url,
    advice_for_the_command_line,
    columns_of,
    opened,
    printed_name,
    shown,
)
from activefs.cli._study_label import label
from activefs.cli._study_status import show_status
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.runs import cannot_write, write_whole
from activefs.storages import open_storage
from activefs.strategies import RECOMMENDED
from activefs.study import Study, amount, html_report, import_csv

study_app = typer.Typer(help="Studies that are kept in a file or a database, and shared.", no_args_is_help=True)
study_app.command()(label)
study_app.add_typer(annotator_app, name="annotator")


@study_app.command()
def create(
    url: Url,
    data: Annotated[Path, typer.Option("--data", help="The table: a csv, tsv, parquet or mat file.")],
    k: Annotated[int, typer.Option("--k", help="Number of features wanted.")],
    budget: Annotated[float, typer.Option("--budget", help="Labels in all; with --cost, what they may cost in all.")],
    id_column: Annotated[str | None, typer.Option("--id", help="Column that names the rows; it is no feature.")] = None,
    classes: Annotated[str | None, typer.Option("--classes", help="The possible labels: healthy,ill")] = None,
    show: Annotated[
        list[str] | None, typer.Option("--show", help="Columns that annotators see: age,sex (may be repeated).")
    ] = None,
    show_image: Annotated[
        str | None, typer.Option("--show-image", help="HEIGHTxWIDTH, if the columns are the pixels of an image.")
    ] = None,
    show_text: Annotated[
        str | None, typer.Option("--show-text", help="Column that is shown as text; it is no feature.")
    ] = None,
    strategy: Annotated[str, typer.Option("--strategy", help="How rows are chosen.")] = RECOMMENDED,
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator", help="How features are judged: 'plug-in' (labelled rows) or 'assisted' (all rows)."
        ),
    ] = None,
    stop_when_gap_below: Annotated[
        float | None,
        typer.Option("--stop-when-gap-below", help="Stop once the features are expected to lack less (assisted only)."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed; a new one by default.")] = None,
    lease: Annotated[
        float, typer.Option("--lease", help="Seconds for which a question belongs to one annotator.")
    ] = 600,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Columns that are no features (may be repeated).")
    ] = None,
    missing: Annotated[
        str, typer.Option("--missing", help="Missing values: 'error', or 'value' to make them a value of their own.")
    ] = "error",
    cost: Annotated[str | None, typer.Option("--cost", help="Column with what each label costs.")] = None,
    redundancy: Annotated[str, typer.Option("--redundancy", help="none, mrmr, jmi or cmim.")] = "none",
    go_on: Annotated[
        bool, typer.Option("--continue-when-certified", help="Use the whole budget, even if the choice is certified.")
    ] = False,
    title: Annotated[str | None, typer.Option("--title", help="Name of the study.")] = None,
    question: Annotated[str | None, typer.Option("--question", help="What annotators are asked about a row.")] = None,
) -> None:
    """Make a study of a table whose labels are still to come."""
    with advice_for_the_command_line():
        if not open_storage(url).durable:
            raise InvalidInputError(f"a study at {url} would end with this command: name a file, or give a URL")
        names = columns_of(data, id_column) if show or ignore else ()
        with waiting(PREPARING):
            study = Study.create(
                url, data, k, budget=budget, id_column=id_column,
                classes=None if classes is None else [c.strip() for c in classes.split(",")],
                show=split_names(show, names), show_image=show_image, show_text=show_text, strategy=strategy,
                estimator=estimator, stop_when_gap_below=stop_when_gap_below, random_state=seed, lease=lease,
                ignore=split_names(ignore, names) or (), missing=missing, cost=cost,  # type: ignore[arg-type]
                redundancy=redundancy, when_certified="continue" if go_on else "stop", title=title, question=question,
            )  # fmt: skip
    with study:
        pool = study.pool
        place = printed_name(url)
        console = Console(soft_wrap=True, highlight=False)
        console.print(
            f"Study made: {place}: {pool.n_rows:,} rows, {pool.n_features:,} features, {k} wanted, "
            f"{amount(budget)} {'to spend' if cost else 'labels'}.",
            markup=False,
        )
        console.print(
            f"Label in the terminal:   activefs study label {place}\n"
            f"or in the browser:       activefs serve {place}\n"
            f"For a team, give tokens: activefs study annotator add {place} NAME",
            markup=False,
        )


@study_app.command()
def status(
    url: Url,
    data: Data = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")] = False,
) -> None:
    """Show labels used, the current top k with intervals, how contested each place is, and labels per annotator."""
    with opened(url, data) as study:
        found = study.status()
        if as_json:
            content = {name: value for name, value in asdict(found).items() if name != "selection"}
            print(json.dumps(content, indent=2))
        else:
            show_status(found, study.title, study.criterion)


@study_app.command()
def undo(
    url: Url,
    data: Data = None,
    row: Annotated[str | None, typer.Option("--row", help="Take back the answer for this row (its id).")] = None,
    annotator: Annotated[
        str | None, typer.Option("--annotator", help="Take back the last answer of this annotator.")
    ] = None,
) -> None:
    """Take back the last answer of all, or that of a row or of an annotator."""
    with opened(url, data) as study:
        taken = study.take_back(row=row, annotator=annotator)
        what = "skipped" if taken.label is None else str(taken.label)
        row_name = shown(study.name_of(taken.row)).plain
        typer.echo(f"Taken back: row {row_name} ({what}), answered by {taken.annotator}.")


@study_app.command("import")
def import_labels(
    url: Url,
    file: Annotated[
        Path, typer.Argument(help="CSV with the columns row and label; annotator, time and kind if known.")
    ],
    data: Data = None,
) -> None:
    """Take labels that exist already from a CSV file, all or none."""
    try:
        content = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{file} is not text in UTF-8") from None
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    with opened(url, data) as study:
        new, total = import_csv(study._engine, content, study._me)
        known = f"; {total - new:,} were there already" if new < total else ""
        typer.echo(f"Imported {new:,} of {total:,} rows{known}.")


@study_app.command()
def export(
    url: Url,
    file: Annotated[Path | None, typer.Argument(help="CSV file to write; by default the output.")] = None,
    data: Data = None,
) -> None:
    """Write all labels as CSV: row, label, annotator, time, and kind (answer, known, skipped)."""
    with opened(url, data) as study:
        content = study.export_csv()
        if file is None:
            typer.echo(content, nl=False)
            return
        _write(file, content)
        typer.echo(f"Wrote {study.n_labels:,} labels to {file}")


@study_app.command()
def report(
    url: Url,
    file: Annotated[Path, typer.Argument(help="HTML file to write.")] = Path("activefs-study.html"),
    data: Data = None,
) -> None:
    """Write one HTML file with tables and pictures, which needs no network."""
    with opened(url, data) as study:
        _write(file, html_report(study._engine, study._reader))
        typer.echo(f"Report: {file}")


def split_names(given: list[str] | None, columns: tuple[str, ...]) -> list[str] | None:
    """Split comma-separated names, unless a column has that very name."""
    if given is None:
        return None
    return [name for part in given for name in ([part] if part in columns else [n.strip() for n in part.split(",")])]


def _write(path: Path, content: str) -> None:
    try:
        write_whole(path, content.encode())
    except OSError as error:
        raise ActiveFSError(f"{cannot_write(path, error)} Then run the same command again.") from error
