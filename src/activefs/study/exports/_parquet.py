"""Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from activefs.codec import EXACT
from activefs.exceptions import InvalidInputError
from activefs.study.exports._sheet import Field, FieldKind, Sheet


def parquet_pieces(sheet: Sheet) -> Iterator[bytes]:
    """Write a Parquet file, piece by piece: every column has a type, also if nothing is in it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = [type_of(field) for field in sheet.fields]
    columns = [pa.field(field.name, kind) for field, kind in zip(sheet.fields, types, strict=True)]
    if sheet.table is not None:
        for column in {column.type: column for column in sheet.table.schema}.values():
            _check(column)
        columns += [column.remove_metadata() for column in sheet.table.schema]
    schema = pa.schema(columns)
    out = _Pieces()
    with pq.ParquetWriter(pa.PythonFile(out, mode="w"), schema.with_metadata(_metadata(sheet))) as writer:
        for own, table in sheet.parts():
            parts = [
                pa.array(_values(field, values, kind), kind)
                for field, values, kind in zip(sheet.fields, own, types, strict=True)
            ]
            writer.write_table(pa.table(parts + ([] if table is None else table.columns), schema=writer.schema))
            yield out.taken()
    yield out.taken()


def type_of(field: Field) -> Any:
    """Choose the type of a column; for names it depends on all that occur.

    Whole numbers are int64, numbers of which some have fractions double, truth values bool. Everything else, also if
    there are several of these or nothing at all, is text as CSV would have it.
    """
    import pyarrow as pa

    if field.kind is not FieldKind.NAME:
        return {
            FieldKind.TEXT: pa.string(),
            FieldKind.DETAILS: pa.string(),
            FieldKind.WHOLE: pa.int64(),
            FieldKind.NUMBER: pa.float64(),
            FieldKind.TRUTH: pa.bool_(),
            FieldKind.TIME: pa.timestamp("us", "UTC"),
        }[field.kind]
    found = [v for v in (*field.values, *field.also) if v is not None]
    kinds = {type(v) for v in found}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int} and all(abs(v) < 2**63 for v in found):
        return pa.int64()
    if kinds and kinds <= {int, float} and all(isinstance(v, float) or abs(v) <= EXACT for v in found):
        return pa.float64()
    return pa.string()


def _check(column: Any) -> None:
    """Refuse a column of the table that Parquet has no type for, such as intervals of a calendar."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        pq.write_table(pa.schema([column]).empty_table(), io.BytesIO())
    except pa.ArrowException:
        raise InvalidInputError(
            f"column {column.name!r} of the table ({column.type}) cannot be written as Parquet: take CSV or JSON lines"
        ) from None


def _values(field: Field, values: Sequence[Any], kind: Any) -> Iterable[Any]:
    import pyarrow as pa

    if field.kind is FieldKind.DETAILS:
        return [None if v is None else json.dumps(v, ensure_ascii=False) for v in values]
    return [None if v is None else str(v) for v in values] if kind == pa.string() else values


def _metadata(sheet: Sheet) -> dict[str, str]:
    from activefs import __version__

    return {
        "activefs.content": sheet.content,
        "activefs.title": sheet.title,
        "activefs.version": __version__,
    }


class _Pieces(io.RawIOBase):
    """A file that only grows; what was written is taken away as it comes."""

    def __init__(self) -> None:
        self._new: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, content: Any) -> int:
        piece = bytes(content)
        self._new.append(piece)
        self._size += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        """What was written since it was taken last."""
        new, self._new = self._new, []
        return b"".join(new)
