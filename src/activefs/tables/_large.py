"""Whole numbers beyond 64 bits, such as hashes: Arrow makes floats of them, by which many become the same number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from activefs.tables._doubts import Doubt

_LARGEST = 2.0**63


def too_large_for_floats(columns: Mapping[str, Any]) -> dict[str, int]:
    """Return columns of floats that hold what no signed integer of 64 bits can, and the first row that does."""
    import pyarrow as pa
    import pyarrow.compute as pc

    floats = {name: column for name, column in columns.items() if pa.types.is_floating(column.type)}
    rows = {name: pc.index(pc.greater_equal(pc.abs(c), _LARGEST), True).as_py() for name, c in floats.items()}
    return {name: row for name, row in rows.items() if row >= 0}


def unsigned_or_text(written: Any) -> Any:
    """Whole numbers that are written as text: as unsigned integers if these can hold them, else as they are written."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.cast(written, pa.uint64())
    except pa.ArrowInvalid:
        return written


def too_large(column: str, value: Any, line: Callable[[], int]) -> Doubt:
    """Say which number makes text of a column."""
    return Doubt(column, f"taken as text: {value}", line, " has more digits than a number can hold.")
