"""The list of classes: fixed from the start, or growing as labels turn up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from typing import Any

from activefs.codec import label_from_text, number_from_text, plain_label, text_of
from activefs.constraints import Labels
from activefs.engine._probabilities import ClassProbabilities, is_uncertain
from activefs.exceptions import InvalidLabelError
from activefs.measurements import ADVICE, MANY_CLASSES, all_different, is_infinite, is_real

_LISTED = 20
"""Classes that an error names; it must stay a sentence."""


class ClassList:
    """Labels and their class numbers. Labels that are equal (1 and 1.0) or written alike (1 and "1") are one class.

    Parameters
    ----------
    classes : sequence, optional
        All possible labels, at least two. Without it every new label is a new class.
    advice : str
        What to do if labels are measurements.

    Examples
    --------
    >>> classes = ClassList()
    >>> classes.code("ill"), classes.code("healthy"), classes.code(" ill")
    (0, 1, 0)
    >>> classes.values
    ('ill', 'healthy')
    """

    def __init__(self, classes: Sequence[Any] | None = None, advice: str = ADVICE) -> None:
        self.fixed = classes is not None
        self._advice = advice
        self._code_of: dict[Any, int] = {}
        self._by_text: dict[str, Any] = {}
        self._equal: dict[Any, Any] = {}  # 1.0 and True lead to 1 if that came first
        for label in () if classes is None else Labels().check("classes", classes):
            self._add(label)

    @property
    def values(self) -> tuple[Any, ...]:
        """The labels, in the order of their numbers."""
        return tuple(self._code_of)

    @property
    def count(self) -> int:
        """Number of classes to reckon with: at least two, even before they were seen."""
        return max(2, len(self._code_of))

    def check(self, label: Any) -> Any:
        """Return the label as it is kept; refuse missing ones, those outside a fixed list, and numbers with a fraction.

        Such a number is a measurement: it is noticed at the first label, before a budget is spent on it. A mapping from
        classes to their probabilities is checked class by class, and kept as `ClassProbabilities`.
        """
        return self._check_probabilities(label) if is_uncertain(label) else self._check_class(label)

    def class_of(self, label: Any) -> Any:
        """Return the class of a label that was told, by its name; for a new label, that is the label itself."""
        value = plain_label(label)
        if value in self._code_of:
            return self._equal[value]
        if (known := self._by_text.get(text_of(value))) is not None:
            return known
        if self.fixed:
            raise InvalidLabelError(f"label {value!r} is none of the classes: {self._listed()}")
        return value

    def check_text(self, text: str) -> Any:
        """Return the label that text from a form, a file or a terminal stands for."""
        known = self._by_text.get(text_of(text))
        if known is None:
            known = self._equal.get(number_from_text(text))
        return known if known is not None else self.check(text if self.fixed else label_from_text(text))

    def checked(self, labels: Iterable[Any]) -> list[Any]:
        """Return labels as they are kept if they are told one after the other; the list itself stays as it is.

        Examples
        --------
        >>> ClassList().checked(["1", 1, " ill"])
        ['1', '1', 'ill']
        """
        later = copy(self)
        later._code_of, later._by_text, later._equal = dict(self._code_of), dict(self._by_text), dict(self._equal)
        kept = []
        for label in labels:
            kept.append(later.check(label))
            later.weights(kept[-1])
        return kept

    def code(self, label: Any) -> int:
        """Class number of a label that was told, a new one for a new label."""
        value = self.class_of(label)
        if value not in self._code_of:
            self._add(value)
        return self._code_of[value]

    def weights(self, label: Any) -> dict[int, float]:
        """Class numbers of a label that was told, the likeliest first, with their probabilities.

        Examples
        --------
        >>> ClassList(["ill", "healthy"]).weights({"healthy": 0.75, "ill": 0.25})
        {1: 0.75, 0: 0.25}
        >>> ClassList().weights("ill")
        {0: 1.0}
        """
        if not is_uncertain(label):
            return {self.code(label): 1.0}
        return {self.code(name): p for name, p in ClassProbabilities(label).items()}

    def names(self, label: Any) -> tuple[Any, ...]:
        """Return the classes that a label that was told is of, or may be of."""
        return (self.class_of(label),) if not is_uncertain(label) else tuple(map(self.class_of, label))

    def check_growth(self, labels: Iterable[Any], told: int) -> None:
        """Refuse new labels that are numbers or names rather than classes; `told` labels there are already."""
        if self.fixed:
            return
        new = list(labels)
        count, total = len({*self._by_text, *map(text_of, _classes_in(new))}), told + len(new)
        if count > MANY_CLASSES and count > total / 2:
            raise InvalidLabelError(
                f"there are {count:,} different labels among {total:,}, while labels must be classes that rows share: "
                f"{self._advice}"
            )

    def caution(self, told: int, more: Collection[Any] = ()) -> str:
        """Say that the `told` labels look like a measurement; nothing if they do not, or if the classes are fixed.

        With `more`, checked labels that come after them: say it if it was not to be said before.
        """
        if self.fixed:
            return ""
        said = all_different(self._code_of, told, self._advice)
        if not more:
            return said
        classes = dict.fromkeys([*self._code_of, *_classes_in(more)])
        return "" if said else all_different(classes, told + len(more), self._advice)

    def shrink(self, used: set[int]) -> None:
        """Forget classes that turned up last and are used no more."""
        while not self.fixed and self._code_of and len(self._code_of) - 1 not in used:
            label, _ = self._code_of.popitem()
            del self._by_text[text_of(label)], self._equal[label]

    def _check_class(self, label: Any) -> Any:
        value = self.class_of(label)
        if value not in self._code_of and is_infinite(value):
            raise InvalidLabelError(
                f"the label {value!r} is not finite: correct it, or skip the row if nobody knows its label"
            )
        if value not in self._code_of and is_real(value):
            raise InvalidLabelError(
                f"the label {value!r} is a number with a fraction, while labels must be classes that rows share: "
                f"{self._advice}"
            )
        return value

    def _check_probabilities(self, given: Any) -> Any:
        """Return class probabilities as they are kept; the class itself, if there is one only."""
        # Classes that cannot be are looked at as well: a misspelt one would be lost without a word.
        return ClassProbabilities((self._check_class(name), p) for name, p in given.items()).as_label()

    def _listed(self) -> str:
        """Name the classes, the first of them if there are many."""
        more = f" and {len(self._code_of) - _LISTED:,} more" if len(self._code_of) > _LISTED else ""
        return ", ".join(map(repr, self.values[:_LISTED])) + more

    def _add(self, label: Any) -> None:
        self._code_of[label] = len(self._code_of)
        self._by_text[text_of(label)] = self._equal[label] = label


def _classes_in(labels: Iterable[Any]) -> list[Any]:
    """Return the classes of labels, all of those that are not settled."""
    return [name for label in labels for name in (label if is_uncertain(label) else (label,))]
