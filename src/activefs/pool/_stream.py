"""From a table that is read in pieces to a pool in a mapped file, kept for the next time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from activefs.folder_cache import FolderCache
from activefs.pool._mapped import MappedPool
from activefs.pool._pool import PoolInfo
from activefs.streams import CODES, StoredCodes, StreamSource, encode_source, open_codes
from activefs.tables import ColumnOptions
from activefs.types import Ints, UInt64s

_VERSION = 1
"""How tables are encoded; what an earlier release kept under another number is made anew."""
_MOST_THREADS = 4
_cache = FolderCache("pools")

Progress = Callable[[str, float], None]
"""Is told what is done, and which share of it (0 to 1)."""


def mapped_pool(
    source: StreamSource, options: ColumnOptions, row_ids: Sequence[Any] | None, progress: Progress | None = None
) -> MappedPool:
    """Encode a table into a file in the user's cache folder, or open what was encoded before.

    Parameters
    ----------
    source : StreamSource
        The table.
    options : ColumnOptions
        How its columns are read.
    row_ids : sequence, optional
        Name of each row.
    progress : callable, optional
        Is told what is done.
    """
    key = _key(source, options)
    folder = _cache.get(key)
    stored = None if folder is None else open_codes(folder)
    if stored is None:
        _cache.drop(key)  # it may be damaged
        # What is in the folder is checked when it is opened after a power failure, so nobody waits for the disk.
        with _cache.make(key, durable=False) as made:
            encode_source(source, options, made, threads=_threads(), progress=_rows_of(progress))
        folder = _cache.get(key)
        stored = None if folder is None else open_codes(folder)
    assert folder is not None and stored is not None
    marks: UInt64s = np.concatenate([np.empty(0, dtype=np.uint64), *stored.marks])
    pool = MappedPool(info_of(stored, row_ids), folder / CODES, stored.codes.dtype.name, marks)
    _cache.hold(folder, by=pool)
    return pool


def info_of(stored: StoredCodes, row_ids: Sequence[Any] | None) -> PoolInfo:
    """Say what is known of a table that was encoded."""
    counts: Ints = np.concatenate([np.empty(0, dtype=np.int64), *stored.counts])
    return PoolInfo(
        n_rows=stored.n_rows,
        encodings=stored.encodings,
        value_counts=counts,
        columns=np.asarray(stored.kept, dtype=np.int64),
        names=stored.names,
        row_ids=row_ids,
        n_columns=stored.n_columns,
        left_out=stored.left_out,
    )


def _key(source: StreamSource, options: ColumnOptions) -> str:
    """Name what the codes depend on: the content of the table, and how its columns are read."""
    columns = [(name, None if j in options.ignored else options.of(name)) for j, name in enumerate(source.names)]
    content = repr((_VERSION, source.key(), columns))
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def _threads() -> int:
    return max(1, min(_MOST_THREADS, os.cpu_count() or 1))


def _rows_of(progress: Progress | None) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, n_rows: progress("encoding the table", done / max(n_rows, 1))
