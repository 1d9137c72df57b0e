"""Any table that people have, seen as named columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse

from activefs.codec import EXACT, is_missing
from activefs.exceptions import InvalidInputError
from activefs.types import Array, Bools, Int32s

# Columns of a row-major array are copied out a few at a time, one pass over memory per block; a block takes
# at most half a byte per cell of the table.
_BLOCK = 8


@dataclass(frozen=True)
class Column:
    """One column: its values, which of them are missing (None: none is), and the order of categories that have one."""

    name: str
    values: Array
    missing: Bools | None = None
    order: tuple[str, ...] | None = None


@dataclass(frozen=True)
class SparseColumn:
    """One column of a sparse matrix: the rows that are listed, ascending, and their values; all others are 0."""

    name: str
    n_rows: int
    rows: Int32s
    values: Array


@dataclass(frozen=True)
class Table:
    """A table as a number of rows, column names, and a way to walk through the columns once.

    Those of a sparse matrix can be walked through as they are, too.
    """

    n_rows: int
    names: tuple[str, ...]
    columns: Callable[[], Iterator[Column]]
    sparse: Callable[[], Iterator[SparseColumn]] | None = None


def read_table(X: Any, names: list[str] | None = None) -> Table:
    """View a numpy array, data frame, Arrow table, scipy sparse matrix or nested list as columns.

    Parameters
    ----------
    X : table
        numpy array (2-D or structured; what is masked is missing), pandas, polars or Arrow table, list of record
        batches, scipy sparse matrix, or a list of equally long rows.
    names : list of str, optional
        Column names; by default those of the table, or ``x0``, ``x1``, ...

    Examples
    --------
    >>> import numpy as np
    >>> table = read_table(np.array([[1, 2], [3, 4]]))
    >>> table.n_rows, table.names
    (2, ('x0', 'x1'))
    """
    if scipy.sparse.issparse(X):
        table = _from_sparse(X)
    elif isinstance(X, np.ndarray) and X.dtype.names is not None:
        table = _from_structured(X)
    elif (frame := as_frame(X)) is not None:
        table = _from_frame(frame)
    else:
        table = _from_array(as_array(X))
    if names is not None:
        if len(names) != len(table.names):
            raise InvalidInputError(f"{len(names)} feature names for {len(table.names)} columns")
        table = _renamed(table, tuple(str(n) for n in names))
    check_table(table.n_rows, table.names)
    return table


def check_table(n_rows: int, names: tuple[str, ...]) -> None:
    """Refuse a table without rows or columns, or with two columns of one name."""
    if not names:
        raise InvalidInputError(f"the table has 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.")
    if n_rows == 0:
        raise InvalidInputError(
            f"the table is empty: 0 sample(s) (shape=(0, {len(names)})) while a minimum of 1 is required."
        )
    if len(set(names)) != len(names):
        seen: set[str] = set()
        twice = sorted({n for n in names if n in seen or seen.add(n)})  # type: ignore[func-returns-value]
        raise InvalidInputError(f"duplicate column names: {', '.join(map(repr, twice))}; rename or drop them")


def _renamed(table: Table, names: tuple[str, ...]) -> Table:
    def columns() -> Iterator[Column]:
        for name, column in zip(names, table.columns(), strict=True):
            yield replace(column, name=name)

    def sparse() -> Iterator[SparseColumn]:
        assert table.sparse is not None
        for name, column in zip(names, table.sparse(), strict=True):
            yield replace(column, name=name)

    return Table(table.n_rows, names, columns, None if table.sparse is None else sparse)


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(count))


def as_array(X: Any) -> Array:
    """Return nested rows as an array of two dimensions, in which no number has turned into text.

    Examples
    --------
    >>> as_array([[37, "m"], [41, "f"]]).tolist()
    [[37, 'm'], [41, 'f']]
    """
    if isinstance(X, np.ndarray):
        array = X
    else:
        masked = isinstance(X, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in X)
        try:
            array = np.ma.stack(X) if masked else np.asarray(X)
        except ValueError as error:
            raise InvalidInputError(f"the table is ragged: its rows have different lengths ({error})") from None
        # A nested list of mixed columns must not turn into text, nor large whole numbers into floats next to them.
        if array.dtype.kind == "U" or (array.dtype.kind == "f" and (np.abs(array) >= EXACT).any() and not masked):
            array = np.array(X, dtype=object)
    if array.ndim != 2:
        hint = "its rows have different lengths" if array.dtype == object and array.ndim == 1 else ""
        if array.ndim == 1 and array.size and isinstance(array.flat[0], dict):
            raise InvalidInputError("a list of dicts is no table: make one of it, such as pandas.DataFrame(X)")
        raise InvalidInputError(
            f"Expected 2D array, got {array.ndim}D array instead (shape={array.shape}). "
            + (
                f"The table is ragged: {hint}."
                if hint
                else "Reshape your data: one row per item, one column per feature."
            )
        )
    if array.dtype.kind == "c":
        raise InvalidInputError("Complex data not supported: split it into real and imaginary columns")
    return array


def _from_array(array: Array) -> Table:
    rows, count = array.shape
    names = _numbered(count)

    width = max(1, min(_BLOCK, count // (2 * max(1, array.itemsize))))

    def columns() -> Iterator[Column]:
        for first in range(0, count, width):
            part = array[:, first : first + width].T
            block = np.ascontiguousarray(part)
            mask = np.ma.getmaskarray(part) if isinstance(part, np.ma.MaskedArray) else None
            for j, values in enumerate(block, start=first):
                yield _masked(names[j], values, None if mask is None else mask[j - first])

    return Table(rows, names, columns)


def _from_structured(array: Array) -> Table:
    if array.ndim != 1:
        raise InvalidInputError(f"a structured array must have one dimension, got shape {array.shape}")
    names = tuple(array.dtype.names or ())
    if wide := [name for name in names if array[name].ndim != 1]:
        raise InvalidInputError(
            f"column {wide[0]!r} holds {array[wide[0]].shape[1:]} values in every row: make columns of them"
        )

    def columns() -> Iterator[Column]:
        for name in names:
            values = array[name]
            mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
            yield _masked(name, np.ascontiguousarray(values), mask)

    return Table(len(array), names, columns)


def _masked(name: str, values: Array, mask: Bools | None) -> Column:
    """Make a column of values of which some are masked."""
    if mask is None or not mask.any():
        return Column(name, values)
    return Column(name, _spread(values[~mask], mask), mask)


def _from_sparse(matrix: Any) -> Table:
    if matrix.dtype.kind == "c":
        raise InvalidInputError("Complex data not supported: split it into real and imaginary columns")
    if matrix.ndim != 2:
        raise InvalidInputError(f"a sparse table must have two dimensions, got shape {matrix.shape}")
    csc = matrix.tocsc(copy=matrix.format == "csc")
    csc.sum_duplicates()
    rows, count = csc.shape
    names = _numbered(count)

    def sparse() -> Iterator[SparseColumn]:
        for j in range(count):
            where = slice(csc.indptr[j], csc.indptr[j + 1])
            yield SparseColumn(names[j], rows, csc.indices[where], csc.data[where])

    def columns() -> Iterator[Column]:
        for column in sparse():
            values = np.zeros(rows, dtype=csc.dtype)
            values[column.rows] = column.values
            yield Column(column.name, values)

    return Table(rows, names, columns, sparse)


def _joined_batches(X: Any) -> Any:
    """Join record batches to a table; a stream of them can be read only once, and tables are read several times."""
    if type(X).__name__ == "RecordBatchReader":
        raise InvalidInputError("a RecordBatchReader can be read only once: pass what its read_all() gives")
    parts = X if isinstance(X, (list, tuple)) else [X]
    if parts and all(type(part).__name__ == "RecordBatch" for part in parts):
        import pyarrow as pa

        try:
            return pa.Table.from_batches(parts)
        except pa.ArrowInvalid:
            raise InvalidInputError("the record batches are no table: their columns differ in name or type") from None
    return X


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return X as a data frame of one kind if it is one of any kind, else None."""
    X = _joined_batches(X)
    try:
        frame = nw.from_native(X, pass_through=True, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise InvalidInputError(
            f"duplicate column names ({' '.join(str(error).split())}); rename or drop them"
        ) from None
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(X, "collect") and hasattr(type(X), "columns"):
        raise InvalidInputError("the table is lazy: call .collect() on it first")
    return None


def _from_frame(frame: nw.DataFrame[Any]) -> Table:
    names = tuple(str(name) for name in frame.columns)

    def columns() -> Iterator[Column]:
        for j, name in enumerate(names):
            series = frame[:, j]
            written = series.cast(nw.String) if _is_dictionary(series) else series  # its values may be null, too
            try:
                nulls = written.is_null().to_numpy().astype(bool)
            except ArithmeticError:  # pandas compares a decimal's signalling NaN
                values = _to_numpy(series)
                nulls = np.array([is_missing(value) for value in values])
                yield Column(name, _spread(values[~nulls], nulls), nulls)
                continue
            if nulls.any():
                yield Column(name, _fill(written, nulls), nulls, _order(series))
            else:
                yield Column(name, _to_numpy(written), None, _order(series))

    return Table(len(frame), names, columns)


def _is_dictionary(series: nw.Series[Any]) -> bool:
    return bool(series.implementation.is_pyarrow() and series.dtype == nw.Categorical)


def _order(series: nw.Series[Any]) -> tuple[str, ...] | None:
    """Categories as text, in their order, if pandas or Arrow say that it means something."""
    if series.dtype != nw.Categorical:
        return None
    native = series.to_native()
    kind = getattr(native, "dtype", getattr(native, "type", None))
    if not getattr(kind, "ordered", False):
        return None
    # They must be written as the values are: pandas writes categories in another way than, say, a column of dates.
    as_values = nw.String if series.implementation.is_pyarrow() else nw.Categorical
    return tuple(_to_numpy(series.cat.get_categories().cast(as_values)).tolist())


def _to_numpy(series: nw.Series[Any]) -> Array:
    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    try:
        values = np.asarray(series.to_numpy())
    except Exception:  # every library has its own errors for what is no array, such as whole numbers of 128 bits
        values = np.empty((0, 0))
    if values.ndim == 1:
        return values
    objects = np.empty(len(series), dtype=object)  # rows that hold lists or structures stay what they are
    objects[:] = series.to_list()
    return objects


def _fill(series: nw.Series[Any], nulls: Bools) -> Array:
    """Values of a column with nulls: the present ones keep their type, the holes repeat the first."""
    return _spread(_to_numpy(series.drop_nulls()), nulls)


def _spread(present: Array, holes: Bools) -> Array:
    """Put the values that are there where there are no holes; the holes repeat the first."""
    if present.size == 0:
        return np.zeros(len(holes))
    values = present[np.zeros(len(holes), dtype=np.intp)]
    values[~holes] = present
    return values
