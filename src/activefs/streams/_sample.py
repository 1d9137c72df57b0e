"""Some rows of a table, spread over all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from activefs.streams._source import StreamSource

SAMPLE_ROWS = 1_048_576
"""Tables of at most so many rows are their own sample; of larger ones it has at most so many."""
# Where pieces are fewer, rows from their beginnings would be too much alike: the share is taken in so many slices.
_MANY_PIECES = 16
_SLICES = 16


def is_whole(source: StreamSource) -> bool:
    """Whether the sample of a table is the table."""
    return source.n_rows <= SAMPLE_ROWS


def read_sample(source: StreamSource, columns: Sequence[str], threads: int = 1) -> Any:
    """Read some columns of the sample of a table, as an Arrow table: the same rows whenever this is asked.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import TableSource
    >>> source = TableSource(pa.table({"a": range(10), "b": range(10)}), rows_per_piece=4)
    >>> read_sample(source, ["b"]).num_rows
    10
    """
    import pyarrow as pa

    def read(number: int) -> list[Any]:
        return list(sample_of_piece(source, number, columns))

    numbers = range(len(source.pieces))
    if threads == 1:
        batches = [batch for number in numbers for batch in read(number)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            batches = [batch for found in pool.map(read, numbers) for batch in found]
    return pa.Table.from_batches(batches, schema=pa.schema([source.schema.field(name) for name in columns]))


def slices(first_row: int, n_rows: int, all_rows: int, many_pieces: bool) -> list[tuple[int, int]]:
    """Say which rows of a piece are in the sample: from, to, counted from its beginning.

    Examples
    --------
    >>> slices(0, 10, 10, True)
    [(0, 10)]
    """
    if all_rows <= SAMPLE_ROWS:
        return [(0, n_rows)]
    # Shares are differences of rounded sums, so that all pieces together have just as many as they should.
    share = (first_row + n_rows) * SAMPLE_ROWS // all_rows - first_row * SAMPLE_ROWS // all_rows
    if many_pieces or share < _SLICES:
        return [(0, share)]
    starts = [n_rows * k // _SLICES for k in range(_SLICES)]
    sizes = [share * (k + 1) // _SLICES - share * k // _SLICES for k in range(_SLICES)]
    return [(start, start + size) for start, size in zip(starts, sizes, strict=True)]


def sample_of_piece(source: StreamSource, number: int, columns: Sequence[str]) -> Iterator[Any]:
    """Read some columns of those rows of a piece that are in the sample, as record batches."""
    piece = source.pieces[number]
    wanted = slices(piece.first_row, piece.n_rows, source.n_rows, len(source.pieces) >= _MANY_PIECES)
    last = max((stop for _, stop in wanted), default=0)
    if not last:
        return
    at = 0
    for batch in source.read(number, columns):
        for start, stop in wanted:
            begin, end = max(start, at), min(stop, at + batch.num_rows)
            if begin < end:
                yield _copied(batch, begin - at, end - at)
        at += batch.num_rows
        if at >= last:
            return


def _copied(batch: Any, start: int, stop: int) -> Any:
    """Take rows out of a batch; a slice would keep all of it in memory."""
    import pyarrow as pa

    return batch if stop - start == batch.num_rows else batch.take(pa.array(np.arange(start, stop)))
