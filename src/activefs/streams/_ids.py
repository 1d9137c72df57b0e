"""What rows of a large table are called."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, overload

from activefs.codec import text_of
from activefs.exceptions import InvalidInputError
from activefs.streams._id_index import RowName, names_of, open_index
from activefs.streams._source import StreamSource

_KEPT = 4096
_DIGITS = 18
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")


class RowIds(Sequence[RowName]):
    """Ids of all rows, of which none is in memory.

    Where each id is, is found out once and kept in the user's cache folder. Ids that differ only in outer spaces or in
    how accents are written are the same.

    Parameters
    ----------
    source : StreamSource
        The table.
    column : str
        The column with the ids.
    progress : callable, optional
        Is told what is done, and which share of it (0 to 1).

    Raises
    ------
    InvalidInputError
        If there is no such column, a row has no id, or two rows have the same.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import TableSource
    >>> ids = RowIds(TableSource(pa.table({"id": ["a7", "b2", "c9"]})), "id")
    >>> len(ids), ids[1], ids.index(" c9 ")
    (3, 'b2', 2)
    """

    def __init__(self, source: StreamSource, column: str, progress: Callable[[str, float], None] | None = None) -> None:
        if column not in source.names:
            more = f" and {len(source.names) - 20} more" if len(source.names) > 20 else ""
            listed = ", ".join(map(repr, source.names[:20])) + more
            raise InvalidInputError(f"there is no column {column!r} (id) in the table; there are: {listed}")
        self._source, self._column = source, column
        self._index = open_index(source, column, progress)
        self._kept: OrderedDict[int, RowName] = OrderedDict()

    def __len__(self) -> int:
        return self._source.n_rows

    @overload
    def __getitem__(self, row: int) -> RowName: ...

    @overload
    def __getitem__(self, row: slice) -> tuple[RowName, ...]: ...

    def __getitem__(self, row: int | slice) -> RowName | tuple[RowName, ...]:
        if isinstance(row, slice):
            return self.of(range(*row.indices(len(self))))
        at = row + len(self) if row < 0 else row
        if not 0 <= at < len(self):
            raise IndexError(f"rows are numbered from 0 to {len(self) - 1}; got {row}")
        return self.of([at])[0]

    def of(self, rows: Iterable[int]) -> tuple[RowName, ...]:
        """Name some rows, of which only those are read that were not read lately."""
        wanted = list(rows)
        found = {row: self._kept[row] for row in wanted if row in self._kept}
        if unread := sorted({row for row in wanted if row not in found}):
            names = names_of(self._source.take(unread, [self._column]).column(0))
            found.update(zip(unread, names, strict=True))
        for row in wanted[-_KEPT:]:
            self._kept[row] = found[row]
            self._kept.move_to_end(row)
        while len(self._kept) > _KEPT:
            with suppress(KeyError):  # another thread was faster
                self._kept.popitem(last=False)
        return tuple(found[row] for row in wanted)

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """Find the row that has an id: as it is written, or the number that is meant if ids are numbers.

        Raises
        ------
        InvalidInputError
            If no row has it.
        """
        text = text_of(name)
        within = range(*slice(start, stop).indices(len(self)))
        for written in (text, text.replace("\r\n", "\n")):  # as forms of browsers send a line end
            if found := self._rows_of(written, within):
                return found[0]
        meant = [row for way in self._numbers(text) for row in self._rows_of(way, within)]
        if len(meant) == 1:
            return meant[0]
        raise InvalidInputError(f"there is no row with the id {text[:80]!r}")

    def __contains__(self, name: object) -> bool:
        try:
            self.index(name)
        except InvalidInputError:
            return False
        return True

    def _rows_of(self, written: str, within: range) -> list[int]:
        """Rows whose id is written so, which is one at most."""
        return [row for row in self._index.rows_of(written) if row in within and text_of(self[row]) == written]

    def _numbers(self, text: str) -> list[str]:
        """How else a number may be written: spreadsheets make 5 of 005 and of 5.0, and the other way round."""
        import pyarrow as pa

        if not _NUMBER.fullmatch(text):
            return []
        number, kind = Decimal(text), self._source.schema.field(self._column).type
        if pa.types.is_floating(kind):
            return [str(float(number))]
        if number % 1:
            return []
        whole = str(int(number))
        if pa.types.is_integer(kind):
            return [whole]
        sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
        ways = [sign + digits.zfill(width) for width in range(len(digits), _DIGITS + 1)]
        return [way for way in (*ways, f"{whole}.0") if way != text]
