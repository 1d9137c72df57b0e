"""Where large tables come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from activefs.streams._arrow_source import ArrowSource, is_arrow_file
from activefs.streams._file_source import read_whole
from activefs.streams._find import PARQUET, TEXT, find_files
from activefs.streams._lazy import open_lazy
from activefs.streams._parquet_source import ParquetSource
from activefs.streams._source import StreamSource
from activefs.streams._text_source import open_text
from activefs.tables import UNSAID, Dialect

_ARROW = (".feather", ".arrow")


def open_source(
    X: Any, *, dialect: Dialect = UNSAID, progress: Callable[[str, float], None] | None = None
) -> StreamSource | None:
    """Open a table that need not fit into memory; None if `X` is a table in memory.

    Parameters
    ----------
    X : str, Path, LazyFrame, Dataset, DuckDB relation or RecordBatchReader
        A Parquet or text file (csv, tsv, txt, also compressed); a folder of them, with all folders in it, or a pattern
        such as ``data/*.parquet``, in the order of names; the same at an address that fsspec knows, such as
        ``s3://bucket/data``; one file of another kind that holds a table; a polars LazyFrame, an Arrow dataset or
        reader, a DuckDB relation. Text, and what is computed while it is read, is read once and kept as Parquet in the
        user's cache folder (ACTIVEFS_CACHE_DIR).
    dialect : Dialect
        How text files are written; by default it is found out.
    progress : callable, optional
        Is told what is done, and which share of it (0 to 1).

    Raises
    ------
    InvalidInputError
        In one sentence that names the file and what to do.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> folder = Path(tempfile.mkdtemp())
    >>> pq.write_table(pa.table({"a": [1, 2]}), folder / "1.parquet")
    >>> pq.write_table(pa.table({"a": [3]}), folder / "2.parquet")
    >>> source = open_source(folder)
    >>> source.n_rows, source.take([2, 0]).to_pydict()
    (3, {'a': [3, 1]})
    >>> open_source([[1, 2], [3, 4]]) is None
    True
    """
    if not isinstance(X, (str, Path)):
        return open_lazy(X)
    files, kind = find_files(X)
    said = str(X)
    if kind == PARQUET:
        return ParquetSource(files, said, progress)
    if kind == TEXT:
        return open_text(files, said, dialect, progress)
    (file,) = files
    if kind in _ARROW and file.store is None and is_arrow_file(file):
        return ArrowSource(file, said)
    return read_whole(file, said, dialect)
