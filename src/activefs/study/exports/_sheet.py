"""What is exported, whatever it is written as: named columns, and the rows of the table beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

_AT_ONCE = 2_000


class FieldKind(Enum):
    """What the values of a column are; each may be missing (None)."""

    TEXT = "text"
    NAME = "name"  # text, numbers or truth values: labels, and what rows are called
    WHOLE = "whole number"
    NUMBER = "number"
    TRUTH = "true or false"
    TIME = "time"
    DETAILS = "what JSON can hold"


@dataclass(frozen=True)
class Field:
    """A column of our own.

    Attributes
    ----------
    name : str
        Name of the column.
    kind : FieldKind
        What its values are.
    values : sequence
        The values, one per line.
    also : sequence
        Of a column of names: what else may occur in columns of the same kind, which then all have one type.
    """

    name: str
    kind: FieldKind
    values: Sequence[Any]
    also: Sequence[Any] = ()


@dataclass(frozen=True)
class Sheet:
    """Columns of our own, and beside them the columns of the table (an Arrow table with as many rows, or None)."""

    content: str
    title: str
    fields: tuple[Field, ...]
    table: Any = None
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        own = tuple(f.name for f in self.fields)
        object.__setattr__(self, "names", own + (() if self.table is None else tuple(self.table.column_names)))

    def __len__(self) -> int:
        return len(self.fields[0].values)

    def parts(self) -> Iterator[tuple[list[Sequence[Any]], Any]]:
        """Walk through the lines, some at a time: values of our own columns, and the part of the table."""
        for start in range(0, len(self), _AT_ONCE):
            own = [f.values[start : start + _AT_ONCE] for f in self.fields]
            yield own, None if self.table is None else self.table.slice(start, _AT_ONCE)
