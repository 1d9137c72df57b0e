"""A contract for import-linter: a package is entered by its door.

A module whose name begins with an underscore belongs to the package that it lies in: only modules of that package
may import it. What others need, the package's `__init__` offers.
"""

from __future__ import annotations

from typing import Any

from importlinter import Contract, ContractCheck, output


class DoorsContract(Contract):
    """No module imports a private module of another package."""

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        """Look at every import."""
        del verbose
        windows = [
            (importer, imported)
            for importer in sorted(graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if not may_import(importer, imported)
        ]
        return ContractCheck(kept=not windows, metadata={"windows": windows})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name the imports."""
        for importer, imported in check.metadata["windows"]:
            output.print_error(f"{importer} imports the private {imported}: let its package offer what is needed")


def may_import(importer: str, imported: str) -> bool:
    """Whether a module may import another.

    Examples
    --------
    >>> may_import("a.study._engine", "a.study._state"), may_import("a.web.app", "a.study._state")
    (True, False)
    """
    parts = imported.split(".")
    for i, part in enumerate(parts):
        if part.startswith("_"):
            owner = ".".join(parts[:i])
            if importer != owner and not importer.startswith(f"{owner}."):
                return False
    return True
