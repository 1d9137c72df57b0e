"""What the columns of a text file are, beyond what each value looks like."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from activefs.tables._cells import all_match, as_numbers, may_be_numbers, pads, trimmed, without_dashes
from activefs.tables._decimals import with_decimals
from activefs.tables._doubts import Doubt, nearly_numbers, not_a_number
from activefs.tables._large import too_large, too_large_for_floats, unsigned_or_text
from activefs.tables._patterns import AMOUNT, COMMA_NUMBER, POINT_NUMBER, anchored
from activefs.tables._thousands import with_thousands

_FIRST, _FEW = 20, 10
_AMOUNT = re.compile(AMOUNT)
_NUMBER = f"{POINT_NUMBER}|{COMMA_NUMBER}"
Again = Callable[[list[str], bool], Any]
Line = Callable[[str, int], int]


def as_meant(
    table: Any, sep: str, said: str | None, again: Again, line: Line, *, padded: bool = True
) -> tuple[Any, str, list[Doubt]]:
    """Find numbers among text, and names among numbers.

    Outer spaces do not count. Text that is all numbers but for words for nothing is numbers, with decimal points or
    commas. Whole numbers with zeros before them, or beyond 64 bits, are names: they stay text.

    Parameters
    ----------
    table : Arrow table
        The file, read with decimal points.
    sep : str
        What is between its columns.
    said : {".", ","} or None
        The decimal sign, if somebody said it.
    again : callable
        Reads columns again: as numbers with decimal commas, or as text.
    line : callable
        The line of a column's row.
    padded : bool
        Whether a whole number anywhere in the file may have a zero before it; otherwise they need not be read again.

    Returns
    -------
    tuple
        The table, the decimal sign, and what is to be said of columns that may have been meant otherwise.
    """
    import pyarrow as pa

    columns = dict(zip(table.column_names, table.columns, strict=True))
    maybe = set()
    for name, column in columns.items():
        if pa.types.is_string(column.type):
            columns[name] = text = trimmed(column)
            if may_be_numbers(text):
                maybe.add(name)
                columns[name] = as_numbers(without_dashes(text, _NUMBER))

    def tidied(names: list[str], numbers: bool) -> Any:
        found = again(names, numbers)
        return found if numbers else pa.table([without_dashes(trimmed(c), _NUMBER) for c in found.columns], names=names)

    whole = [name for name, c in columns.items() if pa.types.is_integer(c.type)] if padded else []
    names, doubts = _names(columns, maybe, whole, tidied, line)
    table, decimal = with_decimals(pa.table({**columns, **names}), sep, said, tidied)
    if decimal == "." and said is None and sep == ";":
        table, decimal, more = with_thousands(table, tidied, line)
        doubts += more
    number = COMMA_NUMBER if decimal == "," else POINT_NUMBER
    told = {doubt.column for doubt in doubts}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name not in told and pa.types.is_string(column.type):
            found = _nearly_numbers(name, column, line) if name in maybe else None
            found = found or _amounts(name, column, number, line)
            doubts += [found] if found is not None else []
    return table, decimal, doubts


def _names(
    columns: dict[str, Any], maybe: set[str], whole: list[str], again: Again, line: Line
) -> tuple[dict[str, Any], list[Doubt]]:
    """Columns of whole numbers that are names, or too large for what Arrow made of them, and what is to be said."""
    import pyarrow as pa

    texts = {name: c for name, c in columns.items() if name in maybe and pa.types.is_string(c.type)}
    large = too_large_for_floats(columns)
    if unread := [*whole, *large]:
        texts |= zip(unread, again(unread, False).columns, strict=True)
    names, doubts = {}, []
    for name, text in texts.items():
        if (row := pads(text)) is not None:
            names[name] = text
            why = " begins with a zero, as codes do. Amounts are to be written without."
            doubts.append(Doubt(name, f"taken as text: {text[row].as_py()}", partial(line, name, row), why))
        elif name in large and all_match(text, "[+-]?[0-9]+"):
            names[name] = unsigned_or_text(text)
            if names[name] is text:
                row = large[name]
                doubts.append(too_large(name, text[row].as_py(), partial(line, name, row)))
    return names, doubts


def _nearly_numbers(name: str, column: Any, line: Line) -> Doubt | None:
    """Say what keeps a column of text from being numbers, if it is little.

    Numbers with either decimal sign count: the only column that has commas may be the one in doubt.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    matches = pc.match_substring_regex(column, anchored(_NUMBER))
    numbers, rows = int(pc.sum(matches).as_py() or 0), len(column) - column.null_count
    if not nearly_numbers(numbers, rows, rows - numbers and 1):  # most text is told apart by that
        return None
    others = pc.unique(pc.filter(column, pc.invert(matches)))
    if not nearly_numbers(numbers, rows, len(others)) or pads(pc.filter(column, matches)) is not None:
        return None
    row = int(pc.index(pc.fill_null(matches, pa.scalar(True)), False).as_py())
    return not_a_number(name, column[row].as_py(), partial(line, name, row), len(others) - 1)


def _amounts(name: str, column: Any, number: str, line: Line) -> Doubt | None:
    """Say that text looks like amounts as people write them: 54%, 1 200, $5."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first = [value for value in column.slice(0, _FIRST).to_pylist() if value is not None]
    if not first or not all(_AMOUNT.fullmatch(value) for value in first) or not all_match(column, AMOUNT):
        return None
    plain = pc.match_substring_regex(column, anchored(number))
    row = int(pc.index(pc.fill_null(plain, pa.scalar(True)), False).as_py())
    if row < 0 or pc.count_distinct(column).as_py() <= _FEW:
        return None
    advice = " is no plain number. Amounts are to be written like 1234.5, without other signs."
    return Doubt(name, f"taken as text: {column[row].as_py()!r}", partial(line, name, row), advice)
