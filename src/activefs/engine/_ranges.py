"""Classes that are ranges of a number: a measurement is told, and the range that it falls into is its class."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from activefs.codec import plain_label
from activefs.engine._classes import ClassList
from activefs.engine._probabilities import ClassProbabilities, is_uncertain
from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.measurements import number_from_label
from activefs.options import Options


class RangeList(ClassList):
    """Labels are numbers, kept as they are told; their classes are ranges, all known from the start.

    Parameters
    ----------
    edges : sequence of float
        Where one range ends and the next one begins, ascending. An edge itself belongs to the range above it.

    Examples
    --------
    >>> classes = RangeList([5, 7.5])
    >>> classes.values
    ('below 5', '5 to 7.5', '7.5 and above')
    >>> classes.check("6,2"), classes.code(6.2), classes.class_of(7.5)
    (6.2, 1, '7.5 and above')
    """

    def __init__(self, edges: Sequence[float]) -> None:
        self.edges = tuple(edges)
        super().__init__(range_names(edges))

    def check(self, label: Any) -> Any:
        """Return the number that was told; refuse what is no finite number.

        Of a number that is not settled, the probabilities of the ranges are told, by their names.
        """
        if is_uncertain(label):
            return self._check_ranges(label)
        value = plain_label(label)
        if (number := number_from_label(value)) is None:
            raise InvalidLabelError(
                f"the label must be a finite number, of which its class is made ({self._listed()}); got {value!r}"
            )
        return number

    def check_text(self, text: str) -> Any:
        """Return the number that text stands for."""
        return self.check(text)

    def class_of(self, label: Any) -> str:
        """Return the range of a number by its name; the name itself stays as it is."""
        return str(self.values[self.code(label)])

    def code(self, label: Any) -> int:
        """Class number of a number, or of the name of a range."""
        known = self._code_of.get(label) if isinstance(label, str) else None
        return bisect_right(self.edges, self.check(label)) if known is None else known

    def _check_ranges(self, given: Mapping[Any, Any]) -> ClassProbabilities:
        if strange := [name for name in given if name not in self._code_of]:
            raise InvalidLabelError(
                f"class probabilities must be of the ranges by their names ({self._listed()}); got {strange[0]!r}"
            )
        found = ClassProbabilities(given)
        if len(found) == 1:
            raise InvalidLabelError(f"the range {found.as_label()!r} is certain: tell the number itself")
        return found


def range_names(edges: Sequence[float]) -> list[str]:
    """Name the ranges between edges.

    Examples
    --------
    >>> range_names([18.0, 65.0])
    ['below 18', '18 to 65', '65 and above']
    """
    written = [str(edge).removesuffix(".0") for edge in edges]
    between = [f"{low} to {high}" for low, high in pairwise(written)]
    return [f"below {written[0]}", *between, f"{written[-1]} and above"]


def classes_from(options: Options) -> ClassList:
    """Make the list of classes that settings ask for: fixed, ranges of a number, or as labels turn up."""
    edges = options["label_edges"]
    if edges is None:
        return ClassList(options["classes"])
    if options["classes"] is not None:
        raise InvalidInputError("give either classes or label_edges, which makes the classes, not both")
    return RangeList(edges)
