"""Columns of the table beside the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from activefs.study._engine import StudyEngine
from activefs.study.exports._labels import COLUMNS, OVERLAP, REMARKS
from activefs.study.exports._spreadsheet import MARK

PREFIX = "table."
_OURS = {*COLUMNS, *REMARKS, *OVERLAP, MARK}


def joined(engine: StudyEngine, rows: Sequence[int]) -> Any:
    """Return the rows of the table, with names that differ from all of ours.

    A name of ours is one also where this export has no such column: who imports the file must not take a column of the
    table for it.
    """
    table = engine.table.rows(rows)
    return table.rename_columns(own_names(table.column_names))


def own_names(names: Sequence[str]) -> list[str]:
    """Put `table.` before names that mean something else in an export, once more if that is a name of the table too.

    Examples
    --------
    >>> own_names(["age", "label", "note", "table.note"])
    ['age', 'table.label', 'table.table.note', 'table.note']
    """
    found = []
    for name in names:
        new = name
        while new in _OURS or (new != name and new in names):
            new = PREFIX + new
        found.append(new)
    return found
