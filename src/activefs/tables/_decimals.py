"""Decimal commas: which columns of a text file are numbers that are written with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from activefs.tables._cells import all_match
from activefs.tables._patterns import COMMA_NUMBER, GROUPED, UNCLEAR, anchored

_FIRST = 100


def clear_commas(values: Iterable[str]) -> bool:
    """Whether all values are numbers, and commas in them can be nothing but the sign before decimals.

    Examples
    --------
    >>> clear_commas(["1,5", "2"]), clear_commas(["1,234", "2,000"]), clear_commas(["1,5", "x"]), clear_commas(["1"])
    (True, False, False, False)
    """
    found = [value for value in values if value.strip()]
    if not all(re.fullmatch(COMMA_NUMBER, value) for value in found):
        return False
    return any("," in value and not re.fullmatch(UNCLEAR, value) for value in found)


def with_point(text: str) -> str:
    """Write a number that has a decimal comma with a decimal point; what is no such number stays as it is.

    Examples
    --------
    >>> with_point("1.234,5"), with_point("2"), with_point("a,b")
    ('1234.5', '2', 'a,b')
    """
    return text.replace(".", "").replace(",", ".") if re.fullmatch(COMMA_NUMBER, text) else text


def with_decimals(table: Any, sep: str, said: str | None, again: Callable[[list[str], bool], Any]) -> tuple[Any, str]:
    """Turn columns of text that are numbers with decimal commas into numbers.

    A column counts if all of it is such numbers. The comma is the decimal sign if some column leaves no doubt; between
    columns that are separated by commas only if no number of the file has a decimal point. Columns such as 1,234 and
    5,678 are decimals if others are, and by themselves where semicolons separate and every value has its comma (it
    makes no difference for a feature then whether decimals or thousands were meant); else they stay text.

    Parameters
    ----------
    table : Arrow table
        The file, read with decimal points.
    sep : str
        What is between its columns.
    said : {".", ","} or None
        The decimal sign, if somebody said it.
    again : callable
        Reads columns again: as numbers with decimal commas, which fails if they are none, or as text.

    Returns
    -------
    tuple
        The table, and the decimal sign.
    """
    import pyarrow as pa

    if said == ".":
        return table, "."
    columns = dict(zip(table.column_names, table.columns, strict=True))
    texts = {name: c for name, c in columns.items() if pa.types.is_string(c.type) and _first_match(c) and _signs(c)}
    numbers = _as_numbers(texts, again)
    if said is None and not numbers:
        return table, "."
    floats = [name for name, c in columns.items() if pa.types.is_floating(c.type)]
    points = any(_has_fractions(columns[name]) for name in floats)
    if said is None and not _comma_is_decimal([columns[name] for name in numbers], sep, points):
        return table, "."
    if floats:
        as_written = zip(floats, again(floats, False).columns, strict=True)
        numbers |= {name: grouped_numbers(column) for name, column in as_written if all_match(column, GROUPED)}
    return pa.table({**columns, **numbers}), ","


def _as_numbers(texts: dict[str, Any], again: Callable[[list[str], bool], Any]) -> dict[str, Any]:
    """Those of the columns that are numbers, as such."""
    import pyarrow as pa

    if not texts:
        return {}
    try:
        return dict(zip(texts, again(list(texts), True).columns, strict=True))
    except pa.ArrowInvalid:  # some column is text further down, or has points between its thousands
        return {name: grouped_numbers(column) for name, column in texts.items() if all_match(column, COMMA_NUMBER)}


def _comma_is_decimal(columns: list[Any], sep: str, points: bool) -> bool:
    import pyarrow.compute as pc

    for first in (_FIRST, None):  # a look at the first rows will mostly do
        alone = False
        for column in columns:
            commas = pc.match_substring(column.slice(0, first), ",")
            unclear = pc.match_substring_regex(column.slice(0, first), anchored(UNCLEAR))
            if pc.any(pc.and_not(commas, unclear)).as_py():
                return sep != "," or not points
            alone |= bool(pc.all(commas).as_py())
    return alone and sep == ";" and not points


def _first_match(column: Any) -> bool:
    """Whether the first values are numbers with decimal commas, which tells text apart without reading all of it."""
    first = [value for value in column.slice(0, _FIRST).to_pylist() if value is not None]
    return bool(column.null_count < len(column)) and all(re.fullmatch(COMMA_NUMBER, value) for value in first)


def _signs(column: Any) -> bool:
    """Whether some value has a comma or a point; whole numbers that are text are so for a reason."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(column, "[,.]")).as_py())


def _has_fractions(column: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.not_equal(column, pc.floor(column))).as_py())


def grouped_numbers(column: Any) -> Any:
    """Text that is numbers with decimal commas, and points between thousands, as numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = pc.replace_substring_regex(column, r"[\s.+]", "")  # spaces, points between thousands, signs of no effect
    if pc.any(pc.match_substring_regex(plain, "[,eE]")).as_py():
        return pc.cast(pc.replace_substring(plain, ",", "."), pa.float64())
    try:
        return pc.cast(plain, pa.int64())
    except pa.ArrowInvalid:  # beyond 64 bits
        return pc.cast(plain, pa.float64())
