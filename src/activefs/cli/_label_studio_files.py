"""`activefs label-studio pull`, `export` and `import`: tables and JSON files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from activefs.cli._arguments import Data, Url
from activefs.cli._label_studio import Address, TokenFile, connected
from activefs.cli._study_common import opened
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.files import cannot_write, write_whole

Control = Annotated[
    str | None,
    typer.Option("--control", help="Name of the control that holds the label, if there are several."),
]


def pull(
    table: Annotated[Path, typer.Argument(help="Table to write: .csv or .jsonl.")],
    url: Address,
    project: Annotated[int, typer.Option("--project", min=1, help="Number of the project (in its URL).")],
    token_file: TokenFile = None,
    annotations: Annotated[
        Path | None, typer.Option("--annotations", help="JSON file for the annotations that there are already.")
    ] = None,
) -> None:
    """Write the tasks of a Label Studio project as a table, of which a study can be made."""
    from activefs.label_studio import TASK_ID, found_project, pulled_annotations, pulled_table

    studio = connected(url, token_file)
    there = found_project(studio, project)
    tasks = studio.all_tasks(there, with_data=True)
    _write(table, pulled_table(tasks, table.suffix.lower()))
    typer.echo(f"Wrote {len(tasks):,} tasks to {table}; the column {TASK_ID} names them.")
    if annotations is not None:
        _write(annotations, pulled_annotations(studio, there, tasks))
        n = sum(bool(task.annotations) for task in tasks)
        typer.echo(f"Wrote the annotations of {n:,} tasks to {annotations}: activefs label-studio import takes them.")
    typer.echo(
        f"Make a study: activefs study create STUDY --data {table} --id {TASK_ID} --k K --budget B --classes ..."
    )


def export(
    study: Url,
    file: Annotated[Path, typer.Argument(help="JSON file to write.")],
    data: Data = None,
) -> None:
    """Write all labels as tasks with annotations, in the JSON that Label Studio imports."""
    from activefs.label_studio import export_json

    with opened(study, data) as found:
        content = export_json(found.engine)
        _write(file, content)
        typer.echo(f"Wrote {found.n_labels:,} labels and {len(found.skipped):,} skips to {file}")


def import_labels(
    study: Url,
    file: Annotated[Path, typer.Argument(help="JSON or JSON-MIN that Label Studio exported.")],
    control: Control = None,
    data: Data = None,
) -> None:
    """Take the labels of a JSON file that Label Studio exported (JSON or JSON-MIN), all or none."""
    from activefs.label_studio import import_json

    try:
        content = file.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    with opened(study, data, at_once=False) as found:
        new, total, without = import_json(found.engine, content, found.person, control)
        known = f"; {total - new:,} were there already" if new < total else ""
        none = f"; {without:,} tasks have no annotation" if without else ""
        typer.echo(f"Imported {new:,} of {total:,} rows{known}{none}.")


def _write(path: Path, content: str) -> None:
    try:
        write_whole(path, content.encode())
    except OSError as error:
        raise ActiveFSError(f"{cannot_write(path, error)} Then run the same command again.") from error
