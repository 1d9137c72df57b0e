"""Labels of a table that is read in pieces: which there are, how often, and what class each row is of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.codec import unwrapped
from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.measurements import number_from_label
from activefs.streams._source import StreamSource
from activefs.tables import MAX_VALUES, plain_values
from activefs.types import Array, Ints

Progress = Callable[[str, float], None]


@dataclass(frozen=True, eq=False)
class FoundLabels:
    """What one look at all labels of a table has found.

    Attributes
    ----------
    counts : dict
        Different labels in the order in which they turn up, and rows with each; of numbers in ranges, one per range.
    by_piece : tuple of int
        Rows with a label in each piece.
    unlabelled : int
        Rows without one.
    too_many : bool
        Whether there are so many different labels that it was not looked further.
    """

    counts: dict[Any, int]
    by_piece: tuple[int, ...]
    unlabelled: int
    too_many: bool = False

    @property
    def n_rows(self) -> int:
        """Rows with a label."""
        return sum(self.by_piece)


def find_labels(
    source: StreamSource, label: str, edges: Sequence[float] | None = None, progress: Progress | None = None
) -> FoundLabels:
    """Look at all labels of a table, once.

    Parameters
    ----------
    source : StreamSource
        The table.
    label : str
        Its column of labels. What is empty, or empty but for spaces, is no label.
    edges : sequence of float, optional
        Where ranges of numbers begin, if these are the classes: there may be as many numbers as rows.
    progress : callable, optional
        Is told what is done, and which share of it (0 to 1).

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import TableSource
    >>> found = find_labels(TableSource(pa.table({"y": ["no", None, "yes", "no", " "]})), "y")
    >>> found.counts, found.unlabelled
    ({'no': 2, 'yes': 1}, 2)
    """
    counts: dict[Any, int] = {}
    first_of: dict[int, Any] = {}
    by_piece: list[int] = []
    for number, piece in enumerate(source.pieces):
        labelled = 0
        for batch in source.read(number, [label]):
            for value, rows in _counted(batch.column(0), label, edges, first_of):
                counts[value] = counts.get(value, 0) + rows
                labelled += rows
            if len(counts) > MAX_VALUES:
                return FoundLabels(counts, tuple(by_piece), 0, too_many=True)
        by_piece.append(labelled)
        if progress is not None:
            progress("looking at the labels", (piece.first_row + piece.n_rows) / max(source.n_rows, 1))
    return FoundLabels(counts, tuple(by_piece), source.n_rows - sum(by_piece))


class LabelCoder:
    """From labels to class numbers.

    Parameters
    ----------
    classes : mapping
        The class number of each label.
    edges : sequence of float, optional
        Where ranges begin, if these are the classes; then it is looked at the labels as numbers.
    """

    def __init__(self, classes: Mapping[Any, int], edges: Sequence[float] | None = None) -> None:
        self._classes: dict[Any, int] = dict(classes)
        self._edges = None if edges is None else tuple(edges)

    @property
    def key(self) -> str:
        """What makes other numbers of the same labels."""
        return repr(self._edges if self._edges is not None else list(self._classes.items()))

    def codes(self, column: Any, label: str) -> Ints:
        """Return the class number of each row of an Arrow array.

        Examples
        --------
        >>> import pyarrow as pa
        >>> LabelCoder({"no": 0, "yes": 1}).codes(pa.array(["yes", "no", "yes"]), "y").tolist()
        [1, 0, 1]
        >>> LabelCoder({}, [5, 7.5]).codes(pa.array([7.5, 1.0]), "y").tolist()
        [2, 0]
        """
        if self._edges is not None and (numbers := _numbers(column)) is not None:
            return np.searchsorted(self._edges, numbers, side="right").astype(np.int64)
        values, places = _different(column, label)
        codes: Ints = np.array([self._code(value) for value in values], dtype=np.int64)
        return np.asarray(codes[places])

    def _code(self, value: Any) -> int:
        if self._edges is None:
            return int(self._classes[value])
        number = number_from_label(value)
        assert number is not None  # others were refused when labels were found
        return int(bisect_right(self._edges, number))


def is_labelled(column: Any, label: str) -> Array:
    """Say which rows of an Arrow array have a label."""
    import pyarrow.types as types

    kind = column.type
    if types.is_integer(kind) or types.is_boolean(kind):
        return np.asarray(column.is_valid().to_numpy(zero_copy_only=False))
    if (numbers := _numbers(column)) is not None:
        return ~np.isnan(numbers)
    values, places = _different(column, label)
    there = np.array([unwrapped(value) is not None for value in values] + [False])
    return np.asarray(there[places])


def _counted(column: Any, label: str, edges: Sequence[float] | None, first_of: dict[int, Any]) -> list[tuple[Any, int]]:
    """Labels of some rows, and how many of them have each."""
    if edges is not None and (numbers := _numbers(column)) is not None:
        return _ranges(numbers, column, edges, first_of)
    values, places = _different(column, label)
    rows = np.bincount(places[places >= 0], minlength=len(values)).tolist()
    found = [(value, count) for value, count in zip(values, rows, strict=True) if unwrapped(value) is not None]
    if edges is None:
        return found
    return [(_first_of_range(value, edges, first_of), count) for value, count in found]


def _ranges(numbers: Array, column: Any, edges: Sequence[float], first_of: dict[int, Any]) -> list[tuple[Any, int]]:
    import pyarrow as pa

    there = ~np.isnan(numbers)
    infinite = np.flatnonzero(there & np.isinf(numbers))
    if infinite.size:  # whoever makes classes of them says what is wrong
        return [(float(numbers[infinite[0]]), int(there.sum()))]
    found, first, rows = np.unique(
        np.searchsorted(np.asarray(edges), numbers[there], side="right"), return_index=True, return_counts=True
    )
    places = np.flatnonzero(there)[first]
    order = np.argsort(places)
    said = plain_values(column.take(pa.array(places[order])))
    by_range = list(zip(found[order].tolist(), said, rows[order].tolist(), strict=True))
    return [(first_of.setdefault(code, value), count) for code, value, count in by_range]


def _first_of_range(value: Any, edges: Sequence[float], first_of: dict[int, Any]) -> Any:
    """The first label in the range of a number that is written as text; anything else as it is."""
    try:
        number = number_from_label(value)
    except InvalidLabelError:  # whoever makes classes of it says what is wrong
        return value
    if number is None:
        return value
    return first_of.setdefault(bisect_right(edges, number), value)


def _numbers(column: Any) -> Array | None:
    """An Arrow array of numbers as floats, NaN where none is; None if it holds something else."""
    import pyarrow.types as types

    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        return None
    return np.asarray(column.cast("float64", safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def _different(column: Any, label: str) -> tuple[list[Any], Ints]:
    """Different values of an Arrow array in the order in which they turn up, and which of them each row has, or -1."""
    import pyarrow.types as types

    if types.is_dictionary(column.type):  # its own dictionary may be in any order
        column = column.cast(column.type.value_type)
    none = plain_values(column.slice(0, 0), label)  # refuses what can be no label
    if types.is_null(column.type):
        return none, np.full(len(column), -1)
    coded = column.dictionary_encode()
    places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return plain_values(coded.dictionary, label), places


def refuse_changed(source: StreamSource, label: str) -> InvalidInputError:
    """Say that labels are not those any more that were found."""
    source.check_unchanged()
    return InvalidInputError(f"the labels in {label!r} changed while {source.description} was read: start again")
