"""Sheets of Excel files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError, MissingExtraError

_NOTHING = {"", "#N/A", "#N/A N/A"}
_FAULTS = {"#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"}

Row = tuple[Any, ...]


def read_excel(path: Path, said: str | None = None) -> tuple[Any, str, list[str]]:
    """Read a sheet as an Arrow table: the first that is not empty, or the one that is named.

    Returns
    -------
    tuple
        The table, the name of the sheet, and the names of other sheets that hold something.
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
    try:
        names = [sheet.title for sheet in book.worksheets]
        if said is not None and said not in names:
            raise InvalidInputError(f"there is no sheet {said!r}; there are: {', '.join(map(repr, names))}")
        full = [name for name in names if next(_rows(book[name]), None) is not None]
        sheet = said if said is not None else next(iter(full), None)
        if sheet is None or sheet not in full:
            raise InvalidInputError("it is empty" if sheet is None else f"the sheet {sheet!r} is empty")
        return _table(list(_rows(book[sheet]))), sheet, [name for name in full if name != sheet]
    finally:
        book.close()


def _rows(sheet: Any) -> Iterator[tuple[int, Row]]:
    """Rows that hold something, with their numbers; blank cells at the end are left out."""
    sheet.reset_dimensions()  # programs other than Excel may have written a wrong size
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        length = max((i for i, value in enumerate(row, start=1) if value not in (None, "")), default=0)
        if length:
            yield number, row[:length]


def _table(rows: list[tuple[int, Row]]) -> Any:
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
    columns = [_column([row[at] if at < len(row) else None for _, row in rest]) for at in range(len(header))]
    return pa.table(columns, names=["" if name is None else str(name) for name in header])


def _column(values: list[Any]) -> Any:
    """Make a column of cells; one of several types is text, as it would be in a csv file."""
    import pyarrow as pa

    cells = [None if isinstance(value, str) and value.strip() in _NOTHING else value for value in values]
    kinds = {type(value) for value in cells if value is not None}
    if kinds <= {int, float}:
        whole = kinds == {int} and all(value is None or abs(value) < 2**63 for value in cells)
        return pa.array(cells, pa.int64() if whole else pa.float64() if kinds else None)
    if len(kinds) > 1:
        cells = [None if value is None else str(value) for value in cells]
    return pa.array(cells)
