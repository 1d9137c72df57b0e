"""The file in which the codes of a table are written while it is read, and put in order at the end."""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from activefs._kernels.encode import look_up
from activefs.caches import FOLDER_VARIABLE
from activefs.exceptions import ActiveFSError
from activefs.files import is_full, take_room
from activefs.streams._finish import EncodedColumns
from activefs.streams._in_turn import in_turn
from activefs.types import Codes, Int32s

# Rows that are given their final codes at a time.
_BLOCK = 1 << 18


class CodesFile:
    """Codes of shape (rows of codes, rows of the table), on disk; deleted if something goes wrong.

    Room is taken at once: a disk that is too small is found out before anything is read.
    """

    def __init__(self, path: Path, n_coded: int, n_rows: int, dtype: np.dtype[Any]) -> None:
        self._path, self._shape, self._dtype = path, (n_coded, n_rows), dtype
        self._bytes = n_coded * n_rows * dtype.itemsize
        self._file = -1

    def __enter__(self) -> CodesFile:
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
            self._file = os.open(self._path, flags, 0o600)
            take_room(self._file, self._bytes)  # if that is not possible, who writes is told
        except OSError as error:
            self._drop()
            raise self._explained(error) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            self._close()
            return
        self._drop()
        if isinstance(error, OSError) and is_full(error):
            raise self._explained(error) from error

    def write(self, row: int, at: int, codes: Codes) -> None:
        """Write the codes of consecutive rows of the table; several threads may."""
        if not hasattr(os, "pwrite"):
            self._mapped()[row, at : at + len(codes)] = codes
            return
        data = codes.data.cast("B")
        where = (row * self._shape[1] + at) * self._dtype.itemsize
        while data:
            written = os.pwrite(self._file, data, where)
            data, where = data[written:], where + written

    def settle(self, encoded: EncodedColumns, chunks: Sequence[tuple[int, int]], pool: ThreadPoolExecutor) -> None:
        """Replace provisional codes by final ones, and remove the rows of columns that are no features.

        Parameters
        ----------
        encoded : EncodedColumns
            What the codes are.
        chunks : sequence of pairs
            First row and number of rows of each chunk.
        pool : ThreadPoolExecutor
            Who does it.
        """

        def settle_chunk(chunk: tuple[int, int]) -> None:
            for feature, row in enumerate(encoded.rows):
                table = encoded.remap(feature, chunk[0])
                if table is not None or row != feature:
                    self._move(row, feature, chunk, None if table is None else table.astype(np.int32))

        moved = any(row != feature for feature, row in enumerate(encoded.rows)) or encoded.has_remaps
        with in_turn(settle_chunk, chunks if moved else (), pool) as done:
            deque(done, maxlen=0)
        os.truncate(self._file, len(encoded.rows) * self._shape[1] * self._dtype.itemsize)
        if boot() is None:
            os.fsync(self._file)

    def _move(self, row: int, to: int, chunk: tuple[int, int], table: Int32s | None) -> None:
        """Copy the codes of a chunk to another row, or to their own, and give them other codes."""
        first, n_rows = chunk
        for at in range(first, first + n_rows, _BLOCK):
            codes = self._read(row, at, min(_BLOCK, first + n_rows - at))
            if table is not None:
                look_up(codes, 0, table, codes)
            self.write(to, at, codes)

    def _read(self, row: int, at: int, size: int) -> Codes:
        if not hasattr(os, "pread"):
            return np.array(self._mapped()[row, at : at + size])
        where = (row * self._shape[1] + at) * self._dtype.itemsize
        data = bytearray()
        while (left := size * self._dtype.itemsize - len(data)) > 0:
            part = os.pread(self._file, left, where + len(data))
            if not part:
                raise OSError(errno.EIO, f"{self._path} is shorter than it was")
            data += part
        return np.frombuffer(data, dtype=self._dtype)

    def _mapped(self) -> Codes:
        return np.memmap(self._path, dtype=self._dtype, mode="r+", shape=self._shape)

    def _explained(self, error: OSError) -> ActiveFSError:
        needed = f"{self._bytes / 1e9:.1f} GB" if self._bytes >= 1e8 else f"{self._bytes / 1e6:.1f} MB"
        full = is_full(error)
        what = "the disk is full" if full else error.strerror or str(error)
        return ActiveFSError(
            f"the encoded table needs {needed} in {self._path.parent}, which could not be written ({what}): "
            f"{'make room, or ' if full else ''}let {FOLDER_VARIABLE} name a folder on another disk"
        )

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _drop(self) -> None:
        self._close()
        with suppress(OSError):
            self._path.unlink()


def boot() -> str | None:
    """Name the time since the machine was started, if it has a name: what was written meanwhile cannot be half lost."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return None
