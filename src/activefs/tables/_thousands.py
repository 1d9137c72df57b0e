"""Points between thousands in a file that has no decimals: which tells nobody that its points are no decimal signs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from activefs.tables._cells import all_match
from activefs.tables._decimals import grouped_numbers
from activefs.tables._doubts import Doubt
from activefs.tables._patterns import COMMA_NUMBER, GROUPED

_POINT = r"\."
Again = Callable[[list[str], bool], Any]


def with_thousands(table: Any, again: Again, line: Callable[[str, int], int]) -> tuple[Any, str, list[Doubt]]:
    """Read points as what is between thousands, where semicolons separate and nothing speaks for decimals.

    All numbers of the file that have a point must have three digits behind it, and in some column whole numbers up to
    999 stand beside: 1.065 and 958. Decimals would now and then be shorter. It is a guess, of which people are told.

    Parameters
    ----------
    table : Arrow table
        The file, read with decimal points.
    again : callable
        Reads columns again, as text.
    line : callable
        The line of a column's row.

    Returns
    -------
    tuple
        The table, the decimal sign, and what is to be said of the columns.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = dict(zip(table.column_names, table.columns, strict=True))
    floats = [name for name, c in columns.items() if pa.types.is_floating(c.type)]
    texts = {name: c for name, c in columns.items() if pa.types.is_string(c.type) and all_match(c, COMMA_NUMBER)}
    if not (floats or texts) or not all(_three_decimals(columns[name]) for name in floats):
        return table, ".", []
    if floats:
        texts |= zip(floats, again(floats, False).columns, strict=True)
    found = {name: pc.match_substring_regex(c, _POINT) for name, c in texts.items()}
    found = {name: points for name, points in found.items() if pc.any(points).as_py()}
    beside = any(not pc.all(points).as_py() for points in found.values())
    if not beside or not all(all_match(texts[name], GROUPED) for name in {*found, *floats}) or _commas(texts):
        return table, ".", []
    doubts = []
    for name, points in found.items():
        row = int(pc.index(points, True).as_py())
        value = texts[name][row].as_py()
        read = f" as {value.replace('.', '')}. decimal='.' makes decimal points of them."
        said = f"read with points between thousands: {value}"
        doubts.append(Doubt(name, said, partial(line, name, row), read))
    return pa.table({**columns, **{name: grouped_numbers(texts[name]) for name in found}}), ",", doubts


def _three_decimals(column: Any) -> bool:
    """Whether no number has more decimals than three, which is found out without reading the file again."""
    import pyarrow.compute as pc

    return bool(pc.all(pc.equal(pc.round(column, 3), column)).as_py())


def _commas(texts: dict[str, Any]) -> bool:
    """Whether some number has a comma, so that nobody knows which of the two signs is before decimals."""
    import pyarrow.compute as pc

    return any(pc.any(pc.match_substring(column, ",")).as_py() for column in texts.values())
