"""One column becomes small integers, and remembers what each of them means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from activefs.codec import EXACT
from activefs.constraints import RULES
from activefs.tables._binning import bin_edges
from activefs.tables._distinct import Distinct, coded
from activefs.tables._names import looks_like_names
from activefs.tables._table import Column
from activefs.tables._typed import typed, whole
from activefs.tables._unusable import MAX_VALUES, UnusableColumn
from activefs.types import Array, Binning, Floats, Ints


@dataclass(frozen=True)
class Encoding:
    """What the codes of a feature stand for.

    Attributes
    ----------
    values : tuple
        The distinct values in order, for a feature kept as it is; empty for a binned one.
    edges : tuple of float
        Inner bin edges of a binned feature: bin i is [edges[i-1], edges[i]).
    ranges : tuple of pairs
        Smallest and largest value found in each bin.
    missing : bool
        Whether the last code stands for 'missing'.
    ordered : bool or None
        Whether the order of the codes means something, if somebody said so; None: that of numbers does.
    """

    values: tuple[Any, ...] = ()
    edges: tuple[float, ...] = ()
    ranges: tuple[tuple[float, float], ...] = ()
    missing: bool = False
    ordered: bool | None = field(default=None, repr=False)  # what a study was made with is compared as it is printed

    @property
    def n_values(self) -> int:
        """Number of codes."""
        return max(len(self.ranges), len(self.values)) + self.missing

    def label(self, code: int) -> str:
        """Name a code for a person: the category, or the range of values in the bin.

        Examples
        --------
        >>> ages = Encoding(edges=(42.5, 57.5), ranges=((18, 42), (43, 57), (58, 90)))
        >>> ages.label(1)
        '43-57'
        >>> Encoding(edges=(0.5,), ranges=((-1.25, 0.25), (0.75, 3.0))).label(0)
        '-1.25 to 0.25'
        >>> Encoding(values=("no", "yes"), missing=True).label(2)
        'missing'
        """
        if not 0 <= code < self.n_values:
            raise IndexError(f"code {code} of a feature with {self.n_values} values")
        if self.missing and code == self.n_values - 1:
            return "missing"
        if not self.ranges:
            return str(self.values[code])
        low, high = self.ranges[code]
        if low == high:
            return f"{low:.6g}"
        plain = isinstance(low, int) and low >= 0
        return f"{low}-{high}" if plain else f"{low:.6g} to {high:.6g}"


def encode_column(
    column: Column,
    *,
    missing_as_value: bool = False,
    bins: int = 10,
    binning: Binning | Literal["none"] | None = None,
    default: Binning | Literal["none"] = "kmeans",
    categorical: bool = False,
    rules: int = RULES,
) -> tuple[Ints, Encoding]:
    """Code a column 0, 1, ...: numbers in bins if they are many, booleans and strings as they are.

    A column with at most `bins` distinct values is kept as it is. Numbers are binned as `default` says, or as
    `binning` does if it is given for this column; "none" keeps them as they are.

    Parameters
    ----------
    column : Column
        The column.
    missing_as_value : bool
        Whether missing values are a value of their own.
    bins : int
        Number of bins.
    binning : {"kmeans", "quantile", "uniform", "none"}, optional
        What was said about this column.
    default : {"kmeans", "quantile", "uniform", "none"}
        What counts for columns of which nothing was said.
    categorical : bool
        Whether numbers are names: kept as they are, without an order.
    rules : {2, 1}
        How columns are read of which nothing was said: see `RULES`.

    Raises
    ------
    UnusableColumn
        With a `kind` that the caller groups columns by.
    """
    values, missing = typed(column)
    present = values if missing is None else values[~missing]
    if rules > 1:
        present = whole(present)
    distinct, counts, codes = coded(present)
    holes = 0 if missing is None else int(missing.sum())
    try:
        code_of, encoding = encode_distinct(
            Distinct(distinct, counts, holes, column.order),
            missing_as_value=missing_as_value,
            bins=bins,
            binning=binning,
            default=default,
            categorical=categorical,
            rules=rules,
        )
    except UnusableColumn as reason:
        if reason.kind == "missing" and missing is not None:
            reason.row = int(missing.argmax())
        raise
    if encoding.ranges or encoding.ordered:  # else values are in the order of their codes
        codes = code_of[codes]
    if missing is None:
        return codes, encoding
    full = np.full(len(values), encoding.n_values - 1, dtype=np.int64)
    full[~missing] = codes
    return full, encoding


def encode_distinct(
    found: Distinct,
    *,
    missing_as_value: bool = False,
    bins: int = 10,
    binning: Binning | Literal["none"] | None = None,
    default: Binning | Literal["none"] = "kmeans",
    categorical: bool = False,
    rules: int = RULES,
) -> tuple[Ints, Encoding]:
    """Code the distinct values of a column, as `encode_column` codes its rows; the options are the same.

    Returns
    -------
    array of int
        The code of each distinct value.
    Encoding
        What the codes mean; what is missing has the last one.

    Examples
    --------
    >>> found = Distinct(np.array(["no", "yes"], dtype=object), np.array([3, 1]), missing=2)
    >>> codes, encoding = encode_distinct(found, missing_as_value=True)
    >>> codes.tolist(), encoding.n_values
    ([0, 1], 3)
    """
    distinct, counts, missing = found.values, found.counts, found.missing > 0
    if rules > 1 and binning not in (None, "none") and distinct.size and distinct.dtype.kind in "OSUT":
        raise UnusableColumn("bins", f"for instance {str(distinct[0])[:40]!r}")
    if rules > 1 and distinct.dtype.kind == "f":
        distinct = distinct + 0.0  # -0.0 becomes 0.0, which it equals: which of them is met first must not matter
    if rules > 1 and may_be_names(binning, default, categorical):
        refuse_names(distinct, found.rows, found.n_distinct)
    if missing and not missing_as_value:
        raise UnusableColumn("missing", f"{found.missing} missing")
    if not distinct.size:
        return np.empty(0, dtype=np.int64), Encoding(missing=True)
    how = "none" if categorical else binning or default
    is_number = distinct.dtype.kind in ("f" if rules == 1 and binning is None else "iuf")
    if found.n_distinct > bins and is_number and how != "none":
        placed, code_of = place_bins(distinct, counts, bins, how)
        last = np.append(np.flatnonzero(np.diff(code_of)), len(code_of) - 1)
        first = np.append(0, last[:-1] + 1)
        ranges = list(zip(distinct[first].tolist(), distinct[last].tolist(), strict=True))
        return code_of, placed.encoding(ranges, missing)
    if found.n_distinct + missing > MAX_VALUES:
        about = "about " if found.more_values else ""
        raise UnusableColumn("many", f"{about}{found.n_distinct:,} distinct values")
    code_of, ordered = np.arange(len(distinct)), False if categorical else None
    if found.order is not None and rules > 1 and not categorical:
        by_place, ordered = in_order(distinct, found.order)
        code_of[by_place] = np.arange(len(distinct))
        distinct = distinct[by_place]
    return code_of, Encoding(values=tuple(distinct.tolist()), missing=missing, ordered=ordered)


def may_be_names(binning: str | None, default: str, categorical: bool) -> bool:
    """Whether a column is left out if nearly every row has a value of its own: nothing was said about it."""
    return binning is None and default != "none" and not categorical


def refuse_names(distinct: Array, rows: int, n_distinct: int | None = None) -> None:
    """Refuse a column in which nearly every row has a value of its own."""
    if (kind := looks_like_names(distinct, rows, n_distinct)) is not None:
        raise UnusableColumn(kind, f"{n_distinct or len(distinct):,} values in {rows:,} rows")


@dataclass(frozen=True, eq=False)
class Bins:
    """Where the bins of a column of numbers begin.

    Attributes
    ----------
    edges : array of float
        Inner edges, as distances from the origin.
    origin : int
        0, or the smallest number of a column of integers that are too large for floats: they are told apart by how
        far they are from it.
    """

    edges: Floats
    origin: int = 0

    def encoding(self, ranges: Sequence[tuple[float, float]], missing: bool) -> Encoding:
        """Say what the bins mean, given the smallest and the largest number in each."""
        edges = tuple((self.edges + float(self.origin)).tolist())
        return Encoding(edges=edges, ranges=tuple(ranges), missing=missing)


def place_bins(distinct: Array, counts: Ints, bins: int, binning: Binning) -> tuple[Bins, Ints]:
    """Place bins over the distinct numbers of a column, none of them empty, and say which bin each is in.

    Examples
    --------
    >>> placed, bin_of = place_bins(np.array([0, 1, 10, 11]), np.ones(4, dtype=np.int64), 2, "kmeans")
    >>> placed.edges, bin_of
    (array([5.5]), array([0, 0, 1, 1]))
    """
    far = distinct.dtype.kind in "iu" and max(-int(distinct[0]), int(distinct[-1])) > EXACT
    if far:  # the difference of two 64-bit integers may need all 64 bits, without a sign
        points = (distinct.astype(np.uint64) - distinct[:1].astype(np.uint64)).astype(np.float64)
    else:
        points = distinct.astype(np.float64)
    edges = bin_edges(points, counts, bins, binning)
    bin_of = np.searchsorted(edges, points, side="right")
    used = np.unique(bin_of)  # a bin that holds no row would be a value that can never be labelled
    if len(used) <= len(edges):
        edges = edges[used[1:] - 1]
        bin_of = np.searchsorted(used, bin_of)
    return Bins(edges, int(distinct[0]) if far else 0), bin_of


def in_order(distinct: Array, order: tuple[str, ...]) -> tuple[Ints, bool | None]:
    """Positions of distinct values in the order of the categories; as they are, if a value is none of these."""
    place = {category: i for i, category in enumerate(order)}
    if any(value not in place for value in distinct):
        return np.arange(len(distinct)), None
    return np.argsort([place[value] for value in distinct]), True
