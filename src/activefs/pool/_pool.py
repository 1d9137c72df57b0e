"""The pool: a table encoded once into a compact matrix of small integers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from activefs.constraints import MISSING, RULES
from activefs.exceptions import InvalidInputError
from activefs.pool._advice import explain, warn_left_out
from activefs.pool._rare import RareValues
from activefs.tables import (
    CONSTANT,
    WHY,
    ColumnOptions,
    Encoding,
    LeftOut,
    UnusableColumn,
    encode_column,
    read_table,
)
from activefs.types import Array, Binning, Floats, Ints, Missing

BinningOption = Binning | Literal["none"] | Mapping[str, Binning | Literal["none"]]
BinsOption = int | Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Pool:
    """Rows that may be labelled, encoded: what strategies see of a table.

    Build it with :meth:`from_table`. Columns with one value only are left out, since they can tell nothing, and so are
    columns in which nearly every row has a value of its own; `columns` says which columns of the table remain.

    Attributes
    ----------
    codes : array of shape (d, m), uint8 or uint16
        Feature-major: ``codes[j, i]`` is the code of feature j in row i.
    offsets : array of shape (d + 1,)
        Cell ``offsets[j] + v`` stands for value v of feature j in every array with one entry per
        cell; features may have different numbers of values, so nothing is padded.
    shares : array of shape (cells,)
        p_v(j), the share of rows with that value.
    encodings : tuple of Encoding
        What the codes of each feature mean.
    columns : array of shape (d,)
        Column of the table that each feature comes from.
    names : tuple of str
        Name of each feature.
    row_ids : tuple or None
        Name of each row; None if rows are known by their position.
    n_columns : int
        Columns of the table, those included that are no features.
    left_out : tuple of LeftOut
        Columns that are no features although nobody asked for that, and why.

    Examples
    --------
    >>> pool = Pool.from_table([["a", 1], ["b", 1], ["a", 1], ["a", 1]])
    >>> pool.n_rows, pool.n_features, pool.names
    (4, 1, ('x0',))
    >>> pool.shares.tolist()
    [0.75, 0.25]
    """

    codes: Array
    offsets: Ints
    shares: Floats
    encodings: tuple[Encoding, ...]
    columns: Ints
    names: tuple[str, ...]
    row_ids: tuple[Any, ...] | None
    n_columns: int
    left_out: tuple[LeftOut, ...] = ()

    @property
    def n_rows(self) -> int:
        """m, the number of rows."""
        return int(self.codes.shape[1])

    @property
    def n_features(self) -> int:
        """d, the number of features with more than one value."""
        return int(self.codes.shape[0])

    @cached_property
    def cardinalities(self) -> Ints:
        """Number of values of each feature."""
        return np.diff(self.offsets)

    @cached_property
    def value_counts(self) -> Ints:
        """Rows with each value, one entry per cell."""
        return np.rint(self.shares * self.n_rows).astype(np.int64)

    @cached_property
    def rare_values(self) -> RareValues:
        """Rows that differ from a feature's most common value, for features where those are few."""
        return RareValues.of(self.codes, self.offsets, self.value_counts)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content: codes, their meaning, feature names and row ids."""
        digest = hashlib.sha256()
        head = (self.n_rows, self.n_columns, self.names, self.columns.tolist(), self.encodings, self.row_ids)
        digest.update(repr(head).encode())
        if any(e.ordered is not None for e in self.encodings):  # as before where nobody said anything about the order
            digest.update(repr([e.ordered for e in self.encodings]).encode())
        for row in self.codes:  # by feature, as one width, so that it does not depend on the storage type
            digest.update(row.astype("<u2").tobytes())
        return digest.hexdigest()

    @classmethod
    def from_table(
        cls,
        X: Any,
        *,
        missing: Missing = "error",
        bins: BinsOption = 10,
        binning: BinningOption = "kmeans",
        names: Sequence[str] | None = None,
        row_ids: Iterable[Any] | None = None,
        ignore: Sequence[str | int] = (),
        categorical: Sequence[str | int] = (),
    ) -> Pool:
        """Encode a table.

        Parameters
        ----------
        X : table
            numpy array, pandas, polars or Arrow table, scipy sparse matrix, or list of rows.
            A column of numbers with more than `bins` distinct values is binned; booleans, strings and categories are
            taken as they are. Columns in which nearly every row has a value of its own are left out.
        missing : {"error", "value"}, default "error"
            What to do about missing values: raise an error that names the columns, or treat
            'missing' as a value of its own.
        bins : int or mapping, default 10
            Bins of a column of numbers, for all or by column (name or position). By chance alone a feature of V
            values shows about (V - 1)(C - 1) / (2n) nats of information about a label of C classes, known for n rows:
            many values, and it looks better than any other.
        binning : {"kmeans", "quantile", "uniform", "none"} or mapping
            How bins are placed, for all columns of numbers, or by column; "none" leaves a column as it is. A
            column that is named is never left out.
        names : sequence of str, optional
            Column names, instead of those of the table.
        row_ids : iterable, optional
            One name per row.
        ignore : sequence of str or int
            Columns, by name or position, that are no features.
        categorical : sequence of str or int
            Columns, by name or position, whose numbers are names (postcodes, codes of products): they are kept as they
            are, never left out, and their order means nothing.

        Warns
        -----
        LeftOutWarning
            If columns are left out because nearly every row has a value of its own.

        Raises
        ------
        InvalidInputError
            If the table is empty or ragged, has duplicate column names, or has columns that cannot
            be features; the message names them and says what to do.
        """
        pool = read_pool(
            X,
            missing=missing,
            bins=bins,
            binning=binning,
            names=names,
            row_ids=row_ids,
            ignore=ignore,
            categorical=categorical,
        )
        if pool is not X:
            warn_left_out(pool.left_out, stacklevel=2)
        return pool


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
) -> Pool:
    """Encode a table as :meth:`Pool.from_table` does, but without a warning, and by the rules of an earlier release."""
    if isinstance(X, Pool):
        given = (missing, bins, binning, names, row_ids, tuple(ignore), tuple(categorical))
        if given != ("error", 10, "kmeans", None, None, (), ()):
            raise InvalidInputError(
                "a Pool is a table that was read already: options that say how to read a table do nothing to it"
            )
        return X
    MISSING.check("missing", missing)
    table = read_table(X, None if names is None else list(names))
    options = ColumnOptions(table.names, bins, binning, missing == "value", ignore, categorical, rules)
    codes = np.empty((len(table.names), table.n_rows), dtype=np.uint8)
    encodings: list[Encoding] = []
    shares: list[Floats] = []
    kept: list[int] = []
    left_out: list[LeftOut] = []
    problems: dict[str, list[str]] = {}
    for j, column in enumerate(table.columns()):
        if j in options.ignored:
            continue
        try:
            coded, encoding = encode_column(column, **options.of(column.name))
        except UnusableColumn as reason:
            if reason.kind in WHY:
                left_out.append(LeftOut(column.name, WHY[reason.kind]))
            else:
                problems.setdefault(reason.kind, []).append(f"{column.name!r} ({reason})")
            continue
        if encoding.n_values < 2:
            left_out.append(LeftOut(column.name, CONSTANT))
            continue
        if encoding.n_values > 256 and codes.dtype == np.uint8:
            codes = codes.astype(np.uint16)
        codes[len(kept)] = coded
        shares.append(np.bincount(coded, minlength=encoding.n_values) / table.n_rows)
        encodings.append(encoding)
        kept.append(j)
    if problems:
        raise InvalidInputError(explain(problems))
    if len(kept) < len(table.names):
        codes = codes[: len(kept)].copy()
    cardinalities = [e.n_values for e in encodings]
    return Pool(
        codes=codes,
        offsets=np.concatenate([[0], np.cumsum(cardinalities)]).astype(np.int64),
        shares=np.concatenate(shares) if shares else np.empty(0),
        encodings=tuple(encodings),
        columns=np.asarray(kept, dtype=np.int64),
        names=tuple(table.names[j] for j in kept),
        row_ids=_checked_ids(row_ids, table.n_rows),
        n_columns=len(table.names),
        left_out=tuple(left_out),
    )


def column_values(X: Any, name: str) -> Array:
    """Values of one column of a table, by its name."""
    if isinstance(X, Pool):
        raise InvalidInputError(f"column {name!r} is asked for, but a Pool does not keep columns; pass the values")
    table = read_table(X)
    for column in table.columns():
        if column.name == name:
            if column.missing is not None:
                raise InvalidInputError(f"column {name!r} has missing values")
            return column.values
    raise InvalidInputError(f"there is no column {name!r}; the table has: {', '.join(table.names[:20])}")


def _checked_ids(row_ids: Iterable[Any] | None, n_rows: int) -> tuple[Any, ...] | None:
    if row_ids is None:
        return None
    ids = tuple(i.item() if isinstance(i, np.generic) else i for i in row_ids)
    if len(ids) != n_rows:
        raise InvalidInputError(f"{len(ids)} row ids for {n_rows} rows")
    if len(set(ids)) != n_rows:
        raise InvalidInputError("row ids must be unique: two rows with one id cannot be told apart")
    return ids
