"""What the bytes of files amount to, remembered so that a large file is not read again only to know that."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from activefs.caches import folder
from activefs.files import write_whole
from activefs.streams._files import DataFile

_SIZE = 20
_REMEMBERED = 20_000
# Seconds: a file that was written this recently may be written again without its time telling.
_SETTLED = 2.0
Progress = Callable[[str, float], None]


def digest_of(files: Sequence[DataFile], also: str = "", progress: Progress | None = None) -> str:
    """Name the content of files in their order, whatever they are called and wherever they lie.

    Parameters
    ----------
    files : sequence of DataFile
        Those of which a store of objects names the content are not read.
    also : str
        What else makes a difference, such as how the files are to be read.
    progress : callable, optional
        Is told what is done, and which share of it.
    """
    said = hashlib.blake2b(also.encode(), digest_size=_SIZE)
    total, done = sum(file.size for file in files) or 1, 0
    _forget()
    for file in files:
        for name, value in file.hive:
            said.update(f"{name}={value}/".encode())
        said.update(_of_one(file, None if progress is None else share_of(progress, done / total, file.size / total)))
        done += file.size
    return said.hexdigest()


def share_of(progress: Progress, start: float, share: float) -> Progress:
    """Tell of a part of the work as the share of all that it is."""
    return lambda what, part: progress(what, start + share * part)


def _of_one(file: DataFile, progress: Progress | None) -> bytes:
    if file.mark is not None:
        return hashlib.blake2b(f"{file.size} {file.mark}".encode(), digest_size=_SIZE).digest()
    if (known := _remembered(file)) is not None:
        return known
    found, read = hashlib.blake2b(digest_size=_SIZE), 0
    for block in file.blocks():
        found.update(block)
        read += len(block)
        if progress is not None:
            progress(f"looking through {file.name}", min(1.0, read / max(1, file.size)))
    file.check_unchanged()
    _remember(file, found.digest())
    return found.digest()


def _entry(file: DataFile) -> Path | None:
    inside = folder()
    if inside is None:
        return None
    name = hashlib.blake2b(
        f"{file.path}\0{file.stamp}\0{file.touched}".encode("utf-8", "surrogatepass"), digest_size=_SIZE
    )
    return inside / "digests" / name.hexdigest()


def _remembered(file: DataFile) -> bytes | None:
    with suppress(OSError, ValueError):
        if (path := _entry(file)) is not None:
            known = bytes.fromhex(path.read_text())
            return known if len(known) == _SIZE else None
    return None


def _remember(file: DataFile, digest: bytes) -> None:
    with suppress(OSError, ValueError):
        if file.store is None and time.time() - Path(file.path).stat().st_mtime < _SETTLED:
            return
        if (path := _entry(file)) is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, digest.hex().encode())


def _forget() -> None:
    """Forget the oldest if there are far too many."""
    with suppress(OSError):
        if (inside := folder()) is None:
            return
        entries = list((inside / "digests").iterdir())
        if len(entries) > _REMEMBERED:
            for path in sorted(entries, key=lambda path: path.stat().st_mtime)[: len(entries) // 2]:
                path.unlink(missing_ok=True)
