"""One column becomes small integers, and remembers what each of them means."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from activefs.codec import EXACT, is_missing
from activefs.constraints import RULES
from activefs.tables._binning import bin_edges
from activefs.tables._names import looks_like_names
from activefs.tables._table import Column
from activefs.types import Array, Binning, Bools, Ints

MAX_VALUES = 65_535
# Integers spread over a range up to this are coded through a table of the range instead of a sort.
_RANGE = 1 << 20
_INT64 = np.iinfo(np.int64)


class UnusableColumn(Exception):  # noqa: N818 - carries a reason; the reader of the table makes it an error
    """This column cannot be a feature; `kind` groups columns with the same advice."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


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
    values, missing = _typed(column)
    present = values if missing is None else values[~missing]
    if rules > 1:
        present = _whole(present)
    is_number = present.dtype.kind in ("f" if rules == 1 and binning is None else "iuf")
    if rules > 1 and binning not in (None, "none") and present.size and present.dtype.kind in "OSUT":
        raise UnusableColumn("bins", f"for instance {str(present[0])[:40]!r}")
    distinct, codes = _distinct(present) if present.size else (present, np.empty(0, dtype=np.int64))
    if rules > 1 and binning is None and default != "none" and not categorical:
        _refuse_names(distinct, present)
    if missing is not None and not missing_as_value:
        raise UnusableColumn("missing", f"{int(missing.sum())} missing")
    if present.size == 0:
        return np.zeros(len(values), dtype=np.int64), Encoding(missing=True)
    how = "none" if categorical else binning or default
    if len(distinct) > bins and is_number and how != "none":
        codes, encoding = _binned(distinct, codes, bins, how, missing is not None)
    else:
        if len(distinct) + (missing is not None) > MAX_VALUES:
            raise UnusableColumn("many", f"{len(distinct):,} distinct values")
        ordered = False if categorical else None
        if column.order is not None and rules > 1 and not categorical:
            distinct, codes, ordered = _in_order(distinct, codes, column.order)
        encoding = Encoding(values=tuple(distinct.tolist()), missing=missing is not None, ordered=ordered)
    if missing is None:
        return codes, encoding
    full = np.full(len(values), encoding.n_values - 1, dtype=np.int64)
    full[~missing] = codes
    return full, encoding


def _binned(distinct: Array, codes: Ints, bins: int, binning: Binning, missing: bool) -> tuple[Ints, Encoding]:
    # Large whole numbers are told apart by how far they are from the smallest one.
    far = distinct.dtype.kind in "iu" and max(-int(distinct[0]), int(distinct[-1])) > EXACT
    origin = distinct[0] if far else distinct.dtype.type(0)
    if far:  # the difference of two 64-bit integers may need all 64 bits, without a sign
        points = (distinct.astype(np.uint64) - distinct[:1].astype(np.uint64)).astype(np.float64)
    else:
        points = distinct.astype(np.float64)
    edges = bin_edges(points, np.bincount(codes), bins, binning)
    bin_of = np.searchsorted(edges, points, side="right")
    used = np.unique(bin_of)  # a bin that holds no row would be a value that can never be labelled
    if len(used) <= len(edges):
        edges = edges[used[1:] - 1]
        bin_of = np.searchsorted(used, bin_of)
    first = np.searchsorted(bin_of, np.arange(len(used)))
    last = np.append(first[1:], len(points)) - 1
    ranges = tuple(zip(distinct[first].tolist(), distinct[last].tolist(), strict=True))
    return bin_of[codes], Encoding(edges=tuple((edges + float(origin)).tolist()), ranges=ranges, missing=missing)


def _refuse_names(distinct: Array, present: Array) -> None:
    """Refuse a column in which nearly every row has a value of its own."""
    if (found := looks_like_names(distinct, present)) is not None:
        raise UnusableColumn(found, f"{len(distinct):,} values in {len(present):,} rows")


def _whole(values: Array) -> Array:
    """Floats that are all whole numbers as integers, which is what they were before somebody left one out."""
    if values.dtype.kind != "f" or not values.size:
        return values
    if float(np.abs(values).max()) > EXACT or (values != np.floor(values)).any():
        return values
    return values.astype(np.int64)


def _in_order(distinct: Array, codes: Ints, order: tuple[str, ...]) -> tuple[Array, Ints, bool | None]:
    """Distinct values and codes in the order of the categories; as they are, if a value is none of these."""
    place = {category: i for i, category in enumerate(order)}
    if any(value not in place for value in distinct):
        return distinct, codes, None
    by_place = np.argsort([place[value] for value in distinct])
    code_of = np.empty_like(by_place)
    code_of[by_place] = np.arange(by_place.size)
    return distinct[by_place], code_of[codes], True


def _distinct(values: Array) -> tuple[Array, Ints]:
    """Sorted distinct values, and each row's position among them."""
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low < _RANGE:
            # What is beyond int64 (as uint64 may be) becomes small before it becomes signed.
            shifted = values.astype(np.int64) - low if high <= _INT64.max else (values - values.min()).astype(np.int64)
            seen = np.zeros(high - low + 1, dtype=bool)
            seen[shifted] = True
            position = np.cumsum(seen) - 1
            distinct = np.flatnonzero(seen)
            distinct = distinct + low if high <= _INT64.max else distinct.astype(np.uint64) + values.min()
            return distinct, position[shifted]
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, inverse.astype(np.int64)


def _typed(column: Column) -> tuple[Array, Bools | None]:
    """Values with one clear type, and the mask of missing ones (None if there are none)."""
    values, missing = column.values, column.missing
    if values.dtype.kind in "mM":
        raise UnusableColumn("date", "dates or durations")
    if values.dtype.kind in "OT":
        values, missing = _from_objects(values, missing)
    if values.dtype.kind in "VcS":
        raise UnusableColumn("mixed", f"values of type {'bytes' if values.dtype.kind == 'S' else values.dtype}")
    if values.dtype.kind == "f":
        if values.dtype.itemsize > 8:
            with np.errstate(over="ignore"):  # what no float can hold is infinite, and refused as such
                values = values.astype(np.float64)
        nan = np.isnan(values)
        if nan.any():
            missing = nan if missing is None else missing | nan
        if np.isinf(values if missing is None else values[~missing]).any():
            raise UnusableColumn("infinite", "infinite values")
    if missing is not None and not missing.any():
        missing = None
    return values, missing


def _from_objects(values: Array, missing: Bools | None) -> tuple[Array, Bools | None]:
    """Find the one type that an object column holds."""
    holes = np.fromiter((is_missing(v) for v in values), dtype=bool, count=len(values))
    if missing is not None:
        holes |= missing
    kinds = {_kind(v) for v in values[~holes]}
    if kinds <= {"int", "float"} and "float" in kinds:
        kinds = {"float"}
    if len(kinds) > 1:
        raise UnusableColumn("mixed", " and ".join(sorted(kinds)))
    kind = kinds.pop() if kinds else "float"
    if kind not in _TYPES:
        raise UnusableColumn("date" if kind in _DATES else "mixed", f"values of type {kind}")
    present = values[~holes]
    dtype = _TYPES[kind]
    if kind == "int" and min(present) >= 0 and max(present) > _INT64.max:
        dtype = np.uint64
    out = np.full(len(values), "" if kind == "str" else 0, dtype=dtype)
    try:
        out[~holes] = present.astype(out.dtype)
    except OverflowError:
        raise UnusableColumn("mixed", f"{'whole ' if kind == 'int' else ''}numbers beyond 64 bits") from None
    return out, holes if holes.any() else None


_TYPES: dict[str, Any] = {"str": object, "int": np.int64, "float": np.float64, "bool": np.bool_}
_DATES = {
    "date", "datetime", "timedelta", "time", "Timestamp", "Timedelta", "Period", "DateOffset", "datetime64",
    "timedelta64", "MonthDayNano",
}  # fmt: skip


def _kind(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, (int, np.integer)):
        return "int"
    if isinstance(value, (float, np.floating, Fraction)):
        return "float"
    if isinstance(value, Decimal):  # without digits behind the point it is a whole number, as databases send them
        exponent = value.as_tuple().exponent
        return "int" if isinstance(exponent, int) and exponent >= 0 else "float"
    if isinstance(value, str):
        return "str"
    return type(value).__name__
