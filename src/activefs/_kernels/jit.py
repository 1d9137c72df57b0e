"""The one place where functions are handed to the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on its first call, keep the result on disk, and run it without the GIL.

    The cache makes the second process on a machine start without compiling again; running without
    the GIL lets a thread pool work on several blocks of rows at once.

    A kernel may call kernels of its own file only: the cache notices changes of the file that a kernel is in,
    not of the files of the kernels that it calls. The one exception is `splitmix64.word`, which never changes.
    """
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(function))
