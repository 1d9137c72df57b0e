"""Whether a table is so small that it may as well be in memory."""

from __future__ import annotations

from activefs.streams._source import StreamSource

MOST_CELLS = 50_000_000


def fits_in_memory(source: StreamSource) -> bool:
    """Whether a table has so few cells, 50 million at most, that all of it may be read into memory.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import TableSource
    >>> fits_in_memory(TableSource(pa.table({"a": [1, 2, 3]})))
    True
    """
    return source.n_rows * len(source.names) <= MOST_CELLS
