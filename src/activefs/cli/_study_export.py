"""`activefs study export`: labels or the log, as CSV, JSON lines or Parquet."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from activefs.cli._arguments import Data, Url
from activefs.cli._study_common import opened
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.files import cannot_write, replacing
from activefs.study import Format, export, format_of


def export_labels(
    url: Url,
    file: Annotated[
        Path | None,
        typer.Argument(help="File to write: .csv, .jsonl, .ndjson or .parquet; by default the output, as CSV."),
    ] = None,
    data: Data = None,
    format: Annotated[
        Format | None, typer.Option("--format", help="What to write, if the name of the file does not say it.")
    ] = None,
    joined: Annotated[bool, typer.Option("--joined", help="Add all columns of the table to the labels.")] = False,
    log: Annotated[bool, typer.Option("--log", help="Write the whole log of events instead of the labels.")] = False,
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe",
            help="Put an apostrophe before cells that a spreadsheet would take for a formula; import takes it away.",
        ),
    ] = False,
) -> None:
    """Write all labels, or the whole log, as CSV, JSON lines or Parquet."""
    how = format_of(file, format)
    if file is None and how is Format.PARQUET and sys.stdout.isatty():
        raise InvalidInputError("Parquet is nothing for a terminal: name a file, or send the output to one")
    with opened(url, data, at_once=False) as study:
        found = export(study.engine, how, joined=joined, log=log, spreadsheet_safe=spreadsheet_safe)
        if file is None:
            _print(found.pieces)
            return
        try:
            with replacing(file) as out:
                out.writelines(found.pieces)
        except OSError as error:
            raise ActiveFSError(f"{cannot_write(file, error)} Then run the same command again.") from error
        what = f"{found.lines:,} entries of the log" if log else f"{study.n_labels:,} labels"
        typer.echo(f"Wrote {what} to {file}")


def _print(pieces: Iterable[bytes]) -> None:
    """Write to the output as it is: what is no text must not be changed on the way."""
    sys.stdout.flush()
    out = getattr(sys.stdout, "buffer", None)
    for piece in pieces:
        if out is None:
            sys.stdout.write(piece.decode())
        else:
            out.write(piece)
    sys.stdout.flush()
