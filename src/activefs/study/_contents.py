"""What a study looks up in its table: in memory, or in a table that is read when a row is looked at."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from activefs.codec import text_of
from activefs.exceptions import InvalidInputError
from activefs.storages import RowName
from activefs.streams import RowIds, StreamSource
from activefs.study._digests import digest_of, digests_of
from activefs.study._images import Images, ImagesInMemory, StreamedImages
from activefs.study._media import host_of
from activefs.study._remembered import remembered
from activefs.tables import Column, read_table, take_rows, with_one_id, without_id
from activefs.types import Array

_REMEMBERED = 512
"""Rows of a large table that are remembered after somebody has looked at them."""


class Contents(ABC):
    """The cells of a table.

    Attributes
    ----------
    names : tuple of str
        Its columns.
    n_rows : int
        Its rows.
    digests : dict
        A hash of each column.
    """

    names: tuple[str, ...]
    n_rows: int
    digests: dict[str, str]

    @abstractmethod
    def cells(self, row: int, columns: Sequence[str]) -> list[Any]:
        """Return the values of a row, as the table has them; None where one is missing."""

    @abstractmethod
    def column(self, name: str, *, new: bool) -> Array:
        """Return all values of a column of numbers."""

    @abstractmethod
    def ids(self, name: str, *, new: bool) -> tuple[RowName, ...] | RowIds:
        """Return the names of all rows; for a new study they must differ in more than spaces and accents."""

    def row_ids(self, name: str | None, ids: tuple[RowName, ...] | RowIds | None) -> Sequence[Any] | None:
        """Return the names of rows as a pool keeps them."""
        return ids

    @abstractmethod
    def hosts(self, columns: Sequence[str]) -> frozenset[str]:
        """Return schemes and hosts of all addresses in some columns."""

    @abstractmethod
    def images(self, columns: Sequence[str]) -> Images:
        """Return the images whose pixels are in some columns."""

    @abstractmethod
    def rows(self, rows: Sequence[int]) -> Any:
        """Return rows with all columns as an Arrow table."""


class MemoryContents(Contents):
    """A table in memory, of which columns that people see are kept.

    Parameters
    ----------
    X : table
        The table.
    wanted : callable
        Says which columns are looked up, of all that there are.
    shown : callable
        Says which of them people see as they are.
    """

    def __init__(
        self,
        X: Any,
        wanted: Callable[[tuple[str, ...]], Iterable[str]],
        shown: Callable[[tuple[str, ...]], Iterable[str]],
    ) -> None:
        table = read_table(X)
        self._X, self._shown = X, set(shown(table.names))
        self.names, self.n_rows = table.names, table.n_rows
        kept = set(wanted(table.names))
        self.digests, self._kept = {}, {}
        for column in table.columns():
            self.digests[column.name] = digest_of(column)
            if column.name in kept:
                self._kept[column.name] = column

    def cells(self, row: int, columns: Sequence[str]) -> list[Any]:
        """Look them up."""
        return [_cell(self._kept[name], row) for name in columns]

    def column(self, name: str, *, new: bool) -> Array:
        """Return the values."""
        return _numbers(self._kept[name], new=new)

    def ids(self, name: str, *, new: bool) -> tuple[RowName, ...] | RowIds:
        """Name all rows."""
        return _names(self._kept[name], new=new)

    def row_ids(self, name: str | None, ids: tuple[RowName, ...] | RowIds | None) -> Sequence[Any] | None:
        """Return the ids as the table has them; lists and the like as they are written, since they name nothing."""
        if name is None:
            return None
        given = self._kept[name].values.tolist()
        return ids if any(not isinstance(i, Hashable) for i in given) else given

    def hosts(self, columns: Sequence[str]) -> frozenset[str]:
        """Look at all rows."""
        return frozenset(
            host
            for name in columns
            for row in range(self.n_rows)
            if (host := host_of(str(_cell(self._kept[name], row) or "").strip()))
        )

    def images(self, columns: Sequence[str]) -> Images:
        """Keep the pixels of all rows; the columns themselves are not needed any more."""
        found = ImagesInMemory([self._kept[name].values for name in columns])
        for name in set(columns) - self._shown:
            del self._kept[name]
        return found

    def rows(self, rows: Sequence[int]) -> Any:
        """Take them."""
        return take_rows(self._X, rows)


class StreamedContents(Contents):
    """A table that is never in memory: a row is read when somebody looks at it.

    Parameters
    ----------
    source : StreamSource
        The table.
    progress : callable, optional
        Is told what is done, where that takes long.
    """

    def __init__(self, source: StreamSource, progress: Callable[[str, float], None] | None = None) -> None:
        self._source, self._progress = source, progress
        self.names, self.n_rows = source.names, source.n_rows
        self.digests = digests_of(source, progress)
        self._seen: OrderedDict[tuple[int, tuple[str, ...]], list[Any]] = OrderedDict()
        self._reading = threading.Lock()

    def cells(self, row: int, columns: Sequence[str]) -> list[Any]:
        """Read them, unless they were read lately."""
        if not columns:
            return []
        key = row, tuple(columns)
        with self._reading:
            if key not in self._seen:
                some = {column.name: column for column in read_table(self._source.take([row], columns)).columns()}
                self._seen[key] = [_cell(some[name], 0) for name in columns]
                while len(self._seen) > _REMEMBERED:
                    self._seen.popitem(last=False)
            self._seen.move_to_end(key)
            return self._seen[key]

    def column(self, name: str, *, new: bool) -> Array:
        """Read it: a number per row."""
        (found,) = read_table(self._source.to_table([name])).columns()
        return _numbers(found, new=new)

    def ids(self, name: str, *, new: bool) -> tuple[RowName, ...] | RowIds:
        """Name rows when they are asked for."""
        return RowIds(self._source, name, self._progress)

    def hosts(self, columns: Sequence[str]) -> frozenset[str]:
        """Read the columns once."""
        return frozenset(remembered(self._source, f"hosts {columns!r}", lambda: self._read_hosts(columns)))

    def _read_hosts(self, columns: Sequence[str]) -> list[str]:
        import pyarrow as pa
        import pyarrow.compute as pc

        found: set[str] = set()
        for number in range(len(self._source.pieces)):
            for batch in self._source.read(number, columns):
                for column in batch.columns:
                    text = column.cast(pa.string())
                    heads = pc.extract_regex(pc.utf8_trim_whitespace(text), r"^(?P<head>[A-Za-z]+://[^/?#]+)")
                    for head in pc.unique(pc.struct_field(heads, [0])).drop_null().to_pylist():
                        if (host := host_of(f"{head}/")) is not None:
                            found.add(host)
            self._tell(f"looking for addresses in {', '.join(map(repr, columns))}", number)
        return sorted(found)

    def _tell(self, what: str, piece: int) -> None:
        if self._progress is not None:
            self._progress(what, (piece + 1) / len(self._source.pieces))

    def images(self, columns: Sequence[str]) -> Images:
        """Read pixels when somebody looks at an image; how bright they are is found out once."""
        told = partial(self._tell, "looking at the images")
        return StreamedImages(self._source, columns, lambda row: self.cells(row, columns), told)

    def rows(self, rows: Sequence[int]) -> Any:
        """Read them."""
        self._source.check_unchanged()
        return self._source.take(rows)


def _numbers(column: Column, *, new: bool) -> Array:
    """Values of a column of numbers; for a new study, one for every row: release 0.1 did not look."""
    if new and column.missing is not None:
        row = int(np.flatnonzero(column.missing)[0])
        raise InvalidInputError(
            f"column {column.name!r} has no number in row {row} (counted from 0), {int(column.missing.sum()):,} are "
            "missing in all: every row needs one"
        )
    return column.values


def _cell(column: Column, row: int) -> Any:
    return None if column.missing is not None and column.missing[row] else column.values[row]


def _names(ids: Column, *, new: bool) -> tuple[RowName, ...]:
    """Names of the rows: text and numbers as they are, anything else (such as dates) as it is written."""
    if ids.missing is not None:
        first, count = int(np.flatnonzero(ids.missing)[0]), int(ids.missing.sum())
        raise without_id(ids.name, count, first)
    names = tuple(i if isinstance(i, str | int | float) else str(i) for i in ids.values.tolist())
    seen: dict[str, int] = {}
    for row, name in enumerate(names):
        before = seen.setdefault(text_of(name) if new else str(name).strip(), row)
        if before != row:
            raise with_one_id(ids.name, before, row, name)
    return names
