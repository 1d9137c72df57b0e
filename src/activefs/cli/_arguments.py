"""Arguments that several commands have; nothing else is here, so that a quick command stays quick."""

from __future__ import annotations

from typing import Annotated

import typer

KINDS = (
    "csv, tsv or txt (any separator), parquet, feather, arrow, xlsx, jsonl, ndjson or mat; text may be gz, bz2 or zst"
)
PLACES = (
    f"a file ({KINDS}); a folder of Parquet or text files, or a pattern such as 'data/*.parquet' in quotes; or an "
    "address (s3://, gs://, file://). It need not fit into memory."
)

Url = Annotated[str, typer.Argument(metavar="STUDY", help="A file (SQLite), or a URL: postgresql://user@host/database")]
Data = Annotated[
    str | None,
    typer.Option("--data", metavar="PATH", help="The table, if it is not where it was any more: as for study create."),
]
