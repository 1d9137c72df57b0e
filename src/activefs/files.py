"""Files that are written whole, or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["cannot_write", "is_full", "replacing", "take_room", "write_whole"]

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
            if sys.platform != "win32" and path.exists():  # there it could not be removed, if nobody may write it
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


def take_room(file: int, size: int) -> bool:
    """Reserve the blocks of an open file of `size` bytes, so that a disk that is too small is found out now.

    Returns
    -------
    bool
        Whether they are reserved; not every system or disk can do that, and what is written may not fit then.

    Raises
    ------
    OSError
        If the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = take_room(file.fileno(), 1000)
    ...     os.fstat(file.fileno()).st_size
    1000
    """
    taken = False
    if size and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file, 0, size)
            taken = True
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
    os.truncate(file, size)
    return taken
