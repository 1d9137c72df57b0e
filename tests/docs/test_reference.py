"""Every public name is in the reference, and what is in the reference is there."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from tools.snippets import ROOT

from activefs import ActiveFeatureSelector, Pool, Selection, Session, Study

# Everything behind these doors is public, but for constants and registries, which functions speak for.
WHOLLY_PUBLIC = (
    "activefs",
    "activefs.agreement",
    "activefs.allocation",
    "activefs.criteria",
    "activefs.datasets",
    "activefs.exceptions",
    "activefs.intervals",
    "activefs.label_studio",
    "activefs.redundancy",
    "activefs.strategies",
    "activefs.testing",
    "activefs.web",
)


def listed() -> set[str]:
    found: set[str] = set()
    for page in (ROOT / "docs" / "reference").glob("*.rst"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if current := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = current[1]
            elif name := re.fullmatch(r"   (\w+)", line):
                found.add(f"{module}.{name[1]}")
    return found


LISTED = listed()


@pytest.mark.parametrize("module", WHOLLY_PUBLIC)
def test_every_public_name_is_listed(module):
    package = importlib.import_module(module)
    names = {n for n in package.__all__ if not n.isupper() and not n.startswith("_")}
    names -= {n for n in names if inspect.ismodule(getattr(package, n))}
    assert {f"{module}.{name}" for name in names} <= LISTED


@pytest.mark.parametrize("name", sorted(LISTED))
def test_what_is_listed_is_documented(name):
    module, _, short = name.rpartition(".")
    found = getattr(importlib.import_module(module), short)
    said = inspect.getdoc(found) or ""
    assert said.strip(), "it has no docstring"
    assert not said.startswith(f"{short}("), "a docstring that was made up by dataclasses"


# What most people look up: here a sentence is not enough.
MOST_USED = (Session, Study, ActiveFeatureSelector, Selection, Pool)


def sections(thing: Any) -> Any:
    """The docstring as numpydoc reads it, which comes with what builds the pages."""
    NumpyDocString = pytest.importorskip("numpydoc.docscrape").NumpyDocString
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a section that is not known, or is there twice
        return NumpyDocString(inspect.getdoc(thing) or "")


def undocumented(thing: Callable[..., Any]) -> set[str]:
    """Arguments that neither Parameters nor Attributes, as those of a dataclass, tell of with a sentence."""
    said = sections(thing)
    told = [entry for part in ("Parameters", "Attributes") for entry in said[part] if any(entry.desc)]
    names = {name.strip().lstrip("*") for entry in told for name in entry.name.split(",")}
    return {name for name in inspect.signature(thing).parameters if name not in ("self", "cls")} - names


def methods_of(kind: type) -> dict[str, Callable[..., Any]]:
    """Public methods that a class has itself, as they are called; what it has from scikit-learn is told there."""
    own = {name: getattr(kind, name) for name in vars(kind) if not name.startswith("_")}
    return {f"{kind.__name__}.{name}": x for name, x in own.items() if inspect.isfunction(x) or inspect.ismethod(x)}


METHODS = {name: method for kind in MOST_USED for name, method in methods_of(kind).items()}


def test_arguments_that_nobody_tells_of_are_found():
    def told(row, label, callback=None):
        """Take a label.

        Parameters
        ----------
        row : int
            The row.
        label : str
        """

    assert undocumented(told) == {"label", "callback"}
    assert {"Session.ask", "Session.load", "Study.create", "Pool.from_table", "Selection.to_frame"} <= set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_every_argument_of_the_most_used_classes_is_documented(name):
    assert not undocumented(METHODS[name])


@pytest.mark.parametrize("name", METHODS)
def test_what_the_most_used_methods_return_is_documented(name):
    returned = inspect.signature(METHODS[name]).return_annotation
    if returned not in (None, "None"):
        assert sections(METHODS[name])["Returns"]


@pytest.mark.parametrize("kind", MOST_USED)
def test_the_most_used_classes_have_arguments_an_example_and_what_is_near_them(kind):
    assert not undocumented(kind)
    for part in ("Examples", "See Also", "Notes"):
        assert sections(kind)[part], f"no {part}"
