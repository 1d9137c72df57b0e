"""Numbers, words and text."""

from __future__ import annotations

from typing import Any

from activefs.constraints._base import Constraint


class Whole(Constraint):
    """A whole number from `least` to `most`.

    Examples
    --------
    >>> Whole(1).check("k", 0)
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: k must be a whole number of at least 1, got 0
    """

    metavar = "INTEGER"

    def __init__(self, least: int, most: int | None = None) -> None:
        self._least, self._most = least, most
        self.refused = (least - 1, 2.5, "three", True, None, [1])

    def __str__(self) -> str:
        if self._most is None:
            return f"a whole number of at least {self._least}"
        return f"a whole number from {self._least} to {self._most:,}"

    def value(self, given: Any) -> int:
        """Refuse fractions and booleans."""
        if isinstance(given, bool) or not isinstance(given, int):
            raise TypeError
        if given < self._least or (self._most is not None and given > self._most):
            raise ValueError
        return given

    def from_text(self, text: str) -> Any:
        """Read a whole number."""
        try:
            return int(text)
        except ValueError:
            return text


_LARGEST = 1e300
"""Larger whole numbers are no floating-point numbers."""


class Number(Constraint):
    """A finite number above (and below) something.

    Examples
    --------
    >>> Number(above=0, below=1).check("delta", 1)
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: delta must be a number strictly between 0 and 1, got 1
    """

    metavar = "NUMBER"

    def __init__(self, above: float, below: float = float("inf")) -> None:
        self._above, self._below = above, below
        self.refused = (above, below, float("nan"), "much", True, [1.0])

    def __str__(self) -> str:
        if self._below == float("inf"):
            return f"a number above {self._above:g}"
        return f"a number strictly between {self._above:g} and {self._below:g}"

    def value(self, given: Any) -> float:
        """Refuse what is no number, or outside."""
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise TypeError
        if not self._above < given < self._below or abs(given) > _LARGEST:
            raise ValueError
        return given

    def from_text(self, text: str) -> Any:
        """Read a number."""
        try:
            return float(text)
        except ValueError:
            return text


class Choice(Constraint):
    """One of a few words.

    Examples
    --------
    >>> Choice("stop", "continue").check("when_certified", "go")
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: when_certified must be 'stop' or 'continue', got 'go'
    """

    def __init__(self, *words: str) -> None:
        self.words = words
        self.metavar = "|".join(words)  # type: ignore[misc]
        self.refused = ("something else", 1, None, [words[0]])

    def __str__(self) -> str:
        return ", ".join(map(repr, self.words[:-1])) + f" or {self.words[-1]!r}"

    def value(self, given: Any) -> str:
        """Refuse other words."""
        if not isinstance(given, str) or given not in self.words:
            raise ValueError
        return given


class Text(Constraint):
    """Text, such as the name of a column."""

    refused: tuple[Any, ...] = (1, [], "")

    def __str__(self) -> str:
        return "text that is not empty"

    def value(self, given: Any) -> str:
        """Refuse what is no text."""
        if not isinstance(given, str) or not given.strip():
            raise ValueError
        return given


class Seed(Constraint):
    """What numpy and scikit-learn take as a seed."""

    metavar = "INTEGER"
    refused: tuple[Any, ...] = (-1, 1.5, "seed", True)

    def __str__(self) -> str:
        return "None, a whole number of at least 0, or a numpy generator"

    def value(self, given: Any) -> Any:
        """Refuse other numbers."""
        if given is None or (isinstance(given, int) and not isinstance(given, bool) and given >= 0):
            return given
        if type(given).__name__ in ("Generator", "RandomState") and type(given).__module__.startswith("numpy.random"):
            return given
        raise ValueError

    def from_text(self, text: str) -> Any:
        """Read a whole number; 'none' is None."""
        return None if text in ("none", "None") else Whole(0).from_text(text)


class Jobs(Constraint):
    """A number of threads by scikit-learn's convention."""

    metavar = "INTEGER"
    refused: tuple[Any, ...] = (0, 1.5, "two", True)

    def __str__(self) -> str:
        return "None, a number of threads, or -1 for all cores"

    def value(self, given: Any) -> Any:
        """Refuse 0 and what is no whole number."""
        if given is None or (isinstance(given, int) and not isinstance(given, bool) and given != 0):
            return given
        raise ValueError

    def from_text(self, text: str) -> Any:
        """Read a whole number; 'none' is None."""
        return None if text in ("none", "None") else Whole(0).from_text(text)
