"""JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from activefs.study.exports._cells import cells_of, time_text
from activefs.study.exports._sheet import FieldKind, Sheet


def json_lines(sheet: Sheet) -> Iterator[bytes]:
    """Write one JSON object per line, some lines at a time; what is missing is null."""
    for own, table in sheet.parts():
        columns = [_cells(f.kind, values) for f, values in zip(sheet.fields, own, strict=True)]
        if table is not None:
            columns += [cells_of(column) for column in table.columns]
        lines = (
            json.dumps(dict(zip(sheet.names, line, strict=True)), ensure_ascii=False, allow_nan=False)
            for line in zip(*columns, strict=True)
        )
        yield "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _cells(kind: FieldKind, values: Sequence[Any]) -> Sequence[Any]:
    return [None if v is None else time_text(v) for v in values] if kind is FieldKind.TIME else values
