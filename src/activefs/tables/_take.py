"""Rows of any table as Arrow, every value as the table has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from activefs.codec import is_missing
from activefs.tables._table import Column, as_array, as_frame, read_table
from activefs.tables._views import table_without_views

_AT_ONCE = 10_000


def take_rows(X: Any, rows: Sequence[int]) -> Any:
    """Return some rows of a table as an Arrow table, in that order, before anything is encoded.

    Parameters
    ----------
    X : table
        Anything that :func:`read_table` takes.
    rows : sequence of int
        Which rows; a row may be there twice.

    Examples
    --------
    >>> import numpy as np
    >>> take_rows(np.array([[1, 2], [3, 4]]), [1, 0, 1]).to_pydict()
    {'x0': [3, 1, 3], 'x1': [4, 2, 4]}
    """
    import pyarrow as pa

    frame = as_frame(X)
    if frame is None:
        X = X.tocsr() if scipy.sparse.issparse(X) else X if isinstance(X, np.ndarray) else as_array(X)
        some = X[np.asarray(rows, dtype=np.intp)] if len(rows) else X[:1]  # what is empty has no types
        return _from_columns(some).slice(0, len(rows))
    native = frame.to_native()
    if isinstance(native, pa.Table):
        native = table_without_views(native)
        # A column of text holds 2 GB at most, so what is taken is made of pieces.
        pieces = [native.take(rows[at : at + _AT_ONCE]) for at in range(0, len(rows), _AT_ONCE)]
        return pa.concat_tables(pieces or [native.slice(0, 0)])
    some = frame[list(rows)] if len(rows) else frame.head(1)
    return _from_columns(some.to_native()).slice(0, len(rows))


def _from_columns(piece: Any) -> Any:
    """Make an Arrow table of a small table of any kind."""
    import pyarrow as pa

    table = read_table(piece)
    frame = as_frame(piece)
    columns: dict[str, Any] = {}
    for at, column in enumerate(table.columns()):
        found = None if frame is None else _as_it_is(frame, at)
        columns[column.name] = _as_array(column) if found is None else found
    return pa.table(columns)


def _as_it_is(frame: Any, at: int) -> Any | None:
    """Return a column of a frame with its own type, such as times with their zone; None if Arrow has no such type."""
    import pyarrow as pa

    try:
        return frame[:, at].to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _as_array(column: Column) -> Any:
    import pyarrow as pa

    values = column.values
    missing = np.zeros(len(values), dtype=bool) if column.missing is None else column.missing
    if values.dtype.kind in "biufM" and values.dtype.itemsize <= 8:
        try:
            return pa.array(values, mask=missing)
        except (pa.ArrowException, TypeError):
            pass  # such as times in years
    cells = [None if gone or is_missing(v) else v for v, gone in zip(values.tolist(), missing.tolist(), strict=True)]
    try:
        return pa.array(cells)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
