"""What all rows of a large table amount to, kept in the user's cache folder: the table is read for it once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from activefs.exceptions import ActiveFSError
from activefs.folder_cache import FolderCache
from activefs.streams import StreamSource

_FILE = "found.json"
_cache = FolderCache("columns")


def remembered(source: StreamSource, what: str, find: Callable[[], Any]) -> Any:
    """Return what was found in a table with the same content before, or find it.

    Parameters
    ----------
    source : StreamSource
        The table.
    what : str
        What is wanted, and of which columns.
    find : callable
        Reads the table; what it returns is kept as JSON.
    """
    said = f"{source.key()} {what}".encode("utf-8", "surrogatepass")
    key = hashlib.blake2b(said, digest_size=20).hexdigest()
    if (folder := _cache.get(key)) is not None:
        try:
            return json.loads((folder / _FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            _cache.drop(key)
    found = find()
    source.check_unchanged()
    with suppress(ActiveFSError), _cache.make(key) as made:  # without room it is found again the next time
        (made / _FILE).write_text(json.dumps(found), encoding="utf-8")
    return found
