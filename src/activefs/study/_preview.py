"""What would be made of a table: how each column is read, before a study is made."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.tables import (
    CONSTANT,
    WHY,
    Column,
    Dialect,
    Encoding,
    UnusableColumn,
    encode_column,
    kind_of,
    read_file,
    read_table,
    refuse_settings,
)

MAX_COLUMNS = 200
"""Columns that are described one by one."""
_ROWS = 6
_VALUES = 6
_CHARACTERS = 80
_UNUSABLE = {
    "infinite": "there are infinite values in it, which must become finite numbers",
    "mixed": "its values are of several types",
    "date": "dates must be turned into numbers first, such as an age in days",
    "many": "it has too many different values",
}
_KINDS = {"b": "yes or no", "i": "whole numbers", "u": "whole numbers", "f": "numbers", "M": "dates", "m": "durations"}

Use = Literal["feature", "left out", "unusable"]


@dataclass(frozen=True)
class ColumnPreview:
    """How a column is read.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        What its values are: numbers, text, ...
    use : {"feature", "left out", "unusable"}
        What becomes of it if nobody says anything else.
    why : str
        Why it is no feature; empty if it is one.
    n_values : int
        Values that the feature has, or ranges of numbers.
    binned : bool
        Whether these are ranges.
    values : tuple of str
        The first few of them, or examples of what is in the column.
    missing : int
        Rows without a value.
    """

    name: str
    kind: str
    use: Use
    why: str
    n_values: int
    binned: bool
    values: tuple[str, ...]
    missing: int


@dataclass(frozen=True)
class TablePreview:
    """How a table is read.

    Attributes
    ----------
    n_rows, n_columns : int
        Its size.
    columns : tuple of ColumnPreview
        Its columns, of a wide table the first.
    names : tuple of str
        The names of all columns.
    notes : tuple of str
        What people should know about the file and its columns.
    head : tuple of tuple of str
        The first rows of the columns that are described.
    dialect : Dialect
        How the file is written, whether that was said or found out.
    sheets : tuple of str
        Sheets of a workbook that hold something.
    """

    n_rows: int
    n_columns: int
    columns: tuple[ColumnPreview, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    head: tuple[tuple[str, ...], ...]
    dialect: Dialect
    sheets: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> TablePreview:
        """Read what `to_json` wrote.

        Parameters
        ----------
        content : mapping
            Attributes by name.
        """
        columns = tuple(ColumnPreview(**{**c, "values": tuple(c["values"])}) for c in content["columns"])
        head = tuple(tuple(row) for row in content["head"])
        names, notes = tuple(content["names"]), tuple(content["notes"])
        dialect, sheets = Dialect.of(content.get("dialect", {})), tuple(content.get("sheets", ()))
        return cls(content["n_rows"], content["n_columns"], columns, names, notes, head, dialect, sheets)


def preview_table(path: Path, said: Dialect | None = None) -> TablePreview:
    r"""Read a file as a new study would, and say how; what is not said of how it is written is found out.

    Parameters
    ----------
    path : Path
        The file.
    said : Dialect, optional
        What is known of how it is written: separator, decimal sign, encoding, sheet.

    Returns
    -------
    TablePreview
        What becomes of each column, and the first rows.

    Raises
    ------
    InvalidInputError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "patients.csv"
    ...     _ = file.write_text("patient;smokes;age\np1;yes;40,5\np2;no;51,0\np3;no;62,5\n", encoding="utf-8")
    ...     found = preview_table(file)
    >>> found.n_rows, [(column.name, column.kind) for column in found.columns]
    (3, [('patient', 'text'), ('smokes', 'text'), ('age', 'numbers')])
    """
    said = said or Dialect()
    refuse_settings(path, kind_of(path), said.said)
    found = read_file(path, dialect=said)
    table = read_table(found.table)
    described: list[ColumnPreview] = []
    cells: list[list[str]] = []
    for column in table.columns():
        if len(described) == MAX_COLUMNS:
            break
        described.append(_described(column))
        cells.append([_text(column, row) for row in range(min(_ROWS, table.n_rows))])
    if not described:
        raise InvalidInputError("the table has no columns")
    notes = (*found.notes, *found.hints, *found.doubted())
    head = tuple(zip(*cells, strict=True))
    size = (table.n_rows, len(table.names))
    return TablePreview(*size, tuple(described), table.names, notes, head, found.dialect, found.sheets)


def _described(column: Column) -> ColumnPreview:
    missing = _missing(column)
    kind = _KINDS.get(column.values.dtype.kind, "text")
    use: Use = "feature"
    why, n_values, binned = "", 0, False
    values = tuple(dict.fromkeys(filter(None, (_text(column, row) for row in range(min(50, len(column.values)))))))
    try:
        _, encoding = encode_column(column, missing_as_value=True)
    except UnusableColumn as reason:
        use = "left out" if reason.kind in WHY else "unusable"
        why = WHY.get(reason.kind) or _UNUSABLE.get(reason.kind, str(reason))
    else:
        n_values, binned = encoding.n_values - encoding.missing, bool(encoding.ranges)
        values = _labels(encoding)
        if encoding.n_values < 2:
            use, why = "left out", CONSTANT
    return ColumnPreview(column.name, kind, use, why, n_values, binned, values[:_VALUES], missing)


def _labels(encoding: Encoding) -> tuple[str, ...]:
    known = encoding.n_values - encoding.missing
    return tuple(_short(encoding.label(code)) for code in range(min(known, _VALUES + 1)))


def _missing(column: Column) -> int:
    holes = 0 if column.missing is None else int(column.missing.sum())
    if column.values.dtype.kind == "f":
        nan = np.isnan(column.values)
        holes = int((nan if column.missing is None else nan | column.missing).sum())
    return holes


def _text(column: Column, row: int) -> str:
    value = column.values[row]
    if (column.missing is not None and column.missing[row]) or value is None or value != value:
        return ""
    return _short(f"{value:.6g}" if isinstance(value, float) else str(value))


def _short(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…"
