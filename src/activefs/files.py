"""Files that are written whole, or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def cannot_write(path: Path, error: OSError) -> str:
    """Say why a file could not be written and what to do about it."""
    if error.errno in _FULL:
        return f"{path} could not be written: the disk is full ({error.strerror}). Make room."
    return f"{path} could not be written: {error.strerror or error}. Check the folder."


def write_whole(path: Path, content: bytes) -> None:
    """Write a file all or nothing: whoever reads it meanwhile, or after a crash, sees the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
