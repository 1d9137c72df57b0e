"""CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from activefs.study.exports._cells import cells_of, text_of_cell, time_text
from activefs.study.exports._sheet import FieldKind, Sheet
from activefs.study.exports._spreadsheet import harmless


def csv_lines(sheet: Sheet, *, spreadsheet_safe: bool) -> Iterator[bytes]:
    """Write CSV, some lines at a time: commas between columns, UTF-8."""
    yield _written([sheet.names], spreadsheet_safe)
    for own, table in sheet.parts():
        columns = [_cells(f.kind, values) for f, values in zip(sheet.fields, own, strict=True)]
        if table is not None:
            columns += [[text_of_cell(v) for v in cells_of(column)] for column in table.columns]
        yield _written(zip(*columns, strict=True), spreadsheet_safe)


def _cells(kind: FieldKind, values: Sequence[Any]) -> list[str]:
    if kind is FieldKind.TIME:
        return ["" if v is None else time_text(v) for v in values]
    if kind is FieldKind.DETAILS:
        return ["" if v is None else json.dumps(v, ensure_ascii=False) for v in values]
    return ["" if v is None else str(v) for v in values]


def _written(lines: Any, spreadsheet_safe: bool) -> bytes:
    out = io.StringIO()
    plain = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for line in lines:
        cells = [harmless(cell) for cell in line] if spreadsheet_safe else line
        # Python 3.11 and 3.12 see no need for quotes around a carriage return, but readers do.
        (quoted if any("\r" in cell for cell in cells) else plain).writerow(cells)
    return out.getvalue().encode("utf-8", "replace")
