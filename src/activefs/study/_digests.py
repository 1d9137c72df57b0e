"""What tells the columns of a table from those of another: a hash of their values, however they are stored or read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from activefs.streams import StreamSource
from activefs.study._remembered import remembered
from activefs.tables import Column, read_table
from activefs.types import Array, Bools

_THREADS = 2


class ColumnDigest:
    """Hash of a column that comes in parts; the same as if it came whole.

    Examples
    --------
    >>> whole, parts = ColumnDigest(), ColumnDigest()
    >>> whole.add(Column("age", np.array([37, 41, 37])))
    >>> for part in ([37], [41, 37]):
    ...     parts.add(Column("age", np.array(part)))
    >>> whole.hexdigest() == parts.hexdigest()
    True
    """

    def __init__(self) -> None:
        self._digest = hashlib.blake2b(digest_size=8)
        self._holes = _Holes()
        self._waiting = 0  # rows without a value before the first one that has one
        self._fill: Any = None  # what stands where a value is missing: the first that is there
        self._is_first = True

    def add(self, column: Column) -> None:
        """Take further rows."""
        values, missing = column.values, column.missing
        self._holes.add(missing, len(values))
        if missing is not None and missing.any():
            if missing.all() and self._fill is None:
                self._waiting += len(values)
                return
            if self._fill is None:
                self._fill = values[np.argmin(missing)]
            values = np.full(len(values), self._fill) if missing.all() else _filled(values, missing, self._fill)
        elif self._fill is None and len(values):
            self._fill = values[0]
        if self._waiting and len(values):
            values = np.concatenate([np.repeat(values[:1], self._waiting), values])
            values[: self._waiting] = self._fill
            self._waiting = 0
        self._take(values)

    def hexdigest(self) -> str:
        """Return the hash of all rows so far."""
        digest = self._digest.copy()
        if self._waiting:  # there is no value at all
            digest.update(np.zeros(self._waiting).tobytes())
        if self._holes.any:
            digest.update(self._holes.packed())
        return digest.hexdigest()

    def _take(self, values: Array) -> None:
        if not len(values):
            return
        if values.dtype.kind == "b":
            self._digest.update(values.astype(np.uint8).data)
        elif values.dtype.kind in "iu":
            self._digest.update(np.ascontiguousarray(values.astype("<i8")).data)
        elif values.dtype.kind == "f":
            self._digest.update(np.ascontiguousarray(values.astype("<f8") + 0.0).data)
        else:
            before = "" if self._is_first else "\x1f"
            self._digest.update((before + "\x1f".join(map(str, values.tolist()))).encode("utf-8", "surrogatepass"))
        self._is_first = False


class _Holes:
    """Which rows have no value, a bit each; nothing is kept while all have one."""

    def __init__(self) -> None:
        self.any = False
        self._before = 0  # rows before the first hole
        self._bits = bytearray()
        self._rest: Bools = np.zeros(0, dtype=bool)  # rows that do not fill a byte yet

    def add(self, missing: Bools | None, n_rows: int) -> None:
        if not self.any and (missing is None or not missing.any()):
            self._before += n_rows
            return
        some = np.zeros(n_rows, dtype=bool) if missing is None else missing
        if not self.any:
            self.any = True
            self._bits = bytearray(self._before // 8)
            self._rest = np.zeros(self._before % 8, dtype=bool)
        some = np.concatenate([self._rest, some])
        whole = len(some) // 8 * 8
        self._bits += np.packbits(some[:whole]).tobytes()
        self._rest = some[whole:]

    def packed(self) -> bytes:
        return bytes(self._bits) + np.packbits(self._rest).tobytes()


def _filled(values: Array, missing: Bools, fill: Any) -> Array:
    filled = values.copy()
    filled[missing] = fill
    return filled


def digest_of(column: Column) -> str:
    """Hash a column that is in memory."""
    found = ColumnDigest()
    found.add(column)
    return found.hexdigest()


def digests_of(source: StreamSource, progress: Callable[[str, float], None] | None = None) -> dict[str, str]:
    """Hash all columns of a table that is read in pieces; what was found is kept in the user's cache folder.

    Parameters
    ----------
    source : StreamSource
        The table.
    progress : callable, optional
        Is told what is done, and which share of it.
    """
    found: dict[str, str] = remembered(source, f"digests {source.names!r}", lambda: _computed(source, progress))
    return found


def _computed(source: StreamSource, progress: Callable[[str, float], None] | None) -> dict[str, str]:
    digests = {name: ColumnDigest() for name in source.names}

    def take(names: list[str], table: Any) -> None:
        for column in read_table(table.select(names)).columns():
            digests[column.name].add(column)

    import pyarrow as pa

    parts = [list(source.names[i::_THREADS]) for i in range(min(_THREADS, len(source.names)))]
    done = 0
    with ThreadPoolExecutor(_THREADS) as pool:  # hashing lets others work meanwhile
        for number in range(len(source.pieces)):
            for batch in source.read(number, source.names):
                if batch.num_rows:
                    table = pa.Table.from_batches([batch])
                    list(pool.map(lambda names, table=table: take(names, table), parts))
                done += batch.num_rows
                if progress is not None:
                    progress("looking at the columns", done / max(source.n_rows, 1))
    return {name: digest.hexdigest() for name, digest in digests.items()}
