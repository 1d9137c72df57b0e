"""The one place where functions are handed to the compiler."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import caching

from activefs.folders import private_folder

P = ParamSpec("P")
R = TypeVar("R")

_config: Any = numba.config
_setting = threading.Lock()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on its first call, keep the result on disk, and run it without the GIL.

    The cache makes the second process on a machine start without compiling again; running without
    the GIL lets a thread pool work on several blocks of rows at once. Where neither the package nor the home of the
    user can be written to, the cache is in a private folder of the temporary directory; without that there is none.

    A kernel may call kernels of its own file only: the cache notices changes of the file that a kernel is in,
    not of the files of the kernels that it calls. The one exception is `splitmix64.word`, which never changes.
    """
    return cast("Callable[P, R]", _cached(function))


_FunctionCache: Any = caching.FunctionCache


class KernelCache(_FunctionCache):  # type: ignore[misc]
    """numba's cache of one function; what is damaged is compiled anew, and what cannot be written is not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what was compiled; None if there is nothing that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk lets us."""
        with suppress(Exception):
            super().save_overload(sig, data)


def _cached(function: Callable[P, R]) -> Any:
    made: Any = numba.njit(nogil=True)(function)
    if _has_a_place():
        try:
            made._cache = KernelCache(function)
            return made
        except RuntimeError:  # what numba says if it may write nowhere
            pass
    if (folder := private_folder("numba")) is not None:
        try:
            with _cache_in(folder):
                made._cache = KernelCache(function)
        except RuntimeError:
            pass
    return made


def _has_a_place() -> bool:
    """Whether numba knows where to look: without a home, it would make a folder called '~' where it happens to be."""
    if _config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME"):
        return True
    try:
        Path.home()
    except RuntimeError:
        return False
    return True


@contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Let numba keep what is compiled in a folder; a function remembers its folder from when it is defined."""
    with _setting:
        before = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            _config.CACHE_DIR = before
