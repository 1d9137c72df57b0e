"""Finding, checking and downloading the raw files of the data sets."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pooch

from activefs import caches
from activefs.datasets._registry import RawFile
from activefs.exceptions import DataSetError
from activefs.folders import private_folder

__all__ = ["DATA_DIR_VARIABLE", "Folders", "Progress", "checked_content", "find", "obtain", "read_bytes"]

DATA_DIR_VARIABLE = "ACTIVEFS_DATA_DIR"
_TIMEOUT = 30  # seconds without a byte

Progress = Callable[[str, int, int], None]
"""Called with the file's name, the bytes that are there, and the bytes in all (0: not known)."""


@dataclass(frozen=True)
class Folders:
    """Where files are looked for: the user's own folder first (never written to), then the cache."""

    given: Path | None
    cache: Path

    @classmethod
    def from_environment(cls) -> Folders:
        """Take the folder that ACTIVEFS_DATA_DIR names, if it is set, and the user's cache."""
        given = os.environ.get(DATA_DIR_VARIABLE)
        return cls(Path(given).expanduser() if given else None, _cache())

    @property
    def raw(self) -> tuple[Path, ...]:
        """The folders that may hold raw files, in the order in which they are searched."""
        return (self.cache,) if self.given is None else (self.given, self.cache)


def _cache() -> Path:
    """Folder for downloads: in the user's cache; without a home a private temporary one, or else where we are."""
    return caches.folder() or private_folder("data") or Path.cwd() / "activefs-data"


def find(file: RawFile, folders: Folders) -> Path | None:
    """Look for the file on this machine."""
    candidates = (folder / name for folder in folders.raw for name in file.names)
    return next((path for path in candidates if path.is_file()), None)


def obtain(file: RawFile, folders: Folders, progress: Progress | None = None) -> Path:
    """Find the file, or download it to the cache."""
    path = find(file, folders)
    if path is not None:
        return path
    failures = []
    for url in file.urls:
        try:
            return _download(file, url, folders.cache, progress)
        except DataSetError as error:
            failures.append(f"  {url}: {error}")
        except (OSError, ValueError) as error:  # what requests raises is an OSError
            detail = str(error)
            # A failed connection is told in a paragraph of nested exceptions; its kind is enough.
            kind = type(error).__name__
            failures.append(f"  {url}: {kind}" + (f": {detail}" if len(detail) < 160 else ""))
    raise DataSetError(
        f"{file.names[0]} is not on this machine and could not be downloaded.\n"
        f"Looked in: {', '.join(map(str, folders.raw))}\nTried:\n"
        + "\n".join(failures)
        + f"\nGet it by hand and set the environment variable {DATA_DIR_VARIABLE} to the folder it is in."
    )


def _download(file: RawFile, url: str, target: Path, progress: Progress | None) -> Path:
    name = url.rsplit("/", 1)[-1]
    bar = None if progress is None else _Bar(name, progress)
    downloader = pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16, timeout=_TIMEOUT)
    target.mkdir(parents=True, exist_ok=True)
    # The file gets its name when it is whole and checked: whatever happens, no part of one stays behind.
    with tempfile.TemporaryDirectory(dir=target, prefix=".download-") as folder:
        path = Path(folder) / name
        downloader(url, str(path), None)
        _check(file, path.read_bytes(), "what came from there")
        return path.replace(target / name)


def read_bytes(path: Path) -> bytes:
    """Read the file as it lies there."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error


def checked_content(file: RawFile, raw: bytes, path: Path) -> bytes:
    """Decompress a file; if the content is not the right one, the error says what to do."""
    try:
        return _check(file, raw, str(path))
    except DataSetError as error:
        sources = " or ".join(file.urls)
        raise DataSetError(
            f"{error}\nDelete it to have it downloaded again, or replace it with the file from {sources}"
        ) from error


def _check(file: RawFile, raw: bytes, what: str) -> bytes:
    try:
        content = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    except (OSError, EOFError, zlib.error) as error:
        raise DataSetError(f"{what} is damaged and cannot be decompressed ({error}).") from error
    found = hashlib.sha256(content).hexdigest()
    if found not in file.sha256:
        expected = " or ".join(sorted(file.sha256))
        raise DataSetError(
            f"{what} is damaged or another file: the SHA-256 of its content is {found}, expected {expected}."
        )
    return content


class _Bar:
    """What pooch wants of a progress bar, told to a function."""

    def __init__(self, name: str, tell: Progress) -> None:
        self.total = 0
        self._name, self._tell, self._done = name, tell, 0

    def update(self, size: int) -> None:
        self._done += size
        self._tell(self._name, min(self._done, self.total) if self.total else self._done, self.total)

    def reset(self) -> None:
        # pooch goes back to 0 only to fill the bar at the end.
        self._done = 0

    def close(self) -> None:
        """Nothing is open."""
