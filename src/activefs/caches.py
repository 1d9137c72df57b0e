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
_ENDING = ".activefs.npz"

Arrays = Mapping[str, Array]


def folder() -> Path | None:
    """Return the user's cache folder: what ACTIVEFS_CACHE_DIR names, or the usual place on this system.

    None if there is no such place, as for a user without a home folder.

    Examples
    --------
    >>> found = folder()
    >>> found is None or found.is_absolute()
    True
    """
    from platformdirs import user_cache_dir

    try:
        given = os.environ.get(FOLDER_VARIABLE)
        if given:
            return Path(given).expanduser().absolute()
        found = Path(user_cache_dir("activefs", appauthor=False))
    except (RuntimeError, OSError):  # no home, or we are in a folder that was deleted
        return None
    return found if found.is_absolute() else None


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
        if path is None:
            return None
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
        if path is None or needed > most_bytes():
            return
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._make_room(path.parent, needed)
            with replacing(path) as file:
                # Not compressed: loading must be fast. The list shows if the end of the archive's directory is lost.
                np.savez(file, **{_NAMES: np.array(list(arrays)), **arrays})  # type: ignore[arg-type]

    def _path(self, name: str) -> Path | None:
        inside = self._inside or folder()
        return None if inside is None else inside / self._part / f"{name}{_ENDING}"

    def _make_room(self, inside: Path, needed: int) -> None:
        """Delete the files used longest ago until the bytes needed are free, and what killed processes left."""
        files = []
        for path in inside.glob(f"*{_ENDING}*"):  # the folder may hold files of others
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
