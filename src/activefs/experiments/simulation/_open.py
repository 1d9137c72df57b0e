"""A table whose labels are known, in memory or beyond it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.streams import FileSource, StreamSource, fits_in_memory, open_source
from activefs.tables import (
    Dialect,
    FileKind,
    FileTable,
    LabelledTable,
    check_roles,
    open_labelled,
    refuse_settings,
    split_table,
)

Progress = Callable[[str, float], None]
"""Is told what is done, and which share of it (0 to 1)."""


@dataclass(frozen=True, eq=False)
class StreamedTable:
    """A table with labels that is not read into memory.

    Attributes
    ----------
    source : StreamSource
        All of its rows and columns.
    label : str
        Column of labels.
    id_column : str or None
        Column that names the rows.
    dialect : Dialect
        How text files are written, as far as it was said.
    notes : tuple of str
        What people should know about how files were read.
    """

    source: StreamSource
    label: str
    id_column: str | None = None
    dialect: Dialect = Dialect()  # noqa: RUF009 - it cannot be changed
    notes: tuple[str, ...] = ()


Trial = LabelledTable | StreamedTable
"""What a simulated study can be made of."""


def open_trial(
    X: Any, label: str, id_column: str | None = None, *, progress: Progress | None = None, **dialect: str | None
) -> Trial:
    r"""Open a table whose labels are known; what fits into memory is read into it.

    Parameters
    ----------
    X : str, Path or lazy table
        A file, a folder, a pattern or an address, or whatever else :func:`activefs.streams.open_source` opens.
    label : str
        Column that holds the labels; in a MATLAB file, the variable.
    id_column : str, optional
        Column (variable) that names the rows; it is no feature.
    progress : callable, optional
        Is told what is done, and which share of it.
    **dialect
        How files are written: sep, decimal, encoding, sheet.

    Raises
    ------
    InvalidInputError
        If it cannot be read, or a column is not there; the message says what to do.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "t.csv"
    >>> _ = path.write_text("age,smokes,ill\n47,no,no\n61,yes,yes\n")
    >>> open_trial(str(path), "ill").labels
    ['no', 'yes']
    """
    said = Dialect.checked(**dialect)
    if isinstance(X, (str, Path)):
        if PurePath(X).suffix.lower() == ".mat":
            return open_labelled(X, label, id_column, **dialect)
        if "://" not in str(X) and Path(X).is_file():
            refuse_settings(Path(X), FileKind.by_name(Path(X)), said.said)
    source = open_source(X, dialect=said, progress=progress)
    if source is None:
        raise InvalidInputError("the table is in memory already: make a LabelledTable of it")
    if fits_in_memory(source):
        read = source.found if isinstance(source, FileSource) else None
        found = read or FileTable(source.to_table(), said, source.notes, source.doubts)
        return split_table(found, source.description, label, id_column)
    about = FileTable(None, Dialect(), source.notes, source.doubts)
    check_roles(about, source.names, source.description, label, id_column)
    return StreamedTable(source, label, id_column, said, (*about.notes, *about.doubted(but=[id_column])))


def columns_of_trial(table: Trial) -> tuple[str, ...]:
    """Name the columns that may be features, or have a cost."""
    if isinstance(table, StreamedTable):
        return tuple(name for name in table.source.names if name not in (table.label, table.id_column))
    return tuple(table.names or table.features.column_names)
