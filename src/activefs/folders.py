"""Folders for what can be made again, when there is no home folder to keep it in."""

from __future__ import annotations

import os
import stat
import tempfile
from functools import cache
from pathlib import Path


@cache
def private_folder(name: str) -> Path | None:
    """Make a folder in the temporary directory that only this user can read and write.

    Parameters
    ----------
    name : str
        What it is for.

    Returns
    -------
    Path or None
        None if there is no place for it, or if what lies there belongs to somebody else: code that was put there by
        another user must not be run.

    Examples
    --------
    >>> folder = private_folder("example")
    >>> folder is None or folder.is_dir()
    True
    """
    try:
        own = Path(tempfile.gettempdir()) / f"activefs-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
        own.mkdir(mode=0o700, exist_ok=True)
        if not _is_private(own):
            return None
        folder = own / name
        folder.mkdir(exist_ok=True)
    except OSError:
        return None
    return folder


def _is_private(folder: Path) -> bool:
    if not hasattr(os, "getuid"):  # on Windows each user has a temporary directory
        return True
    found = folder.lstat()  # of a link itself, not of what somebody made it point to
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
