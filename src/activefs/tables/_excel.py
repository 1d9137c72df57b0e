"""Sheets of Excel files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError, MissingExtraError
from activefs.tables._cells import AMONG_NUMBERS
from activefs.tables._decimals import clear_commas, with_point
from activefs.tables._doubts import Doubt, nearly_numbers, not_a_number
from activefs.tables._nameless import without_nameless
from activefs.tables._patterns import POINT_NUMBER

_DAMAGED = "it is damaged, or holds what openpyxl cannot read: save the sheet as .xlsx or .csv anew"
_DIGITS = 15  # of a number in Excel
_NOTHING = {"", "?", "#N/A", "#N/A N/A"}
_FAULTS = {"#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"}

Row = tuple[Any, ...]


def read_excel(path: Path, said: str | None = None) -> tuple[Any, str, list[str], list[Doubt]]:
    """Read a sheet as an Arrow table: the first that is not empty, or the one that is named.

    Returns
    -------
    tuple
        The table, the name of the sheet, the names of all sheets that hold something, and what is doubtful about
        columns.
    """
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise MissingExtraError(
            f"{path} is an Excel file, for which a package is missing ({error.name}): run pip install "
            "'activefs[excel]', or save the file as .csv"
        ) from error
    from zipfile import BadZipFile

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, InvalidFileException):
        raise InvalidInputError("it is no workbook of Excel 2007 or later: save it as .xlsx or .csv anew") from None
    except Exception as error:  # of what is damaged, or of a chart without data, anything may be raised
        raise InvalidInputError(f"{_DAMAGED} ({error})") from error
    try:
        return _read_sheet(book, said)
    except InvalidInputError:
        raise
    except Exception as error:
        raise InvalidInputError(f"{_DAMAGED} ({error})") from error
    finally:
        book.close()


def _read_sheet(book: Any, said: str | None) -> tuple[Any, str, list[str], list[Doubt]]:
    names = [sheet.title for sheet in book.worksheets if hasattr(sheet, "iter_rows")]  # others hold a chart
    if said is not None and said not in names:
        raise InvalidInputError(f"there is no sheet {said!r}; there are: {', '.join(map(repr, names))}")
    full = [name for name in names if next(_rows(book[name]), None) is not None]
    sheet = said if said is not None else next(iter(full), None)
    if sheet is None or sheet not in full:
        raise InvalidInputError("it is empty" if sheet is None else f"the sheet {sheet!r} is empty")
    table, doubts = _table(list(_rows(book[sheet])))
    return table, sheet, full, doubts


def _rows(sheet: Any) -> Iterator[tuple[int, Row]]:
    """Rows that hold something, with their numbers; blank cells at the end are left out."""
    sheet.reset_dimensions()  # programs other than Excel may have written a wrong size
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        length = max((i for i, value in enumerate(row, start=1) if value not in (None, "")), default=0)
        if length:
            yield number, row[:length]


def _table(rows: list[tuple[int, Row]]) -> tuple[Any, list[Doubt]]:
    import pyarrow as pa

    (first, header), *rest = rows
    for number, row in rest:
        if len(row) > len(header):
            raise InvalidInputError(
                f"line {number} has a value in column {len(row)}, but the header (line {first}) has {len(header)} names"
            )
        for at, value in enumerate(row):
            if isinstance(value, str) and value in _FAULTS:
                raise InvalidInputError(
                    f"line {number}, column {str(header[at])!r}: {value} is no value; mend it first"
                )
    names = ["" if name is None else str(name).strip() for name in header]
    columns = [_cells([row[at] if at < len(row) else None for _, row in rest]) for at in range(len(header))]
    lines = [number for number, _ in rest]
    doubts = [_doubt(name, cells, lines) for name, cells in zip(names, columns, strict=True)]
    table = without_nameless(pa.table([_column(cells) for cells in columns], names=names))
    return table, [doubt for doubt in doubts if doubt is not None]


def _cells(values: list[Any]) -> list[Any]:
    """Cells, with None for words that say that nothing is there; numbers that are stored as text are numbers.

    Outer spaces do not count. Among numbers, a dash says that nothing is there, too.
    """
    cells = [value.strip() if isinstance(value, str) else value for value in values]
    cells = [None if isinstance(value, str) and value in _NOTHING else value for value in cells]
    words = {value for value in cells if isinstance(value, str)}
    if not words or any(map(_is_code, words)):
        return cells
    written = {word: with_point(word) for word in words} if clear_commas(words) else {word: word for word in words}
    numbers = {word: number for word in words if (number := _as_number(written[word])) is not None}
    others = words - numbers.keys()
    nothing = all(word.casefold() in AMONG_NUMBERS for word in others)
    found = {numbers.get(value, value) for value in cells if value is not None} - others
    if not all(map(_is_number, found)) or (others and not (nothing and len(found) > 1)):
        return cells
    return [None if value in others else numbers.get(value, value) for value in cells]


def _doubt(name: str, cells: list[Any], lines: list[int]) -> Doubt | None:
    """Say which text keeps a column from being numbers, if it is little."""
    words = [(value, line) for value, line in zip(cells, lines, strict=True) if isinstance(value, str)]
    numbers, rows = sum(map(_is_number, cells)), sum(value is not None for value in cells)
    different = {value for value, _ in words}
    if numbers + len(words) < rows or not nearly_numbers(numbers, rows, len(different)):
        return None
    word, line = words[0]
    return not_a_number(name, word, lambda: line, len(different) - 1)


def _is_code(word: str) -> bool:
    """Whether text has a zero before it, or more digits than a number of Excel: then it is text for a reason."""
    return bool(re.fullmatch("0[0-9]+", word)) or len(re.findall("[0-9]", word)) > _DIGITS


def _as_number(word: str) -> int | float | None:
    if not re.fullmatch(POINT_NUMBER, word):
        return None
    return int(word) if re.fullmatch("[+-]?[0-9]+", word) else float(word)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _column(cells: list[Any]) -> Any:
    """Make a column of cells; one of several types is text, as it would be in a csv file."""
    import pyarrow as pa

    kinds = {type(value) for value in cells if value is not None}
    if kinds <= {int, float}:
        whole = kinds == {int} and all(value is None or abs(value) < 2**63 for value in cells)
        return pa.array(cells, pa.int64() if whole else pa.float64() if kinds else None)
    if len(kinds) > 1:
        cells = [None if value is None else str(value) for value in cells]
    return pa.array(cells)
