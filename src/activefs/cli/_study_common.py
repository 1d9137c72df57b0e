"""What the commands about studies have in common."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from activefs.cli._progress import waiting
from activefs.exceptions import InvalidInputError
from activefs.storages import open_storage
from activefs.study import Study
from activefs.tables import open_unlabelled, read_table

Url = Annotated[str, typer.Argument(metavar="STUDY", help="A file (SQLite), or a URL: postgresql://user@host/database")]
Data = Annotated[Path | None, typer.Option("--data", help="The table, if it is not where it was any more.")]

PREPARING = "reading the table, preparing the strategy"


def opened(url: str, data: Path | None, annotator: str | None = None) -> Study:
    """Open a study for a command."""
    with advice_for_the_command_line(), waiting(PREPARING):
        return Study.open(url, data, annotator=annotator)


def printed_name(url: str) -> str:
    """Name the study without a password."""
    return open_storage(url).place


def columns_of(path: Path, id_column: str | None) -> tuple[str, ...]:
    """Names of the columns of a table in a file."""
    return read_table(open_unlabelled(path, id_column)).names


def shown(content: object, style: str = "") -> Text:
    r"""Make text of what a table holds: no markup, and no codes that a terminal would obey.

    Examples
    --------
    >>> shown("a\x1b[2Jb [bold]c").plain
    'a�[2Jb [bold]c'
    """
    safe = "".join(
        c if c in "\n\t" or unicodedata.category(c) != "Cc" else "\N{REPLACEMENT CHARACTER}" for c in str(content)
    )
    return Text(safe, style=style)


@contextmanager
def advice_for_the_command_line() -> Iterator[None]:
    """Turn advice for Python into advice for the command line."""
    try:
        yield
    except InvalidInputError as error:
        said = str(error)
        for python, terminal in (
            ("ignore=...", "--ignore COLUMN, or --id COLUMN if it names the rows, or --show-text COLUMN"),
            ("missing='value'", "--missing value"),
            ("stop_when_gap_below needs estimator='assisted'", "--stop-when-gap-below needs --estimator assisted"),
            ("Study.open(url, X), or ", ""),
            ("Study.open(url, FILE), or ", ""),
        ):
            said = said.replace(python, terminal)
        raise type(error)(said) from error
