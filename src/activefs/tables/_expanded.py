"""Files that are much larger than they look: how large they say they are, and how large they turn out to be."""

from __future__ import annotations

from pathlib import Path

from activefs.exceptions import InvalidInputError
from activefs.tables._kinds import kind_of

_PIECE = 2**20
_MAX_PARTS = 2_000
_MAX_CELLS = 400_000_000


def refuse_bombs(path: Path, limit: int) -> None:
    """Refuse a file that somebody unknown has sent, if there is too much in it.

    Nothing is kept of what is unpacked here, so this takes time but no memory. A few bytes of Parquet can stand for any
    number of equal cells, which are counted.

    Parameters
    ----------
    path : Path
        The file.
    limit : int
        Bytes that its content may have.
    """
    kind = kind_of(path)
    try:
        if kind.compression is not None:
            _count(path, kind.compression, limit)
        elif kind.suffix == ".xlsx":
            _add_up(path, limit)
        elif kind.suffix == ".parquet":
            _ask(path, limit)
    except InvalidInputError:
        raise
    except Exception:  # whatever is damaged is explained by whoever reads it
        return


def _count(path: Path, compression: str, limit: int) -> None:
    import pyarrow as pa

    size = 0
    with pa.input_stream(path, compression=compression) as stream:
        while piece := stream.read(_PIECE):
            size += len(piece)
            if size > limit:
                raise _too_large(path, limit)


def _add_up(path: Path, limit: int) -> None:
    """Add up what a workbook says its parts have; what is more than that is not unpacked."""
    from zipfile import ZipFile

    with ZipFile(path) as book:
        parts = book.infolist()
    if len(parts) > _MAX_PARTS:
        raise InvalidInputError(f"{path.name} has {len(parts):,} parts, which no workbook has: save it anew")
    if sum(part.file_size for part in parts) > limit:
        raise _too_large(path, limit)


def _ask(path: Path, limit: int) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        about = file.metadata
        size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        if size > limit:
            raise _too_large(path, limit)
        if about.num_rows * about.num_columns > _MAX_CELLS:
            raise InvalidInputError(
                f"{path.name} has {about.num_rows:,} rows of {about.num_columns:,} columns; {_MAX_CELLS:,} cells are "
                "the most"
            )


def _too_large(path: Path, limit: int) -> InvalidInputError:
    return InvalidInputError(
        f"{path.name} is larger than the {limit / 1e6:,.0f} MB that are allowed here when it is unpacked"
    )
