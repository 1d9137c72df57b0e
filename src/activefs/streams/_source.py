"""A table that is read in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from activefs.tables import Doubt, RowPlace, place_among, schema_without_views, table_without_views, with_origins
from activefs.types import Ints


@dataclass(frozen=True)
class Piece:
    """Consecutive rows of a table that can be read without the others, such as a row group of a Parquet file.

    Attributes
    ----------
    first_row, n_rows : int
        Which rows of the table.
    origin : str
        Where they are, for messages: the name of a file.
    """

    first_row: int
    n_rows: int
    origin: str


class StreamSource(ABC):
    """A table that is read in pieces, in any order, by several threads, as often as wanted.

    Attributes
    ----------
    description : str
        What people call it: the path, folder or address that they gave.
    schema : Arrow schema
        Its columns.
    pieces : tuple of Piece
        All rows, in order; a piece may be without rows.
    notes : tuple of str
        What people should know about how a file was read.
    doubts : tuple of Doubt
        What people should know about columns of a text file that may have been meant otherwise.
    """

    description: str
    schema: Any
    pieces: tuple[Piece, ...]
    notes: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.schema.names)

    @cached_property
    def n_rows(self) -> int:
        """All rows."""
        return sum(piece.n_rows for piece in self.pieces)

    @abstractmethod
    def read(self, piece: int, columns: Sequence[str]) -> Iterator[Any]:
        """Read some columns of the rows of a piece, in order, as record batches with just these columns."""

    @abstractmethod
    def key(self) -> str:
        """Name the content: the same for the same table, wherever it lies; another one if anything differs."""

    @abstractmethod
    def check_unchanged(self) -> None:
        """Refuse to go on if what lies behind this has changed since it was opened.

        Raises
        ------
        InvalidInputError
            In one sentence that names the file.
        """

    @cached_property
    def _starts(self) -> Ints:
        return np.array([piece.first_row for piece in self.pieces], dtype=np.int64)

    def piece_of(self, row: int) -> int:
        """Find the piece that a row is in."""
        return int(np.searchsorted(self._starts, row, side="right")) - 1

    @cached_property
    def origins(self) -> tuple[tuple[int, str], ...]:
        """Where each file begins, by its first row, and what it is called."""
        found: list[tuple[int, str]] = []
        for piece in self.pieces:
            if piece.n_rows and (not found or found[-1][1] != piece.origin):
                found.append((piece.first_row, piece.origin))
        return tuple(found)

    def place_of(self, row: int) -> RowPlace:
        """Say where a row is, as people would look for it."""
        return place_among(self.origins, row)

    def to_table(self, columns: Sequence[str] | None = None) -> Any:
        """Read all rows of all columns, or of some, into memory, as an Arrow table."""
        import pyarrow as pa

        wanted = list(self.names if columns is None else columns)
        batches = (batch for piece in range(len(self.pieces)) for batch in self.read(piece, wanted))
        schema = pa.schema([self.schema.field(name) for name in wanted])
        return with_origins(pa.Table.from_batches(batches, schema=schema).unify_dictionaries(), self.origins)

    def take(self, rows: Sequence[int], columns: Sequence[str] | None = None) -> Any:
        """Return some rows, in the order given, as an Arrow table; only the pieces that they are in are read."""
        import pyarrow as pa

        wanted = list(self.names if columns is None else columns)
        order = np.argsort(np.asarray(rows, dtype=np.int64), kind="stable")
        found = []
        at = 0
        while at < order.size:
            number = self.piece_of(int(rows[order[at]]))
            piece = self.pieces[number]
            stop = at
            while stop < order.size and rows[order[stop]] < piece.first_row + piece.n_rows:
                stop += 1
            inside = np.asarray([rows[i] for i in order[at:stop]], dtype=np.int64) - piece.first_row
            start = 0
            for batch in self.read(number, wanted):
                here = inside[(inside >= start) & (inside < start + batch.num_rows)] - start
                if here.size:
                    found.append(table_without_views(batch).take(pa.array(here)))
                start += batch.num_rows
                if start > inside[-1]:
                    break
            at = stop
        schema = schema_without_views(pa.schema([self.schema.field(name) for name in wanted]))
        sorted_rows = pa.Table.from_batches(found, schema=schema).unify_dictionaries()
        back = np.empty_like(order)
        back[order] = np.arange(order.size)
        return sorted_rows.take(pa.array(back))
