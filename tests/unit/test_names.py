"""Two classes of one name in the house are one too many."""

from __future__ import annotations

import ast
from pathlib import Path

import activefs

PACKAGE = Path(activefs.__file__).parent


def public_classes() -> dict[str, list[str]]:
    """Every public class of the package, and the files that define one of that name."""
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    return found


def test_every_public_class_has_a_name_of_its_own() -> None:
    found = public_classes()
    assert "Session" in found and len(found) > 100  # the walk finds classes at all
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
