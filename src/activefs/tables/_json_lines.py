"""JSON lines: a file with one JSON object per line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.tables._doubts import Doubt
from activefs.tables._encoding import UndecodableError, as_utf8
from activefs.tables._large import too_large, too_large_for_floats, unsigned_or_text
from activefs.tables._rows_of_text import place_after

_BLOCK = 1 << 20


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON, with names that may be there twice."""


_NAMES = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", _Pairs: "an object"}


def read_json_lines(content: bytes, said: str | None) -> tuple[Any, str, list[Doubt]]:
    """Read JSON lines as an Arrow table; returns also their encoding, and what is doubtful about columns."""
    import pyarrow as pa
    import pyarrow.json as pa_json

    try:
        text, encoding = as_utf8(content, said)
    except UndecodableError as error:
        before = content[: error.position].decode(error.encoding, "ignore")
        raise InvalidInputError(f"{place_after(before, None)}: {error}") from None
    if not text.strip():
        raise InvalidInputError("it is empty")
    longest = max(map(len, text.split(b"\n")))
    try:
        table = pa_json.read_json(
            pa.BufferReader(text), read_options=pa_json.ReadOptions(block_size=max(_BLOCK, 2 * longest))
        )
    except pa.ArrowInvalid as error:
        wrong = _what_is_wrong(text.decode())
        if wrong is None:
            raise
        raise InvalidInputError(wrong) from error
    table, doubts = _with_large(table, text)
    return table, encoding, doubts


def _with_large(table: Any, text: bytes) -> tuple[Any, list[Doubt]]:
    """The table with whole numbers beyond 64 bits as they are written."""
    import pyarrow as pa

    columns = dict(zip(table.column_names, table.columns, strict=True))
    large = too_large_for_floats(columns)
    if not large:
        return table, []
    rows = list(_objects(text.decode()))
    doubts = []
    for name, row in large.items():
        values = [found.get(name) for _, found in rows]
        if all(isinstance(value, int | None) for value in values):
            written = pa.array([None if value is None else str(value) for value in values], pa.string())
            columns[name] = unsigned_or_text(written)
            if columns[name] is written:
                doubts.append(too_large(name, values[row], partial(int, rows[row][0])))
    return pa.table(columns), doubts


def _what_is_wrong(text: str) -> str | None:
    """Say which line is the first that cannot be, and why."""
    if text.lstrip().startswith("[") and not _is_json(text.lstrip().partition("\n")[0]):
        return "it is one JSON list: write one object per line instead, without brackets around and commas between them"
    seen: dict[str, tuple[str, int]] = {}
    for number, line in _lines(text):
        try:
            found = json.loads(line, object_pairs_hook=_Pairs)
        except json.JSONDecodeError as error:
            return f"line {number}, character {error.colno}: {error.msg[0].lower()}{error.msg[1:]}"
        if not isinstance(found, _Pairs):
            return f'line {number} is no JSON object: every line must be one, such as {{"age": 43}}'
        names = [name for name, _ in found]
        if twice := [name for name in names if names.count(name) > 1]:
            return f"line {number} has {twice[0]!r} twice"
        for name, value in found:
            if value is None:
                continue
            if isinstance(value, float) and math.isinf(value):
                return f"line {number}: {name!r} is larger than any number of 64 bits"
            kind = _NAMES[type(value)]
            before, at = seen.setdefault(name, (kind, number))
            if before != kind:
                return f"line {number}: {name!r} is {kind}, but {before} in line {at}"
    return None


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects with their lines; Arrow does without line ends between them."""
    decoder, line, at = json.JSONDecoder(), 1, 0
    while space := re.compile(r"\s*").match(text, at):
        if space.end() == len(text):
            return
        line += text.count("\n", at, space.end())
        found, at = decoder.raw_decode(text, space.end())
        yield line, found
        line += text.count("\n", space.end(), at)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line
