"""What the values of a table amount to, however they are cut and stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from activefs.streams._schemas import is_text

ROWS = 65_536
"""Rows of a group: what is kept is read again by groups."""


class Content:
    """Names a table by its values while they pass, a group of rows at a time.

    Where values are cut into batches makes no difference, nor whether text has short or long offsets, or what lies
    below missing values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> first, second = Content(pa.schema({"a": pa.string()})), Content(pa.schema({"a": pa.large_string()}))
    >>> first.add(pa.table({"a": ["x", None]}))
    >>> second.add(pa.table({"a": pa.array(["x", None], pa.large_string())}))
    >>> first.key() == second.key()
    True
    """

    def __init__(self, schema: Any) -> None:
        self._said = hashlib.blake2b(digest_size=20)
        for field in schema:
            self._said.update(f"{len(field.name)} {field.name} {_kind(field.type)};".encode("utf-8", "surrogatepass"))

    def add(self, group: Any) -> None:
        """Take the next rows."""
        self._said.update(f"{group.num_rows};".encode())
        for column in group.columns:
            for part in _parts(column):
                self._said.update(part)

    def key(self) -> str:
        """Name all that passed."""
        return self._said.copy().hexdigest()


def in_groups(batches: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Cut a stream of record batches into tables of 65,536 rows; the last may have less."""
    import pyarrow as pa

    waiting: list[Any] = []
    rows = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        waiting.append(batch)
        rows += batch.num_rows
        if rows < ROWS:
            continue
        table = pa.Table.from_batches(waiting, schema=schema)
        whole = rows - rows % ROWS
        for at in range(0, whole, ROWS):
            yield table.slice(at, ROWS)
        rest = table.slice(whole)
        waiting, rows = rest.to_batches(), rest.num_rows
    if rows:
        yield pa.Table.from_batches(waiting, schema=schema)


def _kind(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return f"{'ordered ' if kind.ordered else ''}categories of {_kind(kind.value_type)}"
    return "text" if is_text(kind) else str(kind)


def _parts(column: Any) -> Iterator[Any]:
    """Values of a column as bytes, nothing else being different."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        if kind.ordered:
            for chunk in column.chunks:
                yield from _parts(pa.chunked_array([chunk.dictionary]))
        column = column.cast(kind.value_type)
        kind = kind.value_type
    if _kind(kind) == "text":
        column = column.cast(pa.large_string())
    one = column.combine_chunks()
    if isinstance(one, pa.ChunkedArray):  # of no rows, or of more than fits
        one = pa.concat_arrays(one.chunks) if one.num_chunks else pa.array([], one.type)
    if one.null_count:
        yield np.packbits(pc.is_null(one).to_numpy(zero_copy_only=False)).tobytes()
    if pa.types.is_large_string(one.type):
        there = pc.fill_null(one, "")
        yield np.ascontiguousarray(pc.binary_length(there).to_numpy(zero_copy_only=False)).tobytes()
        _, offsets, data = there.buffers()
        ends = np.frombuffer(offsets, np.int64)[there.offset : there.offset + len(there) + 1]
        if data is not None:
            yield memoryview(data)[ends[0] : ends[-1]]
    elif pa.types.is_integer(one.type) or pa.types.is_floating(one.type):
        yield np.ascontiguousarray(pc.fill_null(one, pa.scalar(0, one.type)).to_numpy(zero_copy_only=False)).tobytes()
    elif pa.types.is_boolean(one.type):
        yield np.packbits(pc.fill_null(one, False).to_numpy(zero_copy_only=False)).tobytes()
    elif not pa.types.is_null(one.type):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, pa.schema([("", one.type)])) as writer:
            writer.write_batch(pa.record_batch([one], names=[""]))
        yield memoryview(sink.getvalue())
