"""The user's cache folder, and arrays kept in it as long as there is room.

What lies there can be made again at any time: it may be damaged, deleted or impossible to write, and nothing but time
is lost.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from activefs.files import replacing
from activefs.types import Array

__all__ = ["FOLDER_VARIABLE", "SIZE_VARIABLE", "ArrayCache", "Arrays", "folder", "most_bytes"]

FOLDER_VARIABLE = "ACTIVEFS_CACHE_DIR"
SIZE_VARIABLE = "ACTIVEFS_CACHE_SIZE"
_DEFAULT_MEGABYTES = 2000
_ABANDONED = 3600.0  # seconds after which a file that is still being written belongs to a process that was killed
_NAMES = "names of all arrays"

Arrays = Mapping[str, Array]


def folder() -> Path:
    """Return the user's cache folder: what ACTIVEFS_CACHE_DIR names, or the usual place on this system.

    Examples
    --------
    >>> folder().is_absolute()
    True
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given).absolute()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("activefs", appauthor=False))


def most_bytes() -> int:
    """Return the bytes that prepared arrays may take: ACTIVEFS_CACHE_SIZE megabytes, 2000 if it is no number.

    Examples
    --------
    >>> most_bytes() >= 0
    True
    """
    try:
        megabytes = float(os.environ.get(SIZE_VARIABLE, ""))
        return max(0, int(megabytes * 1e6))
    except (ValueError, OverflowError):
        return int(_DEFAULT_MEGABYTES * 1e6)


class ArrayCache:
    """Groups of arrays in one part of the user's cache folder, each in a file of its own.

    When all files together become too large, those that were used longest ago are deleted. Files are written whole
    or not at all and carry checksums, so several processes may use the folder at once.

    Parameters
    ----------
    part : str
        Name of a folder in the cache folder.
    inside : Path, optional
        The cache folder, if it is not the user's.

    Examples
    --------
    >>> import tempfile
    >>> cache = ArrayCache("examples", inside=Path(tempfile.mkdtemp()))
    >>> cache.keep("one", {"numbers": np.arange(3)})
    >>> cache.load("one")["numbers"].tolist()
    [0, 1, 2]
    >>> cache.load("two") is None
    True
    """

    def __init__(self, part: str, *, inside: Path | None = None) -> None:
        self._part, self._inside = part, inside

    def load(self, name: str) -> dict[str, Array] | None:
        """Return what was kept under this name; None if there is nothing, or if it is damaged."""
        path = self._path(name)
        try:
            with np.load(path, allow_pickle=False) as stored:
                found = {key: stored[key] for key in stored[_NAMES].tolist()}
        except Exception:  # a damaged file may raise anything, and can be made again whatever is wrong with it
            return None
        with suppress(OSError):
            os.utime(path)  # used last
        return found

    def keep(self, name: str, arrays: Arrays) -> None:
        """Keep arrays under a name if there is room and the folder can be written."""
        path = self._path(name)
        needed = sum(array.nbytes for array in arrays.values())
        if needed > most_bytes() or not path.is_absolute():  # without a home folder it is not
            return
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._make_room(path.parent, needed)
            with replacing(path) as file:
                # Not compressed: loading must be fast. The list shows if the end of the archive's directory is lost.
                np.savez(file, **{_NAMES: np.array(list(arrays)), **arrays})  # type: ignore[arg-type]

    def _path(self, name: str) -> Path:
        return (self._inside or folder()) / self._part / f"{name}.npz"

    def _make_room(self, inside: Path, needed: int) -> None:
        """Delete the files used longest ago until the bytes needed are free, and what killed processes left."""
        files = []
        for path in inside.iterdir():
            with suppress(OSError):  # another process may have deleted it
                about = path.stat()
                if path.name.startswith(".") and about.st_mtime < time.time() - _ABANDONED:
                    path.unlink()
                else:
                    files.append((about.st_mtime_ns, about.st_size, path))
        free = most_bytes() - sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if free >= needed:
                break
            if not path.name.startswith("."):
                with suppress(OSError):
                    path.unlink()
                    free += size
