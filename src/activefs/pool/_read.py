"""From a table to a pool."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from activefs.constraints import MISSING, RULES
from activefs.exceptions import DoubtfulColumnWarning, InvalidInputError
from activefs.pool._cluster import Cluster
from activefs.pool._cluster_table import ClusterTable, is_collection, one_column
from activefs.pool._dense import DensePool
from activefs.pool._encode_on_cluster import pool_on_cluster, pool_to_cluster
from activefs.pool._options import BinningOption, BinsOption
from activefs.pool._pool import Pool, PoolInfo
from activefs.pool._sparse import ListsBuilder, SparsePool, listed_bytes
from activefs.pool._stream import Progress, mapped_pool
from activefs.streams import RowIds, StreamSource, fits_in_memory, open_source
from activefs.tables import (
    CONSTANT,
    WHY,
    Column,
    ColumnOptions,
    Encoding,
    LeftOut,
    RowPlace,
    SparseCodes,
    SparseColumn,
    Table,
    UnusableColumn,
    encode_column,
    encode_sparse_column,
    explain,
    places_of,
    read_table,
    sentences,
)
from activefs.types import Array, Codes, Floats, Ints, Missing

_SMALL = 1 << 20
"""Cells up to which a matrix is small anyway."""
_TIMES_SMALLER = 4
_FEW_VALUES = 16


def read_pool(
    X: Any,
    *,
    missing: Missing = "error",
    bins: BinsOption = 10,
    binning: BinningOption = "kmeans",
    names: Sequence[str] | None = None,
    row_ids: Iterable[Any] | None = None,
    ignore: Sequence[str | int] = (),
    categorical: Sequence[str | int] = (),
    rules: int = RULES,
    progress: Progress | None = None,
    cluster: Cluster | None = None,
) -> Pool:
    """Encode a table as :meth:`Pool.from_table` does, but without a warning, and by the rules of an earlier release.

    Parameters
    ----------
    X, missing, bins, binning, names, row_ids, ignore, categorical
        As for :meth:`activefs.Pool.from_table`.
    rules : int, optional
        How columns are read of which nothing is said: a study goes on with the number that it was made with
        (`StudySettings.rules`); by default as this release does.
    progress : callable, optional
        Called with what is done, a text, and which share of it, from 0 to 1 (None if nobody knows), if it takes long.
    cluster : Cluster, optional
        Its workers read and keep the table, whatever it is. Dask collections are read by the one that this process is
        connected to, if none is given.

    Returns
    -------
    Pool
        The encoded table; its `left_out` names the columns that nobody was warned of.

    Raises
    ------
    InvalidInputError
        As :meth:`activefs.Pool.from_table`.
    ClusterError
        If the cluster does not answer.

    Examples
    --------
    >>> pool = read_pool([["p1", "a"], ["p2", "b"], ["p3", "b"]], names=["patient", "group"], ignore=["patient"])
    >>> pool.names, pool.n_columns
    (('group',), 2)
    """
    if isinstance(X, Pool):
        given = (missing, bins, binning, names, row_ids, tuple(ignore), tuple(categorical))
        if given != ("error", 10, "kmeans", None, None, (), ()):
            raise InvalidInputError(
                "a Pool is a table that was read already: options that say how to read a table do nothing to it"
            )
        return X
    MISSING.check("missing", missing)
    column_options = partial(_column_options, bins, binning, missing, ignore, categorical, rules)
    if is_collection(X):
        parts = ClusterTable.of_collection(X, names)
        where = cluster or Cluster.present()
        return pool_on_cluster(parts, column_options(parts.names), where, partial(_ids_of, row_ids), progress)
    X = opened_table(X, progress, to_memory=cluster is None)
    if isinstance(X, StreamSource):
        if names is not None:
            raise InvalidInputError("names are for tables in memory: columns of a file are called as the file says")
        options = column_options(X.names)
        if cluster is not None:
            parts = ClusterTable.of_source(X)
            return pool_on_cluster(parts, options, cluster, partial(_ids_of, row_ids), progress)
        return mapped_pool(X, options, _ids_of(row_ids, X.n_rows), progress)
    table = read_table(X, None if names is None else list(names))
    ids = _ids_of(row_ids, table.n_rows)
    pool = _in_memory(table, column_options(table.names), ids, places_of(X), progress)
    return pool if cluster is None else pool_to_cluster(pool, cluster)


def _column_options(
    bins: BinsOption,
    binning: BinningOption,
    missing: Missing,
    ignore: Sequence[str | int],
    categorical: Sequence[str | int],
    rules: int,
    names: Sequence[str],
) -> ColumnOptions:
    return ColumnOptions(names, bins, binning, missing == "value", ignore, categorical, rules)


def _in_memory(
    table: Table,
    options: ColumnOptions,
    row_ids: Sequence[Any] | None,
    place_of: Callable[[int], RowPlace] | None,
    progress: Progress | None,
) -> Pool:
    # Of a sparse matrix there may be a hundred thousand columns: no matrix of all codes is ever made.
    codes: _Lines | ListsBuilder
    codes = _Lines(len(table.names), table.n_rows) if table.sparse is None else ListsBuilder(table.n_rows)
    encodings: list[Encoding] = []
    counts: list[Ints] = []
    kept: list[int] = []
    left_out: list[LeftOut] = []
    problems: dict[str, list[str]] = {}
    same: dict[str, Encoding] = {}
    columns: Iterator[Column | SparseColumn] = table.columns() if table.sparse is None else table.sparse()
    step = max(1, len(table.names) // 100)  # columns from one word about progress to the next
    for j, column in enumerate(columns):
        if progress is not None and j % step == 0:
            progress("encoding the table", j / len(table.names))
        if j in options.ignored:
            continue
        try:
            coded = _encoded(column, options.of(column.name))
        except UnusableColumn as reason:
            if reason.kind in WHY:
                left_out.append(LeftOut(column.name, WHY[reason.kind]))
            else:
                problems.setdefault(reason.kind, []).append(reason.told(column.name, place_of))
            continue
        if coded.encoding.n_values < 2:
            left_out.append(LeftOut(column.name, CONSTANT))
            continue
        counts.append(coded.counts)
        mode = int(coded.counts.argmax())
        if isinstance(coded, SparseCodes) and isinstance(codes, ListsBuilder):
            codes.add_sparse(coded, mode)
        else:
            codes.add(coded.codes, mode)
        encodings.append(_shared(coded.encoding, same))
        kept.append(j)
    if progress is not None:
        progress("encoding the table", 1.0)
    if problems:
        raise InvalidInputError(explain(problems))
    info = PoolInfo(
        n_rows=table.n_rows,
        encodings=tuple(encodings),
        value_counts=np.concatenate(counts).astype(np.int64) if counts else np.empty(0, dtype=np.int64),
        columns=np.asarray(kept, dtype=np.int64),
        names=tuple(table.names[j] for j in kept),
        row_ids=row_ids,
        n_columns=len(table.names),
        left_out=tuple(left_out),
    )
    often = np.array([some.max() for some in counts], dtype=np.int64)
    return _smallest(info, codes, often)


class _Coded(NamedTuple):
    """All codes of a column, how many rows have each, and what they mean."""

    codes: Ints
    counts: Ints
    encoding: Encoding


def _encoded(column: Column | SparseColumn, options: dict[str, Any]) -> _Coded | SparseCodes:
    if isinstance(column, SparseColumn):
        return encode_sparse_column(column, **options)
    codes, encoding = encode_column(column, **options)
    return _Coded(codes, np.bincount(codes, minlength=encoding.n_values), encoding)


class _Lines:
    """A matrix of codes that is filled line by line."""

    def __init__(self, most: int, n_rows: int) -> None:
        self._codes = np.empty((most, n_rows), dtype=np.uint8)
        self._n_lines = 0

    def add(self, codes: Ints, mode: int) -> None:
        if codes.max() > 255 and self._codes.dtype == np.uint8:
            self._codes = self._codes.astype(np.uint16)
        self._codes[self._n_lines] = codes
        self._n_lines += 1

    def matrix(self) -> Codes:
        return self._codes if self._n_lines == len(self._codes) else self._codes[: self._n_lines].copy()


def _smallest(info: PoolInfo, codes: _Lines | ListsBuilder, often: Ints) -> Pool:
    """Keep codes as lists where these are much smaller than a matrix, else as a matrix."""
    cells = often.size * info.n_rows
    worth_it = cells >= _SMALL and _TIMES_SMALLER * listed_bytes(often, info.n_rows) <= cells
    if isinstance(codes, ListsBuilder):
        pool = SparsePool(info, codes.lists())
        return pool if worth_it else DensePool(info, pool.codes)
    if not worth_it:
        return DensePool(info, codes.matrix())
    return SparsePool.of(info, codes.matrix())


def _shared(encoding: Encoding, same: dict[str, Encoding]) -> Encoding:
    """Return one object for all features with the same few values: there may be a hundred thousand."""
    if encoding.ranges or len(encoding.values) > _FEW_VALUES:
        return encoding
    # Not by equality, by which 1 and True are the same.
    return same.setdefault(repr((encoding, encoding.ordered)), encoding)


def opened_table(X: Any, progress: Progress | None = None, *, to_memory: bool = True) -> Any:
    """Open a file or whatever else is read in pieces; what fits into memory is read into it, if that is wanted.

    A table in memory stays as it is, and so does a source that does not fit. Whoever needs a table twice opens it once:
    what computes a table, or reads it from somewhere, may do that once only.
    """
    source = X if isinstance(X, StreamSource) else open_source(X, progress=progress)
    if source is None:
        return X
    return source.to_table() if to_memory and fits_in_memory(source) else source


def opened_with_doubts(X: Any, progress: Progress | None, ignore: Sequence[str | int], *, stacklevel: int) -> Any:
    """Open a table as :func:`opened_table` does, and warn of columns of a file that may have been meant otherwise.

    Nothing is said of columns that are ignored; `stacklevel` as seen by who calls this.
    """
    source = None if isinstance(X, StreamSource) else open_source(X, progress=progress)
    if source is None:
        return opened_table(X, progress)
    names = dict(enumerate(source.names)) | {i - len(source.names): name for i, name in enumerate(source.names)}
    for said in sentences(source.doubts, but=[names.get(c) if isinstance(c, int) else c for c in ignore]):
        warnings.warn(said, DoubtfulColumnWarning, stacklevel=stacklevel + 1)
    return opened_table(source, progress)


def _ids_of(row_ids: Iterable[Any] | None, n_rows: int) -> Sequence[Any] | None:
    """Take ids of rows that are looked up when they are needed as they are; of others, make sure that they differ."""
    return row_ids if isinstance(row_ids, RowIds) else _checked_ids(row_ids, n_rows)


def column_values(X: Any, name: str) -> Array:
    """Values of one column of a table, by its name."""
    if isinstance(X, Pool):
        raise InvalidInputError(f"column {name!r} is asked for, but a Pool does not keep columns; pass the values")
    if is_collection(X):
        X = one_column(X, name, Cluster.present())
    X = opened_table(X)
    if isinstance(X, StreamSource) and name in X.names:
        numbers = _numbers_of(X, name)
        if numbers is not None:
            return numbers
        X = X.to_table([name])
    table = read_table(X)
    for column in table.columns():
        if column.name == name:
            if column.missing is not None:
                raise InvalidInputError(f"column {name!r} has missing values")
            return column.values
    raise InvalidInputError(f"there is no column {name!r}; the table has: {', '.join(table.names[:20])}")


def _numbers_of(source: StreamSource, name: str) -> Floats | None:
    """Return the numbers of a column, of which no more is in memory than these; None if it holds anything else."""
    import pyarrow.types as types

    kind = source.schema.field(name).type
    if not (types.is_integer(kind) or types.is_floating(kind)):
        return None
    found = np.empty(source.n_rows)
    for number, piece in enumerate(source.pieces):
        at = piece.first_row
        for batch in source.read(number, [name]):
            if batch.column(0).null_count:
                raise InvalidInputError(f"column {name!r} has missing values")
            found[at : at + batch.num_rows] = batch.column(0).to_numpy(zero_copy_only=False)
            at += batch.num_rows
    return found


def _checked_ids(row_ids: Iterable[Any] | None, n_rows: int) -> tuple[Any, ...] | None:
    if row_ids is None:
        return None
    ids = tuple(i.item() if isinstance(i, np.generic) else i for i in row_ids)
    if len(ids) != n_rows:
        raise InvalidInputError(f"{len(ids)} row ids for {n_rows} rows")
    if len(set(ids)) != n_rows:
        raise InvalidInputError("row ids must be unique: two rows with one id cannot be told apart")
    return ids
