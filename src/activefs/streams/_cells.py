"""Some rows of one column, in the form in which they are coded: arrays, without Python objects where possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from activefs._kernels.encode import unusual
from activefs.tables import Column, Looked, UnusableColumn, look_at, one_kind, read_table
from activefs.types import Array, Bools

What = Literal["number", "bool", "text"]
WHAT: dict[str | None, What] = {"int": "number", "float": "number", "bool": "bool", "str": "text"}


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """Some rows of one column.

    Attributes
    ----------
    what : {"number", "bool", "text"} or None
        What they hold; None if it is nothing, or several things at once.
    values : array
        Numbers as they are, booleans as 0 and 1, texts as positions in `texts`; anything where a value is missing.
    kinds : dict
        Types of values, and where each comes first.
    missing : array of bool or None
        Which are missing; None if none is.
    infinite : int or None
        Where the first infinite number is.
    texts : Arrow array or list
        Texts, of which some may not occur.
    order : tuple of str or None
        Categories in their order, if it means something.
    fractions : bool
        Whether some number is not whole.
    """

    what: What | None
    values: Array
    kinds: dict[str, int]
    missing: Bools | None = None
    infinite: int | None = None
    texts: Any = None
    order: tuple[str, ...] | None = None
    fractions: bool = False


def columns_in(part: Any, names: Sequence[str]) -> Iterator[Any]:
    """Walk through columns of an Arrow batch, or of any other table in memory."""
    if type(part).__name__ == "RecordBatch":
        yield from (part.column(part.schema.get_field_index(name)) for name in names)
        return
    table = read_table(part)
    place = {name: at for at, name in enumerate(names)}
    found: dict[int, Column] = {}
    due = 0
    for column in table.columns():  # in the order of the table, which may be another one
        if (at := place.get(column.name)) is not None:
            found[at] = column
        while due in found:
            yield found.pop(due)
            due += 1
    if due < len(names):
        raise KeyError(names[due])


def cells_of(column: Any, *, distinct: bool = True) -> ColumnCells:
    """Prepare a column, or an Arrow array, for coding.

    Parameters
    ----------
    column : Column or Arrow array
        The column.
    distinct : bool
        Whether equal texts must have one position; finding that out takes time.

    Raises
    ------
    UnusableColumn
        If it can be no feature, whatever other rows hold.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = cells_of(pa.array(["b", "a", None, "b"]))
    >>> cells.what, cells.texts.to_pylist(), cells.values[~cells.missing].tolist()
    ('text', ['b', 'a'], [0, 1, 0])
    """
    if isinstance(column, Column):
        return _from_column(column)
    if type(column).__name__ == "ChunkedArray":
        column = column.combine_chunks()
    if type(column).__name__ == "ChunkedArray":  # texts of more than two gigabytes stay in parts
        return _from_any_arrow(column)
    return _from_arrow(column, distinct)


def _from_arrow(array: Any, distinct: bool) -> ColumnCells:
    import pyarrow.types as types

    kind = array.type
    if types.is_integer(kind):
        missing = _nulls(array)
        return ColumnCells("number", _buffer(array), _first("int", missing), missing)
    if types.is_float32(kind) or types.is_float64(kind):
        return _from_floats(_buffer(array), _nulls(array))
    if types.is_temporal(kind) and array.null_count < len(array):
        raise UnusableColumn("date", "dates or durations", min(_first("date", _nulls(array)).values()))
    if types.is_boolean(kind):
        missing = _nulls(array)
        values = array.fill_null(False).cast("uint8").to_numpy()
        return ColumnCells("bool", values, _first("bool", missing), missing)
    if types.is_string(kind) or types.is_large_string(kind):
        if not distinct:
            return _from_strings(array)
        return _from_dictionary(array.dictionary_encode(), ordered=False)
    texts = types.is_dictionary(kind) and (types.is_string(kind.value_type) or types.is_large_string(kind.value_type))
    if texts and array.dictionary.null_count == 0:
        return _from_dictionary(array, ordered=kind.ordered)
    return _from_any_arrow(array)


def _from_any_arrow(array: Any) -> ColumnCells:
    import pyarrow as pa

    return _from_column(next(read_table(pa.table({"column": array})).columns()))


def _from_strings(array: Any) -> ColumnCells:
    missing = _nulls(array)
    positions = np.zeros(len(array), dtype=np.int32)
    positions[slice(None) if missing is None else ~missing] = np.arange(len(array) - array.null_count)
    return ColumnCells("text", positions, _first("str", missing), missing, texts=array.drop_null())


def _buffer(array: Any) -> Array:
    """The numbers of an Arrow array where they lie; anything where they are null."""
    dtype = array.type.to_pandas_dtype()
    stored = np.frombuffer(array.buffers()[1], dtype=dtype, count=array.offset + len(array))
    return stored[array.offset :]


def _nulls(array: Any) -> Bools | None:
    if array.null_count == 0:
        return None
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False), dtype=bool)


def _first(kind: str, missing: Bools | None) -> dict[str, int]:
    if missing is None:
        return {kind: 0}
    at = int(missing.argmin())
    return {} if missing[at] else {kind: at}


def _from_dictionary(array: Any, *, ordered: bool) -> ColumnCells:
    missing = _nulls(array)
    order = tuple(array.dictionary.to_pylist()) if ordered else None
    return ColumnCells(
        "text", _buffer(array.indices), _first("str", missing), missing, texts=array.dictionary, order=order
    )


def _from_floats(values: Array, missing: Bools | None) -> ColumnCells:
    found = np.zeros(2, dtype=bool)
    if missing is None:
        unusual(values, found)
        if not found[0]:
            return ColumnCells("number", values, {"float": 0}, fractions=bool(found[1]))
    return _from_column(Column("", values, missing))


def _from_column(column: Column) -> ColumnCells:
    looked = look_at(column)
    try:
        what = WHAT.get(one_kind(looked.kinds))
    except UnusableColumn:  # what is mixed is found out by who sees all parts
        return ColumnCells(None, looked.values, looked.kinds, looked.missing)
    values, missing, order = looked.values, looked.missing, column.order
    if what == "text":
        texts, positions = _texts(values)
        return ColumnCells("text", positions, looked.kinds, missing, texts=texts, order=order)
    if what == "bool":
        values = values.astype(np.uint8)
    fractions = values.dtype.kind == "f" and _fractions(looked)
    return ColumnCells(what, values, looked.kinds, missing, looked.infinite, order=order, fractions=fractions)


def _fractions(looked: Looked) -> bool:
    values = looked.values if looked.missing is None else looked.values[~looked.missing]
    found = np.zeros(2, dtype=bool)
    unusual(values.astype(np.float64), found)
    return bool(found[1])


def _texts(values: Array) -> tuple[Any, Array]:
    import pyarrow as pa

    try:
        array = pa.array(values, type=pa.large_string()).dictionary_encode()
        return array.dictionary, _buffer(array.indices)
    except (pa.ArrowException, UnicodeError):  # half a character, which only Python can hold
        texts, positions = np.unique(values, return_inverse=True)
        return texts.tolist(), positions.astype(np.int32)


def text_list(texts: Any) -> list[str]:
    """Texts of an Arrow array, or of a list, as a list."""
    return texts if isinstance(texts, list) else list(texts.to_pylist())


def texts_at(texts: Any, positions: Array) -> Any:
    """Some of the texts of an Arrow array, or of a list."""
    import pyarrow as pa

    if len(positions) == len(texts):
        return texts
    return [texts[at] for at in positions.tolist()] if isinstance(texts, list) else texts.take(pa.array(positions))
