"""Tables that are read in pieces, as trials with known labels want them: rows with a label, classes as numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from activefs.streams._labels import LabelCoder, is_labelled, refuse_changed
from activefs.streams._source import Piece, StreamSource
from activefs.tables import RowPlace


class LabelledRows(StreamSource):
    """The rows of a table that have a label, numbered anew.

    Parameters
    ----------
    source : StreamSource
        The table.
    label : str
        Its column of labels.
    by_piece : sequence of int
        Rows with a label in each piece.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import TableSource
    >>> table = pa.table({"a": [1, 2, 3], "y": ["no", None, "yes"]})
    >>> LabelledRows(TableSource(table), "y", [2]).take([1]).to_pydict()
    {'a': [3], 'y': ['yes']}
    """

    def __init__(self, source: StreamSource, label: str, by_piece: Sequence[int]) -> None:
        self._source, self._label = source, label
        self.description, self.schema = source.description, source.schema
        self.notes, self.doubts = source.notes, source.doubts
        pieces, row = [], 0
        for piece, rows in zip(source.pieces, by_piece, strict=True):
            pieces.append(Piece(row, rows, piece.origin))
            row += rows
        self.pieces = tuple(pieces)

    def read(self, piece: int, columns: Sequence[str]) -> Iterator[Any]:
        """Read the rows of a piece that have a label."""
        import pyarrow as pa

        wanted = list(dict.fromkeys([*columns, self._label]))
        for batch in self._source.read(piece, wanted):
            there = is_labelled(batch.column(wanted.index(self._label)), self._label)
            found = batch if there.all() else batch.filter(pa.array(there))
            if found.num_rows:
                yield found.select(list(columns))

    def place_of(self, row: int) -> RowPlace:
        """Say where a row is in the table behind; labels of its piece are read for that."""
        number = self.piece_of(row)
        behind, at = row - self.pieces[number].first_row, self._source.pieces[number].first_row
        for batch in self._source.read(number, [self._label]):
            there = np.flatnonzero(is_labelled(batch.column(0), self._label))
            if behind < len(there):
                return self._source.place_of(at + int(there[behind]))
            behind, at = behind - len(there), at + batch.num_rows
        raise refuse_changed(self._source, self._label)

    def key(self) -> str:
        """Name the rows."""
        return _digest("rows with a label", self._source.key(), self._label)

    def check_unchanged(self) -> None:
        """Look at the table behind."""
        self._source.check_unchanged()


class ClassColumn(StreamSource):
    """A table without ids, and with class numbers instead of labels, as its last column.

    Parameters
    ----------
    source : StreamSource
        The table, whose rows all have a label.
    label : str
        Its column of labels.
    coder : LabelCoder
        From labels to class numbers.
    without : sequence of str
        Columns that are left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import TableSource
    >>> source = TableSource(pa.table({"id": [7, 8], "y": ["no", "yes"], "a": [1, 2]}))
    >>> ClassColumn(source, "y", LabelCoder({"no": 0, "yes": 1}), ["id"]).to_table().to_pydict()
    {'a': [1, 2], 'y': [0, 1]}
    """

    def __init__(self, source: StreamSource, label: str, coder: LabelCoder, without: Sequence[str] = ()) -> None:
        import pyarrow as pa

        self._source, self._label, self._coder, self._without = source, label, coder, tuple(without)
        self.description, self.pieces = source.description, source.pieces
        self.notes, self.doubts = source.notes, source.doubts
        others = [field for field in source.schema if field.name not in (label, *without)]
        self.schema = pa.schema([*others, pa.field(label, pa.int32())])

    def read(self, piece: int, columns: Sequence[str]) -> Iterator[Any]:
        """Read features as they are, and labels as class numbers."""
        import pyarrow as pa

        wanted = pa.schema([self.schema.field(name) for name in columns])
        for batch in self._source.read(piece, columns):
            found = [self._of(name, batch.column(at)) for at, name in enumerate(columns)]
            yield pa.RecordBatch.from_arrays(found, schema=wanted)

    def _of(self, name: str, column: Any) -> Any:
        import pyarrow as pa

        if name != self._label:
            return column
        try:
            return pa.array(self._coder.codes(column, self._label), pa.int32())
        except (KeyError, IndexError):
            raise refuse_changed(self._source, self._label) from None

    def place_of(self, row: int) -> RowPlace:
        """Say where a row is."""
        return self._source.place_of(row)

    def key(self) -> str:
        """Name features and classes."""
        return _digest("classes", self._source.key(), self._label, self._coder.key, *self._without)

    def check_unchanged(self) -> None:
        """Look at the table behind."""
        self._source.check_unchanged()


def _digest(*parts: str) -> str:
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
