"""The list of classes: fixed from the start, or growing as labels turn up."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.tables import is_missing

# Up to this many classes may turn up without any of them being seen twice.
_MANY = 64


class ClassList:
    """Labels and their class numbers.

    Parameters
    ----------
    classes : sequence, optional
        All possible labels, at least two. Without it every new label is a new class.

    Examples
    --------
    >>> classes = ClassList()
    >>> classes.code("ill"), classes.code("healthy"), classes.code("ill")
    (0, 1, 0)
    >>> classes.values
    ('ill', 'healthy')
    """

    def __init__(self, classes: Sequence[Any] | None = None) -> None:
        self.fixed = classes is not None
        self._code_of: dict[Any, int] = {}
        if classes is None:
            return
        if isinstance(classes, str) or not hasattr(classes, "__len__"):
            raise InvalidInputError(f"classes must be a list of labels, got {classes!r}")
        for label in classes:
            self._code_of.setdefault(_plain(label), len(self._code_of))
        if len(self._code_of) != len(classes):
            raise InvalidInputError(f"classes has a label twice: {list(classes)!r}")
        if len(self._code_of) < 2:
            raise InvalidInputError(f"classes must name at least two labels, got {list(classes)!r}")

    @property
    def values(self) -> tuple[Any, ...]:
        """The labels, in the order of their numbers."""
        return tuple(self._code_of)

    @property
    def count(self) -> int:
        """Number of classes to reckon with: at least two, even before they were seen."""
        return max(2, len(self._code_of))

    def check(self, label: Any) -> Any:
        """Return the label as a plain value; refuse missing ones and those outside a fixed list."""
        value = _plain(label)
        if self.fixed and value not in self._code_of:
            known = ", ".join(map(repr, self._code_of))
            raise InvalidLabelError(f"label {value!r} is none of the classes: {known}")
        return value

    def code(self, label: Any) -> int:
        """Class number of a label, a new one for a new label."""
        return self._code_of.setdefault(self.check(label), len(self._code_of))

    def check_growth(self, labels: Iterable[Any], told: int) -> None:
        """Refuse new labels that are numbers or names rather than classes; `told` labels there are already."""
        if self.fixed:
            return
        new = list(labels)
        count, total = len({*self._code_of, *new}), told + len(new)
        if count > _MANY and count > total / 2:
            raise InvalidLabelError(
                f"there are {count} different labels among {total}: labels must be classes that rows share. "
                "Put numbers into a few ranges first, or name the classes with classes="
            )

    def shrink(self, used: set[int]) -> None:
        """Forget classes that turned up last and are used no more."""
        while not self.fixed and self._code_of and len(self._code_of) - 1 not in used:
            self._code_of.popitem()


def _plain(label: Any) -> Any:
    """Return a numpy or Arrow scalar as the plain value that it holds; refuse missing labels."""
    value = label
    if isinstance(label, (np.generic, np.ndarray)) and np.size(label) == 1:
        value = label.item()
    elif hasattr(label, "as_py"):
        value = label.as_py()
    if not isinstance(value, Hashable):
        raise InvalidLabelError(f"a label must be a string, number or boolean, got {value!r}")
    if is_missing(value):
        raise InvalidLabelError(f"the label is missing ({value!r}); use skip() for a row that cannot be labelled")
    return value
