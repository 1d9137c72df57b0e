"""Values of Arrow columns for files that are text."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time, timedelta
from typing import Any


def time_text(value: datetime) -> str:
    """Write a time of the log: UTC, to the microsecond.

    Examples
    --------
    >>> time_text(datetime(2024, 5, 1, 12, tzinfo=UTC))
    '2024-05-01T12:00:00.000000Z'
    """
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def cells_of(column: Any) -> list[Any]:
    """Return the values of an Arrow column as text, numbers, truth values or None, which all text files can hold.

    Dates and times are written as ISO 8601 says; lists and structures stay what JSON can hold; NaN is missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return cells_of(column.cast(kind.value_type))
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):  # 0.1 is 0.1, not 0.10000000149011612
        return [None if v is None else _plain(float(v)) for v in pc.cast(column, pa.string()).to_pylist()]
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        try:
            column = column.cast(pa.timestamp("us", kind.tz))
        except pa.ArrowInvalid:  # Python's times end at the microsecond
            return [None if v is None else v.replace(" ", "T") for v in pc.cast(column, pa.string()).to_pylist()]
    if (pa.types.is_time64(kind) or pa.types.is_duration(kind)) and kind.unit == "ns":
        return list(pc.cast(column, pa.int64()).to_pylist())
    return [_plain(value) for value in column.to_pylist()]


def text_of_cell(value: Any) -> str:
    """Write what :func:`cells_of` gives as a cell of CSV; nothing if it is missing.

    Examples
    --------
    >>> text_of_cell(None), text_of_cell(1.5), text_of_cell([1, "a"])
    ('', '1.5', '[1, "a"]')
    """
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else str(value)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, datetime):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return str(value)  # such as decimals
