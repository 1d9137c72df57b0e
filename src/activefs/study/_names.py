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
        self._row_of: dict[str, int] | None = None
        self._read = False
        self._kept: frozenset[int] = frozenset()

    def of(self, row: int) -> RowName:
        """Name a row: its id, or its position."""
        if self._ids is None:
            return row
        if row not in self._name_of:
            self.load()
        if row not in self._name_of:
            self._from_table()
        return self._name_of[row]

    def row(self, name: Any) -> int:
        """Find a row by its name."""
        text = text_of(name)
        if self._ids is None:
            if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) >= self._n_rows:
                raise InvalidInputError(f"rows are numbered from 0 to {self._n_rows - 1}; got {text[:80]!r}")
            return int(text)
        self.load()
        if text not in self._index() and len(self._name_of) < self._n_rows:
            self._from_table()
        if text not in self._index():
            raise InvalidInputError(f"there is no row with the id {text[:80]!r}")
        return self._index()[text]

    def not_kept(self, rows: Iterable[int]) -> Mapping[int, RowName]:
        """Name rows whose names the storage did not have; none if rows are known by their position."""
        return {} if self._ids is None else {row: self.of(row) for row in rows if row not in self._kept}

    def _index(self) -> dict[str, int]:
        if self._row_of is None:
            # Of two ids that differ in spaces or accents only (older studies allowed that) the first is found.
            self._row_of = {}
            for row, name in sorted(self._name_of.items()):
                self._row_of.setdefault(text_of(name), row)
        return self._row_of

    def load(self) -> None:
        """Read what the storage knows, once."""
        if not self._read and self._ids is not None:
            self._name_of.update(self._storage.row_names())
            self._kept = frozenset(self._name_of)
            self._row_of = None
            self._read = True

    def _from_table(self) -> None:
        assert self._ids is not None
        self._name_of = dict(enumerate(self._ids()))
        self._row_of = None
