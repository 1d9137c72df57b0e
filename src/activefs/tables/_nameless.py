"""Columns without a name and without a value, as separators at the end of lines make them."""

from __future__ import annotations

from typing import Any


def without_nameless(table: Any) -> Any:
    """Leave out columns of an Arrow table that have neither a name nor a value."""
    kept = [j for j, name in enumerate(table.column_names) if name.strip() or _has_value(table.column(j))]
    return table if len(kept) == table.num_columns or not kept else table.select(kept)


def _has_value(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type):
        return bool(pc.any(pc.not_equal(pc.utf8_trim_whitespace(column), "")).as_py())
    return bool(column.null_count < len(column))
