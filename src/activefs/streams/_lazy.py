"""Tables of other libraries that are computed when they are read: they are read once, and kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.streams._content import ROWS
from activefs.streams._files import DataFile
from activefs.streams._parquet_source import ParquetSource
from activefs.streams._source import StreamSource
from activefs.streams._spool import spool, spool_file

_AHEAD = "POLARS_ROW_GROUP_PREFETCH_SIZE"


def open_lazy(X: Any) -> StreamSource | None:
    """Return a source for a LazyFrame, an Arrow dataset, scanner or reader, or a DuckDB relation; None for others."""
    if _is(X, "polars", "LazyFrame"):
        return _from_polars(X)
    if _is(X, "duckdb", "DuckDBPyRelation"):
        return _from_duckdb(X)
    if _is(X, "pyarrow", "RecordBatchReader"):
        return _from_reader(X, "the record batches")
    if _is(X, "pyarrow.dataset", "Dataset"):
        return _from_dataset(X)
    if _is(X, "pyarrow.dataset", "Scanner"):
        return _from_reader(X.to_reader(), "the scanner")
    return None


def _is(X: Any, module: str, name: str) -> bool:
    """Whether something is of a class whose library, if it is, was imported by whoever made it."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(X, kind)


def _from_polars(frame: Any) -> StreamSource:
    what = "the LazyFrame"

    def fill(path: Path) -> None:
        try:
            with _little_ahead():
                frame.sink_parquet(path, row_group_size=ROWS, compression="zstd", compression_level=1)
        except Exception as error:  # of polars, of the system, or of a function that somebody wrote
            if "no space left" in str(error).lower():
                raise
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InvalidInputError(f"{what} cannot be computed: {said}") from error

    return spool_file(fill, what)


@contextmanager
def _little_ahead() -> Iterator[None]:
    """Let polars read one row group ahead, not eight: of a million rows each, these are most of its memory."""
    if _AHEAD in os.environ:
        yield
        return
    os.environ[_AHEAD] = "1"
    try:
        yield
    finally:
        os.environ.pop(_AHEAD, None)


def _from_duckdb(relation: Any) -> StreamSource:
    what = "the DuckDB relation"
    with _telling(what):
        new = hasattr(relation, "to_arrow_reader")
        reader = relation.to_arrow_reader(ROWS) if new else relation.fetch_arrow_reader(ROWS)
    return _from_reader(reader, what)


def _from_reader(reader: Any, what: str) -> StreamSource:
    return spool(_told(reader, what), reader.schema, what)


def _told(batches: Any, what: str) -> Iterator[Any]:
    with _telling(what):
        yield from batches


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Turn what goes wrong in whichever library computes a table into a sentence."""
    try:
        yield
    except ActiveFSError:
        raise
    except Exception as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidInputError(f"{what} cannot be read: {said}") from error


def _from_dataset(dataset: Any) -> StreamSource:
    what = "the dataset"
    direct = _as_files(dataset, what)
    if direct is not None:
        return direct
    batches = dataset.scanner(**_one_after_the_other(dataset)).to_batches()
    return spool(_told(batches, what), dataset.schema, what)


def _one_after_the_other(dataset: Any) -> dict[str, Any]:
    """Read no further ahead than must be: what is read ahead is in memory."""
    import pyarrow.dataset as ds

    how: dict[str, Any] = {"batch_size": ROWS, "batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
    if isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat):
        how["fragment_scan_options"] = ds.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
    return how


def _as_files(dataset: Any, what: str) -> StreamSource | None:
    """Return the Parquet files of a dataset, if it is nothing but all of their rows and columns; else None."""
    import pyarrow.dataset as ds
    from pyarrow.fs import LocalFileSystem

    if not (
        isinstance(dataset, ds.FileSystemDataset)
        and isinstance(dataset.format, ds.ParquetFileFormat)
        and isinstance(dataset.filesystem, LocalFileSystem)
        and dataset.files
    ):
        return None
    source = ParquetSource([DataFile.local(Path(path)) for path in dataset.files], what)
    same = source.schema.equals(dataset.schema.remove_metadata())
    return source if same and dataset.count_rows() == source.n_rows else None
