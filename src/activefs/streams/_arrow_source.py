"""Arrow files as a source: their record batches are its pieces, and are mapped instead of read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.streams._digests import digest_of
from activefs.streams._files import DataFile
from activefs.streams._schemas import refuse_duplicates
from activefs.streams._source import Piece, StreamSource
from activefs.tables import schema_without_views

_ROWS = 1 << 17


def is_arrow_file(file: DataFile) -> bool:
    """Whether a file is of the kind whose parts can be found without reading all before them."""
    with file.open() as stream:
        return bool(stream.read(6) == b"ARROW1")


class ArrowSource(StreamSource):
    """An Arrow file (also called Feather).

    Parameters
    ----------
    file : DataFile
        On a disk of this machine.
    description : str
        What people call it.
    """

    def __init__(self, file: DataFile, description: str) -> None:
        self._file, self.description = file, description
        opened = self._opened()
        self.schema = schema_without_views(opened.schema.remove_metadata())
        refuse_duplicates(file.name, self.schema.names)
        pieces, row = [], 0
        counted = self._opened(self.schema.names[:1])  # what is compressed is not unpacked to count it
        for number in range(opened.num_record_batches):
            rows = self._batch(counted, number).num_rows
            pieces.append(Piece(row, rows, file.name))
            row += rows
        self.pieces = tuple(pieces)
        if row == 0:
            count = len(self.schema)
            raise InvalidInputError(f"{description} has {count} column{'s' if count != 1 else ''}, but no rows")

    def _opened(self, columns: Sequence[str] = ()) -> Any:
        import pyarrow as pa

        included = sorted(self.schema.get_field_index(name) for name in columns)
        options = pa.ipc.IpcReadOptions(included_fields=included or None, use_threads=False)
        with self._explaining():
            return pa.ipc.open_file(pa.memory_map(self._file.path), options=options)

    def _batch(self, opened: Any, number: int) -> Any:
        self._file.check_unchanged()  # to look at what is mapped and not there any more would end the process
        with self._explaining():
            return opened.get_batch(number)

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise InvalidInputError(
                f"{self._file.name} cannot be read as {self._file.name.rpartition('.')[2]}: it is damaged or cut off, "
                f"copy or write it anew ({str(error).splitlines()[0]})"
            ) from error

    def read(self, piece: int, columns: Sequence[str]) -> Iterator[Any]:
        """Give a record batch; of what is not compressed, nothing is copied."""
        import pyarrow as pa

        self._file.check_unchanged()
        found = self._batch(self._opened(columns), piece)
        wanted = pa.schema([self.schema.field(name) for name in columns])
        batch = pa.RecordBatch.from_arrays([found.column(name) for name in columns], list(columns))
        for at in range(0, batch.num_rows, _ROWS):
            yield batch.slice(at, _ROWS).cast(wanted)

    @cached_property
    def _key(self) -> str:
        return digest_of([self._file], "arrow")

    def key(self) -> str:
        """Name the content by the bytes of the file."""
        return self._key

    def check_unchanged(self) -> None:
        """Look at the file."""
        self._file.check_unchanged()
