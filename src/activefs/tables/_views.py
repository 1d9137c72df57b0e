"""Text and bytes in views, as polars writes them to Arrow files: few functions of Arrow take them yet."""

from __future__ import annotations

from typing import Any


def type_without_views(kind: Any) -> Any:
    """Return the type that holds the same values without views.

    Examples
    --------
    >>> import pyarrow as pa
    >>> type_without_views(pa.list_(pa.string_view())), type_without_views(pa.int8())
    (ListType(list<item: large_string>), DataType(int8))
    """
    import pyarrow as pa

    if kind == pa.string_view():
        return pa.large_string()
    if kind == pa.binary_view():
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, type_without_views(kind.value_type), kind.ordered)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        make = pa.list_ if pa.types.is_list(kind) else pa.large_list
        return make(kind.value_field.with_type(type_without_views(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(type_without_views(field.type)) for field in kind])
    return kind


def schema_without_views(schema: Any) -> Any:
    """Return the columns of a table without views."""
    import pyarrow as pa

    fields = [field.with_type(type_without_views(field.type)) for field in schema]
    return pa.schema(fields, metadata=schema.metadata)


def table_without_views(table: Any) -> Any:
    """Return a table, or a record batch, without views: Arrow cannot take rows of those.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table_without_views(pa.table({"a": pa.array(["x"], pa.string_view())})).schema.field("a").type
    DataType(large_string)
    """
    schema = schema_without_views(table.schema)
    return table if schema == table.schema else table.cast(schema)
