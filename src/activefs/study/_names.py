"""What rows are called: by the id column, or by their position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from activefs.codec import text_of
from activefs.exceptions import InvalidInputError
from activefs.storages import RowName, Storage


class RowNames:
    """Names of rows, without the table as far as the storage knows them.

    Parameters
    ----------
    storage : Storage
        Keeps the names of rows, of all of them or of those that were used.
    n_rows : int
        Rows of the table.
    ids : callable or None
        Gives all ids from the table; None if rows are known by their position.
    """

    def __init__(self, storage: Storage, n_rows: int, ids: Callable[[], tuple[RowName, ...]] | None) -> None:
        self._storage, self._n_rows, self._ids = storage, n_rows, ids
        self._name_of: dict[int, RowName] = {}
        self._kept: set[int] = set()  # rows whose names the storage is known to have
        self._row_of: dict[str, int] | None = None

    def of(self, row: int) -> RowName:
        """Name a row: its id, or its position."""
        return self.of_all([row])[row]

    def of_all(self, rows: Iterable[int]) -> Mapping[int, RowName]:
        """Name rows."""
        wanted = list(rows)
        if self._ids is None:
            return {row: row for row in wanted}
        self._look_up(wanted)
        if any(row not in self._name_of for row in wanted):
            self._name_of.update(enumerate(self._ids()))
        return {row: self._name_of[row] for row in wanted}

    def not_kept(self, rows: Iterable[int]) -> Mapping[int, RowName]:
        """Name those of the rows whose names the storage does not have; none if rows are known by their position."""
        if self._ids is None:
            return {}
        wanted = list(rows)
        self._look_up([row for row in wanted if row not in self._kept])
        return self.of_all(row for row in wanted if row not in self._kept)

    def row(self, name: Any) -> int:
        """Find a row by its name."""
        text = text_of(name)
        if self._ids is None:
            if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) >= self._n_rows:
                raise InvalidInputError(f"rows are numbered from 0 to {self._n_rows - 1}; got {text[:80]!r}")
            return int(text)
        if self._row_of is None:
            self._row_of = self._index()
        if text not in self._row_of:
            raise InvalidInputError(f"there is no row with the id {text[:80]!r}")
        return self._row_of[text]

    def _index(self) -> dict[str, int]:
        assert self._ids is not None
        kept = self._storage.row_names()
        self._name_of.update(kept if len(kept) == self._n_rows else enumerate(self._ids()))
        found: dict[str, int] = {}
        for row, name in sorted(self._name_of.items()):
            # Of two ids that differ in spaces or accents only (older studies allowed that) the first is found.
            found.setdefault(text_of(name), row)
        return found

    def _look_up(self, rows: list[int]) -> None:
        if unknown := [row for row in rows if row not in self._kept]:
            found = self._storage.row_names(unknown)
            self._name_of.update(found)
            self._kept.update(found)
