"""The one type that a column has, and which of its values are missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from activefs.codec import EXACT, is_missing
from activefs.tables._table import Column
from activefs.tables._unusable import UnusableColumn
from activefs.types import Array, Bools

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, eq=False)
class Looked:
    """What is in a column, or in a part of one.

    Attributes
    ----------
    values : array
        Of one clear type, if `kinds` are of one.
    missing : array of bool or None
        Which of them are missing; None if none is.
    kinds : dict
        The types of its values ("int", "float", "bool", "str", or the name of another), and where each comes first.
    infinite : int or None
        Where the first infinite value is.
    """

    values: Array
    missing: Bools | None
    kinds: dict[str, int]
    infinite: int | None = None


def typed(column: Column) -> tuple[Array, Bools | None]:
    """Values with one clear type, and the mask of missing ones (None if there are none)."""
    found = look_at(column)
    one_kind(found.kinds)
    if found.infinite is not None:
        raise UnusableColumn("infinite", "infinite values", found.infinite)
    return found.values, found.missing


def look_at(column: Column) -> Looked:
    """Find out what is in a column, or in a part of one; other parts may hold other things.

    Raises
    ------
    UnusableColumn
        If it can be no feature, whatever other parts hold.

    Examples
    --------
    >>> look_at(Column("a", np.array(["x", 1, None, 2], dtype=object))).kinds
    {'str': 0, 'int': 1}
    """
    values, missing = column.values, column.missing
    if values.dtype.kind in "mM":
        raise UnusableColumn("date", "dates or durations", 0)
    if values.dtype.kind in "OT":
        found = _from_objects(values, missing)
    elif values.dtype.kind in "VcS":
        kind = "bytes" if values.dtype.kind == "S" else values.dtype
        raise UnusableColumn("mixed", f"values of type {kind}", 0)
    else:
        found = Looked(values, missing, {})
    if found.values.dtype.kind == "f":
        found = _from_floats(found)
    missing = found.missing if found.missing is not None and found.missing.any() else None
    kinds = found.kinds or _kinds_of_array(found.values, missing)
    return Looked(found.values, missing, kinds, found.infinite)


def _from_floats(found: Looked) -> Looked:
    values, missing = found.values, found.missing
    if values.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # what no float can hold is infinite, and refused as such
            values = values.astype(np.float64)
    nan = np.isnan(values)
    if nan.any():
        missing = nan if missing is None else missing | nan
    infinite = np.isinf(values)
    if missing is not None:
        infinite &= ~missing
    return Looked(values, missing, found.kinds, int(infinite.argmax()) if infinite.any() else None)


def _kinds_of_array(values: Array, missing: Bools | None) -> dict[str, int]:
    first = 0 if missing is None else int(missing.argmin())
    if not values.size or (missing is not None and missing[first]):
        return {}
    return {{"b": "bool", "i": "int", "u": "int", "f": "float", "U": "str"}[values.dtype.kind]: first}


def one_kind(kinds: Mapping[str, int]) -> str | None:
    """Name the one type that values have; None if there are no values.

    Raises
    ------
    UnusableColumn
        If there are several, or if it is none that a feature can have.

    Examples
    --------
    >>> one_kind({"int": 0, "float": 7}), one_kind({})
    ('float', None)
    """
    found = set(kinds)
    if found <= {"int", "float"} and "float" in found:
        found = {"float"}
    if len(found) > 1:
        raise UnusableColumn("mixed", " and ".join(sorted(found)), _second(kinds), "which differ first")
    if not found:
        return None
    kind = found.pop()
    if kind not in _TYPES:
        raise UnusableColumn("date" if kind in _DATES else "mixed", f"values of type {kind}", min(kinds.values()))
    return kind


def _second(kinds: Mapping[str, int]) -> int:
    """Where the first value is that is of another kind than the first of all."""
    groups: dict[str, int] = {}
    for kind, row in kinds.items():
        group = "number" if kind in ("int", "float") else kind
        groups[group] = min(row, groups.get(group, row))
    return sorted(groups.values())[1]


def _from_objects(values: Array, missing: Bools | None) -> Looked:
    """Find the one type that an object column holds."""
    holes = np.fromiter((is_missing(v) for v in values), dtype=bool, count=len(values))
    if missing is not None:
        holes |= missing
    present = values[~holes]
    kinds: dict[str, int] = {}
    for at, value in zip(np.flatnonzero(~holes).tolist(), present, strict=True):
        kinds.setdefault(_kind(value), at)
    try:
        kind = one_kind(kinds) or "float"
    except UnusableColumn:  # whoever sees all parts of the column says so
        return Looked(np.zeros(len(values), dtype=bool), holes, kinds)
    dtype = _TYPES[kind]
    if kind == "int" and min(present) >= 0 and max(present) > _INT64.max:
        dtype = np.uint64
    out = np.full(len(values), "" if kind == "str" else 0, dtype=dtype)
    try:
        out[~holes] = present.astype(out.dtype)
    except OverflowError:
        detail = f"{'whole ' if kind == 'int' else ''}numbers beyond 64 bits"
        raise UnusableColumn("mixed", detail) from None
    return Looked(out, holes if holes.any() else None, kinds)


def whole(values: Array) -> Array:
    """Floats that are all whole numbers as integers, which is what they were before somebody left one out."""
    if values.dtype.kind != "f" or not values.size:
        return values
    if float(np.abs(values).max()) > EXACT or (values != np.floor(values)).any():
        return values
    return values.astype(np.int64)


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
