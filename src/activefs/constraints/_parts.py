"""Components by name, their parameters, and models."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from activefs.codec import plain
from activefs.constraints._base import Constraint
from activefs.constraints._text import named_text
from activefs.exceptions import InvalidInputError


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

    def documented(self) -> str:
        """Leave the names out, which are known when the registry is loaded."""
        return f"a name or an object of {self._package}"

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
        return dict(named_text(part, _json_or_text) for part in text)


class Classifier(Constraint):
    """A classifier with probabilities; where text is kept, one of scikit-learn's with plain parameters."""

    metavar = "CLASS"
    refused: tuple[Any, ...] = ("forest", 3)

    def __str__(self) -> str:
        return "a scikit-learn classifier with predict_proba"

    def value(self, given: Any) -> Any:
        """Refuse what is no classifier with probabilities."""
        if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "predict_proba"):
            raise ValueError
        from sklearn.base import is_classifier

        if not is_classifier(given):
            raise InvalidInputError(f"model must be a classifier, got {given!r}")
        if hasattr(given, "_validate_params"):  # scikit-learn's own check, which would come with the first labels
            try:
                given._validate_params()
            except ValueError as error:
                raise InvalidInputError(f"model cannot be used: {error}") from None
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
        return _made(_sklearn_class(content["class"]), content["params"])

    def from_text(self, text: str) -> Any:
        """Read CLASS or CLASS(NAME=VALUE, ...), as in sklearn.ensemble.RandomForestClassifier(n_estimators=50)."""
        name = text.partition("(")[0].strip()
        kind = _sklearn_class(name)
        try:
            call = ast.parse(text.strip(), mode="eval").body
            given = call.keywords if isinstance(call, ast.Call) else []
            if isinstance(call, ast.Call) and call.args:
                raise ValueError
            params = {str(one.arg): ast.literal_eval(one.value) for one in given}
        except (SyntaxError, ValueError):
            raise InvalidInputError(f"write {name}(NAME=VALUE, ...) with plain values, got {text!r}") from None
        return _made(kind, params)


def _json_or_text(text: str) -> Any:
    try:
        return json.loads({"None": "null", "True": "true", "False": "false"}.get(text, text))
    except ValueError:
        return text.strip("'\"")


def _made(kind: Any, params: Mapping[str, Any]) -> Any:
    try:
        return kind(**params)
    except TypeError as error:
        raise InvalidInputError(f"model cannot be made: {error}") from None


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
