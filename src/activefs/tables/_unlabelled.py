"""Tables in files whose labels are still to come."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from activefs.constraints import RULES
from activefs.exceptions import DoubtfulColumnWarning, InvalidInputError
from activefs.tables._dialect import UNSAID, Dialect
from activefs.tables._kinds import kind_of, refuse_settings
from activefs.tables._mat import mat_shapes, mat_variables, mat_vector
from activefs.tables._read import FileTable, read_columns, reading


def open_unlabelled(
    path: str | Path,
    id_column: str | None = None,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Any:
    """Read a table from a file.

    Parameters
    ----------
    path : str or Path
        A .csv, .tsv, .txt, .jsonl or .ndjson file (also with .gz, .bz2 or .zst behind it), or a .parquet, .feather,
        .arrow, .xlsx or .mat file.
    id_column : str, optional
        In a MATLAB file, the variable that names the rows; elsewhere ids are a column as all others.
    sep, decimal, encoding : str, optional
        What is between the columns of a text file, its decimal sign, its encoding; by default they are found out.
    sheet : str, optional
        Sheet of an Excel file; by default the first that is not empty.

    Returns
    -------
    table
        An Arrow table, the ids of a MATLAB file being a column of it.

    Warns
    -----
    DoubtfulColumnWarning
        If a column may have been meant otherwise, such as numbers of which one is none.
    """
    path = Path(path)
    dialect = Dialect.checked(sep=sep, decimal=decimal, encoding=encoding, sheet=sheet)
    refuse_settings(path, kind_of(path), dialect.said)
    found = read_file(path, id_column, dialect)
    for said in found.doubted(but=[id_column]):
        warnings.warn(said, DoubtfulColumnWarning, stacklevel=2)
    return found.table


def read_file(path: Path, id_column: str | None = None, dialect: Dialect = UNSAID, rules: int = RULES) -> FileTable:
    """Read a table as :func:`open_unlabelled` does; returns also how the file is written, and what is doubtful.

    What a dialect says that has no meaning for the kind of the file does nothing. `rules` are those that a study was
    made with.
    """
    kind = kind_of(path)
    if kind.suffix != ".mat":
        return read_columns(path, kind, dialect, rules)
    with reading(path, kind):
        return FileTable(_from_mat(path, id_column))


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
