"""Settings that speak of columns and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from activefs.codec import is_scalar, label_from_text, normal, plain, plain_label, text_of
from activefs.constraints._base import Constraint
from activefs.constraints._values import Choice, Whole
from activefs.exceptions import InvalidInputError
from activefs.measurements import number_from_label

BINNINGS = ("kmeans", "quantile", "uniform")
RULES = 2
"""How columns are read of which nothing is said. By rules 1, those of release 0.1, integers stayed as they were, and
nothing was left out; a study goes on with the rules that it was made with."""


class PerColumn(Constraint):
    """A value for all columns, or a mapping from names or positions of columns.

    Parameters
    ----------
    for_all, for_one : Constraint
        What is accepted for all columns, and for a single one.
    """

    many = True
    metavar = "[COLUMN=]VALUE"

    def __init__(self, for_all: Constraint, for_one: Constraint) -> None:
        self._all, self._one = for_all, for_one
        self.refused = (*for_all.refused, *({"age": bad} for bad in for_one.refused), {True: 5}, {1.5: 5})

    def __str__(self) -> str:
        return f"{self._all}, or a mapping from columns to {self._one}"

    def check(self, name: str, given: Any) -> Any:
        """Check every value; the error names the column."""
        if not isinstance(given, Mapping):
            return super().check(name, given)
        columns = {plain(column): value for column, value in given.items()}
        if strange := [c for c in columns if isinstance(c, bool) or not isinstance(c, (str, int))]:
            raise InvalidInputError(f"{name} names columns by name or position, got {strange[0]!r}")
        return {c: self._one.check(f"{name} of column {c!r}", value) for c, value in columns.items()}

    def value(self, given: Any) -> Any:
        """Check a value for all columns."""
        return self._all.value(given)

    def to_json(self, name: str, value: Any) -> Any:
        """Write pairs if there are positions, which JSON would make text of."""
        positions = isinstance(value, Mapping) and any(isinstance(column, int) for column in value)
        return [list(pair) for pair in value.items()] if positions else value

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return dict(content) if isinstance(content, list) else content

    def from_text(self, text: Any) -> Any:
        """Read VALUE once, or COLUMN=VALUE several times."""
        if len(text) == 1 and "=" not in text[0]:
            return self._all.from_text(text[0])
        return dict(self._of_column(part) for part in text)

    def _of_column(self, part: str) -> tuple[str, Any]:
        # The name of a column may hold anything, also an equals sign or outer spaces; the value does not.
        column, separator, value = part.rpartition("=")
        if not separator or not column.strip():
            raise InvalidInputError(f"write COLUMN=VALUE, got {part!r}")
        return column, self._one.from_text(value.strip())


class Columns(Constraint):
    """Columns, by name or position."""

    many = True
    metavar = "COLUMN"
    refused: tuple[Any, ...] = ("age", 3, [1.5], [True])

    def __str__(self) -> str:
        return "a list of columns, by name or position"

    def value(self, given: Any) -> tuple[str | int, ...]:
        """Refuse what is no list."""
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise TypeError
        columns = tuple(plain(column) for column in given)
        if any(isinstance(c, bool) or not isinstance(c, (str, int)) for c in columns):
            raise TypeError
        return columns

    def to_json(self, name: str, value: Any) -> Any:
        """Write a list."""
        return list(value)

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return tuple(content)

    def from_text(self, text: Any) -> Any:
        """Read names; what stands between commas is split by whoever knows the columns."""
        return tuple(text)


class Labels(Constraint):
    """The possible labels, at least two."""

    metavar = "A,B,..."
    refused: tuple[Any, ...] = (
        "ab", 3, ["a"], ["a", "a"], ["1", 1], [0, 1, True], [1, 1.0, 2], ["a", " a"], ["a", None], [[1], [2]],
    )  # fmt: skip

    def __str__(self) -> str:
        return "a list of at least two different labels"

    def value(self, given: Any) -> tuple[Any, ...]:
        """Refuse a label twice; 1, '1' and 1.0 are the same."""
        if isinstance(given, str) or not hasattr(given, "__len__"):
            raise InvalidInputError(f"classes must be a list of labels, got {given!r}")
        labels = tuple(plain_label(label) for label in given)
        if len({text_of(label) for label in labels}) != len(labels) or len(set(labels)) != len(labels):
            raise InvalidInputError(f"classes has a label twice: {list(given)!r}")
        if len(labels) < 2:
            raise InvalidInputError(f"classes must name at least two labels, got {list(given)!r}")
        return labels

    def to_json(self, name: str, value: Any) -> Any:
        """Write a list; refuse labels that would not come back as they were."""
        if strange := [label for label in value if not is_scalar(label)]:
            raise InvalidInputError(f"{name} must be text, numbers or booleans where they are kept; got {strange[0]!r}")
        return list(value)

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return tuple(content)

    def from_text(self, text: str) -> Any:
        """Read labels with commas between; those that are all whole numbers are numbers."""
        said = [normal(part) for part in text.split(",")]
        read = [label_from_text(part) for part in said]
        return read if all(isinstance(label, int) for label in read) else said


class Edges(Constraint):
    """Where the ranges of a number end and begin.

    Examples
    --------
    >>> Edges().check("label_edges", [5, 5])
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: label_edges must be a list of ascending finite numbers, got [5, 5]
    """

    metavar = "5,7.5,..."
    example = "5,7.5, with commas between numbers and points before decimals"
    refused: tuple[Any, ...] = (
        5, "5", [], [7.5, 5], [5, 5], [5, 5.0], [1, float("nan")], [float("-inf"), 0], [1, None], ["a"], [0, True],
    )  # fmt: skip

    def __str__(self) -> str:
        return "a list of ascending finite numbers"

    def value(self, given: Any) -> tuple[int | float, ...]:
        """Refuse what does not ascend."""
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise TypeError
        read = [None if isinstance(edge, str) else number_from_label(edge) for edge in given]
        edges = tuple(edge for edge in read if edge is not None)
        if not edges or len(edges) < len(read) or any(low >= high for low, high in pairwise(edges)):
            raise ValueError
        return edges

    def to_json(self, name: str, value: Any) -> Any:
        """Write a list."""
        return list(value)

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return tuple(content)

    def from_text(self, text: str) -> Any:
        """Read numbers with commas between."""
        read = [number_from_label(part) for part in text.split(",")]
        return text if None in read else read


class Cost(Constraint):
    """What labels cost: a column, or one number per row."""

    metavar = "COLUMN"
    refused: tuple[Any, ...] = (3, True)

    def __str__(self) -> str:
        return "the name of a column, or one number per row"

    def value(self, given: Any) -> Any:
        """Refuse single numbers; how many there are is checked against the table."""
        if isinstance(given, (bool, int, float)):
            raise TypeError
        return given

    def to_json(self, name: str, value: Any) -> Any:
        """Refuse numbers, which would have to be kept with the table."""
        if not isinstance(value, str):
            raise InvalidInputError(f"{name} must be the name of a column of the table in a study")
        return value


# How columns are read: the options of a session and a pool made by hand accept the same.
BINNING = PerColumn(Choice(*BINNINGS, "none"), Choice(*BINNINGS, "none"))
BINS = PerColumn(Whole(2, 65_535), Whole(2, 65_535))
MISSING = Choice("error", "value")
IGNORE = Columns()
CATEGORICAL = Columns()
