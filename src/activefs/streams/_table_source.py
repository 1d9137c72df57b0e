"""A table in memory as a source, for small tables and for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from activefs.streams._content import Content, in_groups
from activefs.streams._source import Piece, StreamSource


class TableSource(StreamSource):
    """An Arrow table, cut into pieces of so many rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = TableSource(pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]}), rows_per_piece=2)
    >>> source.n_rows, len(source.pieces), source.take([2, 0], ["a"]).to_pydict()
    (3, 2, {'a': [3, 1]})
    """

    def __init__(
        self, table: Any, rows_per_piece: int = 65_536, description: str = "the table", origin: str | None = None
    ) -> None:
        self._table = table
        self.schema, self.description = table.schema, description
        starts = range(0, max(table.num_rows, 1), rows_per_piece)
        where = origin or description
        self.pieces = tuple(Piece(at, min(rows_per_piece, table.num_rows - at), where) for at in starts)

    def read(self, piece: int, columns: Sequence[str]) -> Iterator[Any]:
        """Give the rows of a piece."""
        where = self.pieces[piece]
        yield from self._table.select(list(columns)).slice(where.first_row, where.n_rows).to_batches()

    @cached_property
    def _key(self) -> str:
        content = Content(self.schema)
        for group in in_groups(self._table.to_batches(), self.schema):
            content.add(group)
        return content.key()

    def key(self) -> str:
        """Name the values, as for a stream of the same ones."""
        return self._key

    def check_unchanged(self) -> None:
        """Arrow tables cannot be changed."""
