"""What the commands about studies have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from activefs.cli._options import advice_for_the_command_line
from activefs.cli._progress import Told, waiting
from activefs.storages import open_storage
from activefs.study import Study, open_engine

if TYPE_CHECKING:
    from activefs.pool import Cluster

PREPARING = "reading the table, preparing the strategy"


@contextmanager
def opened(
    url: str,
    data: str | None,
    annotator: str | None = None,
    *,
    at_once: bool = True,
    cluster: Cluster | None = None,
) -> Iterator[Study]:
    """Open a study for a command; without `at_once`, the table is read when something needs it."""
    with advice_for_studies():
        with waiting(PREPARING) if at_once else nullcontext() as progress:
            study = Study(open_engine(url, data, at_once=at_once, progress=progress, cluster=cluster), annotator)
        with study:
            yield study


def printed_name(url: str) -> str:
    """Name the study without a password."""
    return open_storage(url).place


def columns_of(place: str, options: Mapping[str, Any], progress: Told) -> tuple[str, ...]:
    """Names of the columns of a table that is read as the options of a study say; that may take long, and is told."""
    from activefs.study import column_names
    from activefs.tables import Dialect

    return column_names(place, options.get("id_column"), Dialect.of(options), progress)


def split_names(given: Sequence[str], columns: tuple[str, ...]) -> list[str]:
    """Split comma-separated names, unless a column has that very name."""
    return [name for part in given for name in ([part] if part in columns else [n.strip() for n in part.split(",")])]


def advice_for_studies() -> AbstractContextManager[None]:
    """Turn advice for Python into advice for the command line."""
    ignored = "--ignore COLUMN, or --id COLUMN if it names the rows, or --show-text COLUMN"
    return advice_for_the_command_line({"ignore=...": ignored})
