"""Files that are written whole, or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["cannot_write", "is_full", "replacing", "reserve", "write_whole"]

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written that takes the place of `path` when it is whole.

    Whoever reads `path` meanwhile, or after a crash, sees the old file or the new one. If writing fails, nothing
    stays behind; if the process is killed, a file whose name begins with a dot does. Of a link it is the file behind it
    that is replaced, and a file keeps its permissions. What is no file, such as /dev/stdout, is written as it is.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"1 2 3")
    >>> path.read_bytes()
    b'1 2 3'
    """
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as stream:
            yield stream
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with temporary.open("wb") as file:
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file all or nothing: whoever reads it meanwhile, or after a crash, sees the old one or the new one.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> write_whole(path, b"1 2 3")
    >>> [file.name for file in path.parent.iterdir()]
    ['numbers.txt']
    """
    with replacing(path) as file:
        file.write(content)


def cannot_write(path: Path, error: OSError) -> str:
    """Say why a file could not be written and what to do about it.

    Examples
    --------
    >>> cannot_write(Path("numbers.txt"), OSError(errno.ENOSPC, "No space left on device"))
    'numbers.txt could not be written: the disk is full (No space left on device). Make room.'
    """
    if is_full(error):
        return f"{path} could not be written: the disk is full ({error.strerror}). Make room."
    return f"{path} could not be written: {error.strerror or error}. Check the folder."


def is_full(error: OSError) -> bool:
    """Whether an error says that a disk, or somebody's share of it, is full.

    Examples
    --------
    >>> is_full(OSError(errno.ENOSPC, "No space left on device")), is_full(FileNotFoundError())
    (True, False)
    """
    return error.errno in _FULL


def reserve(handle: int, size: int) -> None:
    """Take room for so many bytes of an open file, so that a full disk is an error now.

    To write into a part of a mapped file for which there is no room would end the process.

    Raises
    ------
    OSError
        If there is too little room; see :func:`is_full`.
    """
    if not size or not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(handle, 0, size)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS):  # not every disk can do that
            raise
