"""Every public name is in the reference, and what is in the reference is there."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest
from tools.snippets import ROOT

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
