"""Columns of a sparse matrix become codes without ever being written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.constraints import RULES
from activefs.tables._distinct import Distinct, coded
from activefs.tables._encode import Encoding, encode_distinct
from activefs.tables._table import Column, SparseColumn
from activefs.tables._typed import typed, whole
from activefs.types import Int32s, Ints


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Codes of a column that are the same in all rows but some.

    Attributes
    ----------
    rows, codes : arrays
        Rows that are listed, ascending, and their codes.
    rest : int
        The code of all other rows.
    counts : array of int
        Rows with each code.
    encoding : Encoding
        What the codes mean.
    """

    rows: Int32s
    codes: Ints
    rest: int
    counts: Ints
    encoding: Encoding


def encode_sparse_column(column: SparseColumn, **options: Any) -> SparseCodes:
    """Code a column of a sparse matrix, as `encode_column` codes what it stands for; the options are the same.

    Examples
    --------
    >>> found = encode_sparse_column(SparseColumn("x0", 5, np.array([1, 4], dtype=np.int32), np.array([2.0, 7.0])))
    >>> found.codes.tolist(), found.rest, found.encoding.values, found.counts.tolist()
    ([1, 2], 0, (0, 2, 7), [3, 1, 1])
    """
    n_rest = column.n_rows - column.rows.size
    nothing = [] if n_rest == 0 else [column.values.dtype.type(0)]  # one stands for all rows that are not listed
    values, missing = typed(Column(column.name, np.append(column.values, nothing).astype(column.values.dtype)))
    present = values if missing is None else values[~missing]
    if options.get("rules", RULES) > 1:
        present = whole(present)
    distinct, counts, at = coded(present)
    if n_rest:
        counts[at[-1]] += n_rest - 1
    holes = 0 if missing is None else int(missing.sum())
    code_of, encoding = encode_distinct(Distinct(distinct, counts, holes), **options)
    codes = np.full(values.size, encoding.n_values - 1, dtype=np.int64)
    codes[slice(None) if missing is None else ~missing] = code_of[at]
    rest = int(codes[-1]) if n_rest else -1
    listed = codes[: column.rows.size]
    found = np.bincount(listed, minlength=encoding.n_values)
    if n_rest:
        found[rest] += n_rest
    return SparseCodes(column.rows, listed, rest, found, encoding)
