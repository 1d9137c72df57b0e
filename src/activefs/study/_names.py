"""What rows are called: by the id column, or by their position."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from activefs.codec import text_of
from activefs.exceptions import InvalidInputError
from activefs.storages import RowName, Storage

if TYPE_CHECKING:
    from activefs.streams import RowIds

_MOST_IN_MEMORY = 100_000
"""Rows up to which an index of all names is made here."""
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")


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

    def __init__(self, storage: Storage, n_rows: int, ids: Callable[[], tuple[RowName, ...] | RowIds] | None) -> None:
        self._storage, self._n_rows, self._ids = storage, n_rows, ids
        self._name_of: dict[int, RowName] = {}
        self._kept: set[int] = set()  # rows whose names the storage is known to have
        self._by_text: dict[str, int] | None = None
        self._by_number: dict[Decimal, int] | None = None

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
            self._read(wanted)
        return {row: self._name_of[row] for row in wanted}

    def not_kept(self, rows: Iterable[int]) -> Mapping[int, RowName]:
        """Name those of the rows whose names the storage does not have; none if rows are known by their position."""
        if self._ids is None:
            return {}
        wanted = list(rows)
        self._look_up([row for row in wanted if row not in self._kept])
        return self.of_all(row for row in wanted if row not in self._kept)

    def row(self, name: Any) -> int:
        """Find a row by its name: as it is written, else by the number that is meant if only one row has it.

        Spreadsheets, JSON and readers of tables write numbers in their own way: 005, 5 and 5.0.
        """
        text = text_of(name)
        number = _number(text)
        if self._ids is None:
            if number is None or number % 1 or not 0 <= number < self._n_rows:
                raise InvalidInputError(f"rows are numbered from 0 to {self._n_rows - 1}; got {text[:80]!r}")
            return int(number)
        self.prepare()
        if self._by_text is None:
            return self._ids().index(name)
        row = self._by_text.get(text)
        if row is None:
            row = self._by_text.get(text.replace("\r\n", "\n"))  # as forms of browsers send a line end
        if row is None and number is not None:
            if self._by_number is None:
                self._by_number = _unique_numbers(self._by_text)
            row = self._by_number.get(number)
        if row is None:
            raise InvalidInputError(f"there is no row with the id {text[:80]!r}")
        return row

    def prepare(self) -> None:
        """Get ready to find rows by their names: errors of a table that has to be opened for that come now."""
        if self._ids is None or self._by_text is not None:
            return
        if self._n_rows <= _MOST_IN_MEMORY or isinstance(self._ids(), tuple):
            self._by_text = self._index()

    def _index(self) -> dict[str, int]:
        assert self._ids is not None
        kept = self._storage.row_names()
        self._name_of.update(kept if len(kept) == self._n_rows else enumerate(self._ids()[:]))
        found: dict[str, int] = {}
        for row, name in sorted(self._name_of.items()):
            # Of two ids that differ in spaces or accents only (older studies allowed that) the first is found.
            found.setdefault(text_of(name), row)
        return found

    def _read(self, wanted: list[int]) -> None:
        """Read names of rows from the table: of all rows, unless they are so many that each is looked up."""
        assert self._ids is not None
        ids = self._ids()
        if isinstance(ids, tuple):
            self._name_of.update(enumerate(ids))
        else:
            unknown = [row for row in wanted if row not in self._name_of]
            self._name_of.update(zip(unknown, ids.of(unknown), strict=True))

    def _look_up(self, rows: list[int]) -> None:
        if unknown := [row for row in rows if row not in self._kept]:
            found = self._storage.row_names(unknown)
            self._name_of.update(found)
            self._kept.update(found)


def _number(text: str) -> Decimal | None:
    """Read a number as it is written in tables; None if it is none."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _unique_numbers(by_text: Mapping[str, int]) -> dict[Decimal, int]:
    """Rows by the numbers that their names are, without numbers that are written in two ways.

    Examples
    --------
    >>> _unique_numbers({"007": 0, "1": 1, "1.0": 2, "x": 3})
    {Decimal('7'): 0}
    """
    numbers = [(number, row) for text, row in by_text.items() if (number := _number(text)) is not None]
    count = Counter(number for number, _ in numbers)
    return {number: row for number, row in numbers if count[number] == 1}
