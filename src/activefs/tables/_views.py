"""Text and bytes in views, as polars writes them to Arrow files: few functions of Arrow take them yet."""

from __future__ import annotations

from typing import Any


def without_views(kind: Any) -> Any:
    """Return the type that holds the same values without views.

    Examples
    --------
    >>> import pyarrow as pa
    >>> without_views(pa.list_(pa.string_view())), without_views(pa.int8())
    (ListType(list<item: large_string>), DataType(int8))
    """
    import pyarrow as pa

    if kind == pa.string_view():
        return pa.large_string()
    if kind == pa.binary_view():
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, without_views(kind.value_type), kind.ordered)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        make = pa.list_ if pa.types.is_list(kind) else pa.large_list
        return make(kind.value_field.with_type(without_views(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(without_views(field.type)) for field in kind])
    return kind


def schema_without_views(schema: Any) -> Any:
    """Return the columns of a table without views."""
    import pyarrow as pa

    fields = [field.with_type(without_views(field.type)) for field in schema]
    return pa.schema(fields, metadata=schema.metadata)
