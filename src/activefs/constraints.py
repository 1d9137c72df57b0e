"""What a setting accepts: checked in one place, with one wording, for Python, stored settings and the command line.

Every constraint says in words what it accepts, makes plain values of numpy's, writes its values as JSON and reads
them, reads them from the text of a command line, and names a few values that it refuses, which the tests try.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, ClassVar

from activefs.codec import label_from_text, normal, plain, plain_label
from activefs.exceptions import InvalidInputError

BINNINGS = ("kmeans", "quantile", "uniform")


class Constraint(ABC):
    """What a setting accepts.

    Attributes
    ----------
    many : bool
        Whether its command-line option may be given several times.
    metavar : str
        What the command line calls the value.
    refused : tuple
        Some values that are refused.
    """

    many: ClassVar[bool] = False
    metavar: ClassVar[str] = "TEXT"
    refused: tuple[Any, ...] = ()

    @abstractmethod
    def __str__(self) -> str:
        """Say what is accepted, so that 'must be ...' can stand before it."""

    @abstractmethod
    def value(self, given: Any) -> Any:
        """Return what was given as it is kept.

        Raises
        ------
        ValueError, TypeError
            If it is not accepted.
        """

    def check(self, name: str, given: Any) -> Any:
        """Return what was given as it is kept; an error that names the setting if it is not accepted."""
        try:
            return self.value(plain(given))
        except InvalidInputError:
            raise
        except (ValueError, TypeError):
            raise InvalidInputError(f"{name} must be {self}, got {given!r}") from None

    def to_json(self, name: str, value: Any) -> Any:
        """Write a value as what JSON can hold."""
        return value

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return content

    def from_text(self, text: str) -> Any:
        """Read a value from a command line."""
        return text


class Optional(Constraint):
    """None, or what another constraint accepts."""

    def __init__(self, inner: Constraint) -> None:
        self.inner = inner
        self.many, self.metavar = inner.many, inner.metavar  # type: ignore[misc]
        self.refused = tuple(v for v in inner.refused if v is not None)

    def __str__(self) -> str:
        return f"{self.inner} or None"

    def value(self, given: Any) -> Any:
        """Let None pass."""
        return None if given is None else self.inner.value(given)

    def to_json(self, name: str, value: Any) -> Any:
        """Write it."""
        return None if value is None else self.inner.to_json(name, value)

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return None if content is None else self.inner.from_json(content)

    def from_text(self, text: Any) -> Any:
        """Read it; 'none' is None, unless it means something."""
        return None if text == "none" else self.inner.from_text(text)


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
        if not self._above < given < self._below:
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


class Part(Constraint):
    """A component (strategy, criterion, rule) by name, or as an object.

    Parameters
    ----------
    package : str
        The package that has the registry.
    """

    refused: tuple[Any, ...] = ("no such thing", 3, None)

    def __init__(self, package: str) -> None:
        self._package = package

    @property
    def registry(self) -> Any:
        """The registry that knows all names."""
        return import_module(self._package).REGISTRY

    def __str__(self) -> str:
        return f"a {self.registry.kind}: {', '.join(self.registry.available())}"

    def value(self, given: Any) -> Any:
        """Refuse unknown names; parameters are checked when the component is made."""
        return self.registry.known(given)

    def to_json(self, name: str, value: Any) -> Any:
        """Write the name; an object with parameters is written by whoever keeps name and parameters apart."""
        if isinstance(value, str):
            return value
        registered = self.registry.classes().get(value.name) is type(value)
        if not registered or value != type(value)():
            raise InvalidInputError(
                f"{name} must be given by name where settings are kept as text; got the object {value!r}"
            )
        return value.name


class Parameters(Constraint):
    """Parameters by name."""

    many = True
    metavar = "NAME=VALUE"
    refused: tuple[Any, ...] = ("psi", ["psi"], {1: 2})

    def __str__(self) -> str:
        return "a mapping from names of parameters to values"

    def value(self, given: Any) -> dict[str, Any]:
        """Refuse what is no mapping from text."""
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise TypeError
        return {name: plain(value) for name, value in given.items()}

    def to_json(self, name: str, value: Any) -> Any:
        """Refuse values that text cannot hold."""
        try:
            return json.loads(json.dumps(value))
        except TypeError:
            raise InvalidInputError(f"{name} must hold text and numbers only where it is kept; got {value!r}") from None

    def from_text(self, text: Any) -> dict[str, Any]:
        """Read NAME=VALUE; a value is JSON if it can be, else text."""
        return dict(_named_text(part, _json_or_text) for part in text)


class PerColumn(Constraint):
    """A value for all columns, or a mapping from names of columns.

    Parameters
    ----------
    for_all, for_one : Constraint
        What is accepted for all columns, and for a single one.
    """

    many = True
    metavar = "[COLUMN=]VALUE"

    def __init__(self, for_all: Constraint, for_one: Constraint) -> None:
        self._all, self._one = for_all, for_one
        self.refused = (*for_all.refused, *({"age": bad} for bad in for_one.refused))

    def __str__(self) -> str:
        return f"{self._all}, or a mapping from columns to {self._one}"

    def check(self, name: str, given: Any) -> Any:
        """Check every value; the error names the column."""
        if isinstance(given, Mapping):
            return {str(c): self._one.check(f"{name} of column {c!r}", value) for c, value in given.items()}
        return super().check(name, given)

    def value(self, given: Any) -> Any:
        """Check a value for all columns."""
        return self._all.value(given)

    def from_text(self, text: Any) -> Any:
        """Read VALUE once, or COLUMN=VALUE several times."""
        if len(text) == 1 and "=" not in text[0]:
            return self._all.from_text(text[0])
        return dict(_named_text(part, self._one.from_text) for part in text)


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
    refused: tuple[Any, ...] = ("ab", 3, ["a"], ["a", "a"], ["1", 1], ["a", " a"], ["a", None], [[1], [2]])

    def __str__(self) -> str:
        return "a list of at least two different labels"

    def value(self, given: Any) -> tuple[Any, ...]:
        """Refuse a label twice; 1 and '1' are the same."""
        if isinstance(given, str) or not hasattr(given, "__len__"):
            raise InvalidInputError(f"classes must be a list of labels, got {given!r}")
        labels = tuple(plain_label(label) for label in given)
        if len({str(label) for label in labels}) != len(labels):
            raise InvalidInputError(f"classes has a label twice: {list(given)!r}")
        if len(labels) < 2:
            raise InvalidInputError(f"classes must name at least two labels, got {list(given)!r}")
        return labels

    def to_json(self, name: str, value: Any) -> Any:
        """Write a list."""
        return list(value)

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return tuple(content)

    def from_text(self, text: str) -> Any:
        """Read labels with commas between; those that are all whole numbers are numbers."""
        said = [normal(part) for part in text.split(",")]
        read = [label_from_text(part) for part in said]
        return read if all(isinstance(label, int) for label in read) else said


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


class Classifier(Constraint):
    """A classifier with probabilities, not fitted; where text is kept, one of scikit-learn's with plain parameters."""

    metavar = "sklearn.MODULE.CLASS"
    refused: tuple[Any, ...] = ("forest", 3)

    def __str__(self) -> str:
        return "a scikit-learn classifier with predict_proba, not yet fitted"

    def value(self, given: Any) -> Any:
        """Refuse what is no classifier with probabilities."""
        if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "predict_proba"):
            raise ValueError
        from sklearn.base import is_classifier

        if not is_classifier(given):
            raise InvalidInputError(f"model must be a classifier, got {given!r}")
        return given

    def to_json(self, name: str, value: Any) -> Any:
        """Write class and parameters."""
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        params = value.get_params(deep=False)
        try:
            if not kind.startswith("sklearn."):
                raise TypeError
            return {"class": kind, "params": json.loads(json.dumps(params))}
        except TypeError:
            raise InvalidInputError(
                f"{name} must be a classifier of scikit-learn whose parameters are text and numbers where it is kept "
                f"with other settings; got {value!r}"
            ) from None

    def from_json(self, content: Any) -> Any:
        """Make it again; nothing but scikit-learn's own classifiers is ever loaded."""
        return _sklearn_class(content["class"])(**content["params"])

    def from_text(self, text: str) -> Any:
        """Read CLASS or CLASS(NAME=VALUE, ...), as in sklearn.ensemble.RandomForestClassifier(n_estimators=50)."""
        name, _, inside = text.partition("(")
        parts = [part for part in inside.rstrip(") ").split(",") if part.strip()]
        return _sklearn_class(name.strip())(**dict(_named_text(part, _json_or_text) for part in parts))


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
        """Read a whole number."""
        return Whole(0).from_text(text)


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
        """Read a whole number."""
        return Whole(0).from_text(text)


def _named_text(part: str, read: Callable[[str], Any]) -> tuple[str, Any]:
    name, separator, value = part.rpartition("=") if part.count("=") == 1 else part.partition("=")
    if not separator or not name.strip():
        raise InvalidInputError(f"write NAME=VALUE, got {part!r}")
    return name.strip(), read(value.strip())


def _json_or_text(text: str) -> Any:
    try:
        return json.loads({"None": "null", "True": "true", "False": "false"}.get(text, text))
    except ValueError:
        return text.strip("'\"")


def _sklearn_class(name: str) -> Any:
    module, _, kind = name.rpartition(".")
    found = None
    if module.split(".")[0] == "sklearn":
        try:
            found = getattr(import_module(module), kind, None)
        except ImportError:
            found = None
    from sklearn.base import BaseEstimator

    if not isinstance(found, type) or not issubclass(found, BaseEstimator):
        raise InvalidInputError(
            f"there is no classifier {name!r} in scikit-learn; write sklearn.linear_model.LogisticRegression, say"
        )
    return found


# How columns are read: the options of a session and a pool made by hand accept the same.
BINNING = PerColumn(Choice(*BINNINGS), Choice(*BINNINGS, "none"))
BINS = PerColumn(Whole(2, 65_535), Whole(2, 65_535))
MISSING = Choice("error", "value")
IGNORE = Columns()
