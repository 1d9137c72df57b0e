"""Tables in files whose labels are still to come: csv, tsv, parquet and mat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.tables._read import kind_of, mat_shapes, mat_variables, mat_vector, read_arrow, reading


def open_unlabelled(path: Path, id_column: str | None = None) -> Any:
    """Read a table from a file.

    Parameters
    ----------
    path : Path
        A .csv, .tsv (both also with .gz), .parquet or .mat file.
    id_column : str, optional
        In a MATLAB file, the variable that names the rows; elsewhere ids are a column as all others.

    Returns
    -------
    table
        An Arrow table, the ids of a MATLAB file being a column of it.
    """
    kind = kind_of(path)
    with reading(path, kind):
        return _from_mat(path, id_column) if kind == ".mat" else read_arrow(path, kind)


def _from_mat(path: Path, id_column: str | None) -> Any:
    import pyarrow as pa

    shapes = mat_shapes(path)
    if id_column is not None and id_column not in shapes:
        raise InvalidInputError(f"there is no variable {id_column!r} in {path}; there are: {', '.join(shapes)}")
    tables = [n for n, s in shapes.items() if n != id_column and len(s) == 2 and min(s) > 1]
    if len(tables) != 1:
        found = ", ".join(f"{name} {'x'.join(map(str, shape))}" for name, shape in shapes.items())
        raise InvalidInputError(f"{path} must hold one table with several rows and columns; it holds {found}")
    loaded = mat_variables(path, [n for n in (tables[0], id_column) if n is not None])
    values = loaded[tables[0]]
    values = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    columns = {f"{tables[0]}{j}": pa.array(np.ascontiguousarray(values[:, j])) for j in range(values.shape[1])}
    if id_column is not None:
        columns[id_column] = pa.array(mat_vector(loaded[id_column]))
    return pa.table(columns)
