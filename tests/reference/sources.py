"""Opening what is a large table."""

from typing import Any

from activefs.streams import StreamSource, open_source


def source_of(X: Any, **options: Any) -> StreamSource:
    """Open a table that must not be taken for one in memory."""
    source = open_source(X, **options)
    assert source is not None, f"{X!r} was taken for a table in memory"
    return source
