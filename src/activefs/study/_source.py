"""Where the table of a study is, and how it is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.streams import StreamSource, fits_in_memory, open_source
from activefs.study._settings import StudySettings
from activefs.tables import PARQUET, Dialect, FileTable, kind_of, read_file, read_table, refuse_settings

_LARGE = 64 << 20
"""Bytes from which on a file may hold more than fits into memory."""
_IN_PIECES = (*PARQUET, ".csv", ".tsv", ".txt", ".feather", ".arrow")

Progress = Callable[[str, float], None]


def is_address(place: str | Path) -> bool:
    """Whether a place is an address, such as s3://bucket/table.parquet, and not a path.

    Examples
    --------
    >>> is_address("s3://bucket/table.parquet"), is_address("tables/*.parquet")
    (True, False)
    """
    return "://" in str(place)


def located(place: str | Path) -> str:
    """Write a place such that it is found again from any folder."""
    return str(place) if is_address(place) else str(Path(place).expanduser().absolute())


def open_table(
    X: str | Path, settings: StudySettings, *, new: bool = False, progress: Progress | None = None
) -> FileTable | StreamSource:
    """Read a table into memory if it fits; else open it, to be read in pieces.

    Parameters
    ----------
    X : str or Path
        A file, folder, pattern or address.
    settings : StudySettings
        How files are written, by which rules they are read, and which column is the id.
    new : bool
        Whether settings that have no meaning for such a file are refused.
    progress : callable, optional
        Is told what is done, if it takes long.
    """
    if _is_small(X):
        path = Path(X)
        if new:
            refuse_settings(path, kind_of(path), settings.dialect.said)
        return read_file(path, settings.id_column, settings.dialect, settings.rules)
    source = open_source(str(X) if is_address(X) else Path(X).expanduser(), dialect=settings.dialect, progress=progress)
    assert source is not None  # places are always opened
    if settings.rules == 1 or fits_in_memory(source):
        return FileTable(source.to_table(), settings.dialect, source.notes, source.doubts)
    return source


def _is_small(X: str | Path) -> bool:
    """Whether it is a file that is read into memory without asking how large its table is."""
    if is_address(X):
        return False
    path = Path(X).expanduser()
    if not path.is_file():  # who reads it says that it is not there
        return bool(path.suffix) and not (path.is_dir() or any(sign in str(X) for sign in "*?["))
    in_pieces = any(suffix in _IN_PIECES for suffix in map(str.lower, path.suffixes))
    return not in_pieces or path.stat().st_size < (_LARGE // 64 if path.suffix.lower() in PARQUET else _LARGE)


def column_names(
    X: str | Path, id_column: str | None, dialect: Dialect, progress: Progress | None = None
) -> tuple[str, ...]:
    """Name the columns of a table as a new study would read it; text is read for that, which is told."""
    settings = StudySettings({"id_column": id_column, **asdict(dialect)}, None, "")
    found = open_table(X, settings, new=True, progress=progress)
    return found.names if isinstance(found, StreamSource) else read_table(found.table).names


def as_file(found: FileTable | StreamSource) -> FileTable:
    """Return what people should know of how a table was read, in one form."""
    if isinstance(found, FileTable):
        return found
    return replace(FileTable(None), notes=found.notes, doubts=found.doubts)


def in_memory(X: Any) -> Any:
    """Open what other libraries compute when it is read, such as a LazyFrame; tables in memory stay what they are."""
    source = X if isinstance(X, StreamSource) else open_source(X)
    if source is None:
        return X
    return source.to_table() if fits_in_memory(source) else source


def refuse_dialect(settings: StudySettings) -> None:
    """Refuse settings of a text file if there is no file."""
    if said := settings.dialect.said:
        raise InvalidInputError(f"{', '.join(said)} can be said of a file only; the table was given in memory")
