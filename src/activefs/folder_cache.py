"""Folders that are kept in the user's cache folder: made whole or not at all, deleted when there are too many."""

from __future__ import annotations

import os
import shutil
import time
import uuid
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from activefs.caches import FOLDER_VARIABLE, SIZE_VARIABLE, folder, most_bytes
from activefs.exceptions import ActiveFSError
from activefs.files import is_full
from activefs.folders import private_folder

# Windows has no locks on folders, and does not delete what is open.
fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None

__all__ = ["FolderCache"]

_MOST = 20_000_000_000
_SOON, _ABANDONED = 60.0, 3600.0  # seconds: to get hold of a lock; to write anything at all
_LOCK = ".being-made"


class FolderCache:
    """Folders in one part of the user's cache folder, by key.

    When all together become too large (ACTIVEFS_CACHE_SIZE megabytes; by default 20 GB, or half of the disk's room if
    that is less), those that were used longest ago are deleted, but for the one just made and those that somebody
    holds. Without a cache folder, a private one in the temporary directory is used. Several processes may use the same
    folders at once.

    Parameters
    ----------
    part : str
        Name of a folder in the cache folder.
    inside : Path, optional
        The cache folder, if it is not the user's.

    Examples
    --------
    >>> import tempfile
    >>> cache = FolderCache("examples", inside=Path(tempfile.mkdtemp()))
    >>> with cache.make("one") as made:
    ...     _ = (made / "numbers.txt").write_text("1 2 3")
    >>> (cache.get("one") / "numbers.txt").read_text()
    '1 2 3'
    >>> cache.get("two") is None
    True
    """

    def __init__(self, part: str, inside: Path | None = None) -> None:
        self._part, self._inside = part, inside

    def get(self, key: str) -> Path | None:
        """Return the folder that was made for a key, which counts as used now; None if there is none."""
        for place in self._places():
            found = place / key
            with suppress(OSError):
                if found.is_dir():
                    with suppress(OSError):  # of somebody else, who lets us read
                        os.utime(found)
                    return found
        return None

    @contextmanager
    def make(self, key: str | Callable[[], str], *, durable: bool = True) -> Iterator[Path]:
        """Give a folder to be filled, which is kept under the key if the block ends well, and removed if it does not.

        Parameters
        ----------
        key : str or callable
            Letters, digits and dashes. A callable is asked at the end, for what is known by its content. If there is
            such a folder by then, it stays.
        durable : bool, default True
            Whether to wait until all is on the disk. Without, whoever opens the folder after a power failure must
            check what is in it.

        Raises
        ------
        ActiveFSError
            If the disk is full, or nothing can be written anywhere; nothing is left behind.
        """
        place = self._writable()
        self._tidy(place)
        temporary = place / f".{uuid.uuid4().hex}"
        lock = None
        try:
            temporary.mkdir()
            lock = _locked(temporary / _LOCK)
            yield temporary
            final = place / (key if isinstance(key, str) else key())
            if durable:
                _to_disk(temporary)
            (temporary / _LOCK).unlink(missing_ok=True)
            os.utime(temporary)
            with suppress(OSError):  # somebody else was faster, and made the same
                temporary.rename(final)
            if not final.is_dir():
                raise ActiveFSError(f"{final} could not be made: check the folder {place}, or delete it")
            self._make_room(place, but=final)
        except OSError as error:
            if not is_full(error):
                raise
            raise ActiveFSError(
                f"The disk is full ({place}): make room, or let {FOLDER_VARIABLE} name a folder on a larger disk."
            ) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            if lock is not None:
                os.close(lock)

    def drop(self, key: str) -> None:
        """Delete what was made for a key, such as something that turned out to be damaged."""
        for place in self._places():
            with suppress(OSError):
                _delete(place / key)

    def hold(self, path: Path, by: object) -> None:
        """Keep a folder from being deleted, by any process, as long as an object of this one lives."""
        if fcntl is None:  # pragma: no cover - Windows
            return
        with suppress(OSError):  # some disks of networks have no locks
            handle = os.open(path, os.O_RDONLY)
            weakref.finalize(by, os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def _places(self) -> list[Path]:
        if self._inside is not None:
            return [self._inside / self._part]
        found = (folder(), private_folder("cache"))
        return [place / self._part for place in found if place is not None]

    def _writable(self) -> Path:
        for place in self._places():
            with suppress(OSError):
                place.mkdir(parents=True, exist_ok=True)
                if os.access(place, os.R_OK | os.W_OK | os.X_OK):
                    return place
        raise ActiveFSError(
            f"There is no folder in which a copy of the table can be kept: let {FOLDER_VARIABLE} name one that can be "
            "written."
        )

    def _tidy(self, place: Path) -> None:
        """Delete what killed processes left, and what is too much by now."""
        for path in place.glob(".*"):
            with suppress(OSError):
                if _is_abandoned(path):
                    shutil.rmtree(path, ignore_errors=True)
        self._make_room(place)

    def _make_room(self, place: Path, but: Path | None = None) -> None:
        found = []
        for path in place.glob("[!.]*"):
            with suppress(OSError):  # another process may have deleted it
                found.append((path.stat().st_mtime_ns, _size(path), path))
        total = sum(size for _, size, _ in found)
        most = _most(place, total)
        for _, size, path in sorted(found):
            if total <= most:
                break
            if path != but and _is_free(path):
                with suppress(OSError):
                    _delete(path)
                    total -= size


def _delete(path: Path) -> None:
    gone = path.rename(path.with_name(f".{uuid.uuid4().hex}"))  # nobody is to find half of it
    shutil.rmtree(gone, ignore_errors=True)


def _most(place: Path, total: int) -> int:
    """Bytes that all may take; what they take now could be free."""
    if os.environ.get(SIZE_VARIABLE):
        return most_bytes()
    return min(_MOST, (shutil.disk_usage(place).free + total) // 2)


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _locked(path: Path) -> int | None:
    """Take a lock that a process loses when it is killed."""
    if fcntl is None:  # pragma: no cover - Windows
        return None
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with suppress(OSError):  # some disks of networks have no locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle


def _is_free(path: Path) -> bool:
    """Whether nobody holds a lock; where there are no locks, nobody does."""
    if fcntl is None:  # pragma: no cover - Windows
        return True
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        os.close(handle)
    return True


def _is_abandoned(path: Path) -> bool:
    """Whether whoever began to make a folder is gone."""
    lock = path / _LOCK
    newest = max([path.stat().st_mtime, *(file.stat().st_mtime for file in path.rglob("*"))])
    age = time.time() - newest
    if fcntl is not None and lock.exists():
        return age > _SOON and _is_free(lock)
    return age > _ABANDONED


def _to_disk(path: Path) -> None:
    """Wait until all files are on the disk, so that a power failure leaves no folder with half of its content."""
    for file in path.rglob("*"):
        if file.is_file() and file.name != _LOCK:
            with file.open("r+b") as stream:
                os.fsync(stream.fileno())
