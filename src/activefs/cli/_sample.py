"""`activefs sample`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.files import cannot_write, write_whole

if TYPE_CHECKING:
    import pyarrow as pa


def sample(
    file: Annotated[Path, typer.Argument(help="File to write: .csv, .tsv or .parquet.")] = Path("patients.csv"),
) -> None:
    """Write a table to try things on: 569 patients, thirty measurements and a diagnosis."""
    from activefs.datasets import sample_table

    table = sample_table()
    content = _written(table, file)
    try:
        if file.exists() and file.read_bytes() != content:
            raise InvalidInputError(f"{file} is there already and holds something else: name another file")
        write_whole(file, content)
    except OSError as error:
        raise ActiveFSError(f"{cannot_write(file, error)} Then run the same command again.") from error
    typer.echo(
        f"Wrote {file}: {table.num_rows} patients (column 'patient'), {table.num_columns - 2} measurements, and "
        "'diagnosis' (benign, malignant).\n"
        "Source: Breast Cancer Wisconsin (Diagnostic), Street, Wolberg and Mangasarian 1993, CC BY 4.0."
    )


def _written(table: pa.Table, file: Path) -> bytes:
    """The table as a file of the kind that its name says."""
    import pyarrow.csv
    import pyarrow.parquet

    out = io.BytesIO()
    ending = file.suffix.lower()
    if ending == ".parquet":
        pyarrow.parquet.write_table(table, out)
    elif ending in (".csv", ".tsv"):
        separator = "," if ending == ".csv" else "\t"
        style = pyarrow.csv.WriteOptions(delimiter=separator, quoting_style="none", quoting_header="none")
        pyarrow.csv.write_csv(table, out, style)
    else:
        raise InvalidInputError(f"{file} must end in .csv, .tsv or .parquet")
    return out.getvalue()
