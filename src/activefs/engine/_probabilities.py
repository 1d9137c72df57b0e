"""A label that is not settled: what is known of it are class probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from math import fsum, isfinite
from typing import Any

from activefs.codec import plain, plain_label, text_of
from activefs.exceptions import InvalidLabelError

_ROUNDING = 1e-6
"""By how much probabilities that people wrote may miss 1; they are divided by their sum."""
_EXACT = 1e-12
"""Sums this near to 1 stay as they are, so that reading what was written changes no digit."""


class ClassProbabilities(Mapping[Any, float]):
    """Class probabilities of a row whose label is not settled, such as one that two annotators see differently.

    The likeliest class comes first, equal ones by their names, and classes that cannot be are left out: two that say
    the same are equal, however they were written. With one class that is certain, :meth:`as_label` is that class.

    Parameters
    ----------
    probabilities : mapping or pairs
        The probability of each class, not negative, adding up to 1 but for rounding (1e-6).

    Examples
    --------
    >>> label = ClassProbabilities({"healthy": 0.25, "ill": 0.75, "dead": 0})
    >>> label
    ClassProbabilities({'ill': 0.75, 'healthy': 0.25})
    >>> label == {"healthy": 0.25, "ill": 0.75}, label.as_label() is label
    (True, True)
    >>> ClassProbabilities({"ill": 1}).as_label()
    'ill'
    """

    __slots__ = ("_of",)

    def __init__(self, probabilities: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> None:
        pairs = list(probabilities.items() if isinstance(probabilities, Mapping) else probabilities)
        classes = _different([_class(name) for name, _ in pairs])
        numbers = [_probability(name, p) for name, (_, p) in zip(classes, pairs, strict=True)]
        total = fsum(numbers)
        if not numbers or abs(total - 1.0) > _ROUNDING:
            adding = f"these add up to {total:.6g}" if numbers else "and there are none"
            raise InvalidLabelError(f"class probabilities must add up to 1, {adding}: {_written(pairs)}")
        if abs(total - 1.0) > _EXACT:
            numbers = [p / total for p in numbers]
        found = [(name, p) for name, p in zip(classes, numbers, strict=True) if p > 0.0]
        self._of: dict[Any, float] = dict(sorted(found, key=lambda pair: (-pair[1], text_of(pair[0]))))

    def as_label(self) -> Any:
        """Return the class if there is one only, else these probabilities."""
        return next(iter(self._of)) if len(self._of) == 1 else self

    def __getitem__(self, name: Any) -> float:
        return self._of[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def __hash__(self) -> int:
        return hash(frozenset(self._of.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._of!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self._of),)


def is_uncertain(label: Any) -> bool:
    """Whether a label is given as class probabilities.

    Examples
    --------
    >>> is_uncertain({"ill": 0.7, "healthy": 0.3}), is_uncertain("ill")
    (True, False)
    """
    return isinstance(label, Mapping)


def _class(name: Any) -> Any:
    if is_uncertain(name):
        raise InvalidLabelError(f"class probabilities are of classes, got {name!r} as one")
    return plain_label(name)


def _different(classes: list[Any]) -> list[Any]:
    """Refuse a class that is named twice, in whatever writing."""
    seen: set[Any] = set()
    for name in classes:
        if name in seen or text_of(name) in seen:
            raise InvalidLabelError(f"the class {name!r} has two probabilities: give it one")
        seen |= {name, text_of(name)}
    return classes


def _probability(name: Any, given: Any) -> float:
    value = plain(given)
    number = isinstance(value, (int, float, Fraction, Decimal)) and not isinstance(value, bool)
    try:
        p = float(value) if number else -1.0
    except (OverflowError, ValueError):
        p = -1.0
    if not isfinite(p) or not 0.0 <= p <= 1.0 + _ROUNDING:
        raise InvalidLabelError(f"the probability of the class {name!r} must be a number from 0 to 1, got {value!r}")
    return p


def _written(pairs: list[tuple[Any, Any]]) -> str:
    text = repr(dict(pairs))
    return text if len(text) <= 200 else f"{text[:200]}..."
