"""Arguments that several commands have; nothing else is here, so that a quick command stays quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

KINDS = (
    "csv, tsv or txt (any separator), parquet, feather, arrow, xlsx, jsonl, ndjson or mat; text may be gz, bz2 or zst"
)

Url = Annotated[str, typer.Argument(metavar="STUDY", help="A file (SQLite), or a URL: postgresql://user@host/database")]
Data = Annotated[Path | None, typer.Option("--data", help="The table, if it is not where it was any more.")]
