"""The columns of several files as those of one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from activefs.exceptions import InvalidInputError


def unified(names: Sequence[str], schemas: Sequence[Any]) -> Any:
    """Return the schema of all files together; refuse files that do not belong together.

    All must have the same columns, in any order (that of the first file counts). Types may differ only where one of
    them holds every value of both: whole numbers of different size, whole numbers and floats (numbers beyond 2^53
    are refused when they are read), texts of different kinds, categories and their values, and a column that is empty
    in one file.

    Parameters
    ----------
    names : sequence of str
        What the files are called.
    schemas : sequence of Arrow schemas
        Their columns.
    """
    import pyarrow as pa

    for name, schema in zip(names, schemas, strict=True):
        refuse_duplicates(name, schema.names)
    fields = {field.name: field.type for field in schemas[0]}
    where = dict.fromkeys(fields, names[0])  # the file that gave a column its type
    for name, schema in zip(names[1:], schemas[1:], strict=True):
        if schema.equals(schemas[0]):
            continue
        refuse_others(names[0], list(fields), name, schema.names)
        for field in schema:
            common = common_type(fields[field.name], field.type)
            if common is None:
                raise InvalidInputError(
                    f"column {field.name!r} is {fields[field.name]} in {where[field.name]}, but {field.type} in "
                    f"{name}: write it with the same type in all files"
                )
            if common != fields[field.name]:
                fields[field.name], where[field.name] = common, name
    return pa.schema(list(fields.items()))


def refuse_duplicates(name: str, columns: Sequence[str]) -> None:
    """Refuse a file that names a column twice."""
    if twice := [column for column, count in Counter(columns).items() if count > 1]:
        what = f"names a column {twice[0]!r}" if twice[0] else "has a column without a name"
        raise InvalidInputError(f"the header of {name} {what} more than once: rename one of them")


def refuse_others(first: str, expected: Sequence[str], name: str, found: Sequence[str]) -> None:
    """Refuse a file that has a column less or more than the first."""
    there, here = set(expected), set(found)
    for column, has, lacks in [(c, first, name) for c in expected if c not in here] + [
        (c, name, first) for c in found if c not in there
    ]:
        raise InvalidInputError(
            f"{has} has a column {column!r}, which {lacks} lacks: all files must have the same columns"
        )


def common_type(one: Any, other: Any) -> Any | None:
    """Return a type that holds every value of two others; None if there is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> common_type(pa.int8(), pa.uint8()), common_type(pa.null(), pa.string()), common_type(pa.string(), pa.int8())
    (DataType(int16), DataType(string), None)
    """
    import pyarrow as pa

    if one == other:
        return one
    if pa.types.is_null(one) or pa.types.is_null(other):
        return other if pa.types.is_null(one) else one
    if pa.types.is_dictionary(one) and pa.types.is_dictionary(other):
        values = common_type(one.value_type, other.value_type)
        same = values is not None and one.ordered == other.ordered
        return pa.dictionary(pa.int32(), values, one.ordered) if same else None
    if pa.types.is_dictionary(one) or pa.types.is_dictionary(other):
        plain = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (one, other)]
        return common_type(*plain)
    if is_text(one) and is_text(other):
        return pa.large_string()
    if pa.types.is_integer(one) and pa.types.is_integer(other):
        return _common_integer(one, other)
    numbers = pa.types.is_integer, pa.types.is_floating
    if all(any(is_number(kind) for is_number in numbers) for kind in (one, other)):
        return pa.float64()
    return None


def _common_integer(one: Any, other: Any) -> Any | None:
    import pyarrow as pa

    both = (one, other)
    signs = [pa.types.is_signed_integer(kind) for kind in both]
    # What has no sign needs room for one where the other has one.
    widths = [kind.bit_width * (2 if any(signs) > sign else 1) for kind, sign in zip(both, signs, strict=True)]
    kinds = (pa.int8, pa.int16, pa.int32, pa.int64) if any(signs) else (pa.uint8, pa.uint16, pa.uint32, pa.uint64)
    return next((kind() for kind in kinds if kind().bit_width >= max(widths)), None)


def is_text(kind: Any) -> bool:
    """Whether a type is text, with short or long offsets or in views.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_text(pa.large_string()), is_text(pa.binary())
    (True, False)
    """
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view")
