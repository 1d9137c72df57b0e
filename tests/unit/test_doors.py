"""The contract that keeps rooms apart can be broken, and sees every way in that an import has."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import grimp
import pytest

import activefs

ROOT = Path(__file__).parents[2]
PACKAGE = Path(activefs.__file__).parent

sys.path.insert(0, str(ROOT))
from tools import doors  # noqa: E402

sys.path.remove(str(ROOT))


def windows(folder: Path, **files: str) -> list[tuple[str, str]]:
    """Imports that the contract refuses in a package of these files."""
    for name, content in {"study/__init__": "", "study/_state": "x = 1\n", "web/__init__": "", **files}.items():
        path = folder / "house" / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (folder / "house" / "__init__.py").touch()
    sys.path.insert(0, str(folder))
    try:
        graph = grimp.build_graph("house", cache_dir=None)
    finally:
        sys.path.remove(str(folder))
    contract = doors.DoorsContract(name="doors", session_options={}, contract_options={})
    found = contract.check(graph, verbose=False)
    assert found.kept == (not found.metadata["windows"])
    return list(found.metadata["windows"])


class TestContract:
    def test_a_room_may_use_its_own_modules_and_the_doors_of_others(self, tmp_path):
        own = "from house.study import _state\nfrom house.study._state import x\n"
        assert windows(tmp_path, **{"study/_engine": own, "web/app": "from house import study\n"}) == []

    @pytest.mark.parametrize(
        "line",
        [
            "from house.study._state import x",
            "from house.study import _state",
            "import house.study._state",
            "def later():\n    from house.study._state import x",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.study._state import x",
        ],
    )
    def test_nobody_else_may(self, tmp_path, line):
        assert windows(tmp_path, **{"web/app": line + "\n"}) == [("house.web.app", "house.study._state")]


def room_of(path: Path) -> tuple[str, ...]:
    return ("activefs", *path.relative_to(PACKAGE).parent.parts)


def private_modules(path: Path) -> set[str]:
    """Private modules of the package that a file names in imports of stubs and in strings, relative ones made whole."""
    named = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and path.suffix == ".pyi":
            room = room_of(path)
            above = ".".join(room[: len(room) - node.level + 1]) + "." if node.level else ""
            named.add(above + (node.module or ""))
        elif isinstance(node, ast.Constant) and re.fullmatch(r"activefs(\.\w+)+", str(node.value)):
            named.add(str(node.value))
    return {name for name in named if re.search(r"\._(?!kernels\b)", name)}


def foreign_attributes(path: Path) -> list[str]:
    """Private attributes that a file reads from what another room made: ``study._engine``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = {name for node in ast.walk(tree) for name in defined_by(node)}
    return [
        f"{ast.unparse(node)} in line {node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in own
    ]


def defined_by(node: ast.AST) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return {node.attr}
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return {node.id}
    return set()


FILES = sorted(
    path for ending in ("py", "pyi") for path in PACKAGE.rglob(f"*.{ending}") if "migrations" not in path.parts
)


def test_stubs_and_strings_name_no_private_module_of_another_room():
    found = {}
    for path in FILES:
        room = ".".join(room_of(path))
        if foreign := {name for name in private_modules(path) if name.rpartition("._")[0] != room}:
            found[str(path.relative_to(PACKAGE))] = foreign
    assert sum(len(private_modules(path)) for path in FILES) > 50  # the walk finds names at all
    assert found == {}


PUBLIC_ELSEWHERE = {
    "_replace", "_asdict", "_make", "_fields",  # of a named tuple
    "_validate_params",  # of scikit-learn's estimators
    "_exit",  # of os, and described there
}  # fmt: skip


def test_nobody_reads_private_attributes_that_its_room_does_not_define():
    rooms: dict[Path, set[str]] = {}
    for path in FILES:
        names = {name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) for name in defined_by(node)}
        rooms.setdefault(path.parent, set()).update(names)
    found = {}
    for path in FILES:
        strange = [use for use in foreign_attributes(path) if use.split(" in ")[0].rpartition(".")[2] not in
                   {*rooms[path.parent], *PUBLIC_ELSEWHERE, *(p.stem for p in path.parent.iterdir())}]  # fmt: skip
        if strange:
            found[str(path.relative_to(PACKAGE))] = strange
    assert found == {}
