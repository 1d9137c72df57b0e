"""One column becomes small integers, and remembers what each of them means."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from activefs.codec import is_missing
from activefs.tables._binning import bin_edges
from activefs.tables._table import Column
from activefs.types import Array, Binning, Bools, Ints

MAX_VALUES = 65_535
# Small tables may well have columns of distinct values; from this many rows on such a column is an id.
_ENOUGH_ROWS = 100
_WORDS_OF_TEXT = 4
# Integers spread over a range up to this are coded through a table of the range instead of a sort.
_RANGE = 1 << 20
_INT64 = np.iinfo(np.int64)
# Whole numbers beyond this are not all floats.
_EXACT = 2**53


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
    """

    values: tuple[Any, ...] = ()
    edges: tuple[float, ...] = ()
    ranges: tuple[tuple[float, float], ...] = ()
    missing: bool = False

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
    reals: Binning = "kmeans",
) -> tuple[Ints, Encoding]:
    """Code a column 0, 1, ...: integers, booleans and strings as they are, reals in bins.

    A column with at most `bins` distinct values is kept as it is. Reals are binned as `reals` says. If `binning` is
    given for this column, it counts instead, integers are binned as well, and "none" keeps the column as it is.

    Raises
    ------
    UnusableColumn
        With a `kind` that the caller groups columns by.
    """
    values, missing = _typed(column)
    if missing is not None and not missing_as_value:
        raise UnusableColumn("missing", f"{int(missing.sum())} missing")
    present = values if missing is None else values[~missing]
    if present.size == 0:
        return np.zeros(len(values), dtype=np.int64), Encoding(missing=True)
    kind = present.dtype.kind
    distinct, codes = _distinct(present)
    if len(distinct) > bins and (kind == "f" or (kind in "iu" and binning is not None)) and binning != "none":
        codes, encoding = _binned(distinct, codes, bins, binning or reals, missing is not None)
    else:
        _refuse_names(distinct, present)
        if len(distinct) + (missing is not None) > MAX_VALUES:
            raise UnusableColumn("many", f"{len(distinct):,} distinct values")
        encoding = Encoding(values=tuple(distinct.tolist()), missing=missing is not None)
    if missing is None:
        return codes, encoding
    full = np.full(len(values), encoding.n_values - 1, dtype=np.int64)
    full[~missing] = codes
    return full, encoding


def _binned(distinct: Array, codes: Ints, bins: int, binning: Binning, missing: bool) -> tuple[Ints, Encoding]:
    # Large whole numbers are told apart by how far they are from the smallest one.
    far = distinct.dtype.kind in "iu" and max(-int(distinct[0]), int(distinct[-1])) > _EXACT
    origin = distinct[0] if far else distinct.dtype.type(0)
    points = (distinct - origin).astype(np.float64) if far else distinct.astype(np.float64)
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
    """Refuse a column in which (almost) every row has a value of its own."""
    rows, kind = len(present), present.dtype.kind
    if rows < _ENOUGH_ROWS or len(distinct) < rows / 2 or kind not in "iuOSUT":
        return
    if kind in "OSUT":
        sample = [str(v) for v in distinct[:: max(1, len(distinct) // 200)]]
        if np.mean([len(text.split()) for text in sample]) >= _WORDS_OF_TEXT:
            raise UnusableColumn("text", f"for instance {sample[0][:40]!r}")
    if len(distinct) == rows:
        raise UnusableColumn("id", f"{rows:,} rows, {len(distinct):,} values")


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
    if values.dtype.kind in "Vc":
        raise UnusableColumn("mixed", f"values of type {values.dtype}")
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
