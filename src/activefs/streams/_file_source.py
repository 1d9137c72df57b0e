"""A file that was read into memory, as a source."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from activefs.exceptions import InvalidInputError
from activefs.streams._digests import digest_of
from activefs.streams._files import DataFile
from activefs.streams._table_source import TableSource
from activefs.tables import UNSAID, Dialect, FileKind, FileTable, read_file, with_origins


class FileSource(TableSource):
    """What was read from a small file, which is known by the file's bytes.

    Attributes
    ----------
    found : FileTable
        The table, and how the file is written.
    """

    def __init__(
        self, found: FileTable, files: Sequence[DataFile], description: str, dialect: Dialect = UNSAID
    ) -> None:
        found = replace(found, table=with_origins(found.table.replace_schema_metadata(None), [(0, files[0].name)]))
        super().__init__(found.table.replace_schema_metadata(None), description=description, origin=files[0].name)
        self.notes, self.doubts, self.found = found.notes, found.doubts, found
        self._files, self._dialect = tuple(files), dialect

    @cached_property
    def _key(self) -> str:
        return digest_of(self._files, how_read(self._files[0], self._dialect))

    def check_unchanged(self) -> None:
        """Look at the file; what was read stays as it is."""
        for file in self._files:
            file.check_unchanged()


def read_whole(file: DataFile, said: str, dialect: Dialect) -> FileSource:
    """Read a small file into memory; one from a store lies on the disk for that moment only."""
    if file.store is None:
        return FileSource(read_file(Path(file.name), dialect=dialect), [file], said, dialect)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / PurePosixPath(file.path).name
        with copy.open("wb") as stream:
            for block in file.blocks():
                stream.write(block)
        try:
            return FileSource(read_file(copy, dialect=dialect), [file], said, dialect)
        except InvalidInputError as error:
            raise InvalidInputError(str(error).replace(str(copy), file.name)) from error


def how_read(file: DataFile, dialect: Dialect) -> str:
    """Write what makes another table of the same bytes: how the name ends, and what was said."""
    return f"{FileKind.by_name(PurePosixPath(file.path)).suffix} {sorted(dialect.said.items())}"
