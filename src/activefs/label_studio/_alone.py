"""One process feeds a project: two would make every task twice, and annotators would answer it twice."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from activefs.exceptions import ActiveFSError
from activefs.folders import private_folder


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Refuse to go on if another process on this machine is in such a block with the same name.

    The system ends the lock of a process that is killed. Where there is no such lock nothing is refused.

    Examples
    --------
    >>> with alone("example"):
    ...     pass
    """
    folder = private_folder("locks")
    if sys.platform == "win32" or folder is None:
        yield
    else:
        import fcntl

        with (folder / name).open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ActiveFSError(
                    "the same command feeds this project already, on this machine: end it first"
                ) from None
            yield
