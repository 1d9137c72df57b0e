"""The folder of finished work items, each in a Parquet file of its own."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.files import cannot_write, write_whole

FOLDER = "items"
"""Name of the folder, beside the results."""

# Parquet files end with this.
_END = b"PAR1"

R = TypeVar("R")


class Storable(Protocol[R]):
    """What a store keeps: something with a place of its own, that writes its result as a table and reads it."""

    @property
    def path(self) -> Path:
        """Where it is kept, below the folder of all items; the name stands for everything the result depends on."""

    def to_table(self, result: R) -> pa.Table:
        """Write a result as a table."""

    def from_table(self, table: pa.Table) -> R | None:
        """Read it; None if the table is not whole. May raise KeyError if columns are missing."""


class Store:
    """The folder of finished work items; an item is there whole or not at all.

    Parameters
    ----------
    out : Path
        Folder of the results; items are kept in ``items`` below it, which is made if it does not exist.
    """

    def __init__(self, out: Path) -> None:
        self.folder = out / FOLDER
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Working files: whoever wants the results only does not want these in a repository.
            write_whole(self.folder / ".gitignore", b"*\n")
        except OSError as error:
            raise InvalidInputError(
                f"cannot write to the folder {out} ({error.strerror or error}); name another one with --out"
            ) from error

    def has(self, item: Storable[R]) -> bool:
        """Whether an item is there; only its end is read, which a file that was cut off does not have."""
        try:
            with (self.folder / item.path).open("rb") as file:
                file.seek(-len(_END), os.SEEK_END)
                return file.read() == _END
        except OSError:
            return False

    def load(self, item: Storable[R]) -> R | None:
        """Read an item; None if it is not there or damaged."""
        try:
            return item.from_table(pq.read_table(io.BytesIO((self.folder / item.path).read_bytes())))
        except (OSError, pa.ArrowException, KeyError):
            return None

    def read(self, item: Storable[R]) -> R:
        """Read an item that was finished.

        Raises
        ------
        ActiveFSError
            If it is not there or damaged all the same.
        """
        found = self.load(item)
        if found is None:
            raise ActiveFSError(
                f"the finished work item {self.folder / item.path} cannot be read: run the same command again"
            )
        return found

    def save(self, item: Storable[R], result: R) -> None:
        """Keep an item.

        Raises
        ------
        ActiveFSError
            If it cannot be written, such as on a full disk; items kept before stay.
        """
        buffer = io.BytesIO()
        # A dictionary of 500 different gaps would be larger than the gaps.
        pq.write_table(item.to_table(result), buffer, compression="zstd", use_dictionary=False)
        path = self.folder / item.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, buffer.getvalue())
        except OSError as error:
            raise ActiveFSError(
                f"{cannot_write(path, error)} Finished work items are kept in {self.folder}: then run the same "
                "command again, and it goes on from there."
            ) from error
