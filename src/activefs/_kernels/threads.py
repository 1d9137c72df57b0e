"""Several threads on one loop; results never depend on their number."""

from __future__ import annotations

import numbers
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from typing import Any

import joblib
from threadpoolctl import ThreadpoolController

from activefs.exceptions import InvalidInputError


def count(n_jobs: Any) -> int:
    """Threads meant by scikit-learn's `n_jobs` convention (None: one, -1: all cores)."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise InvalidInputError(f"n_jobs must be None, a number of threads, or -1 for all cores; got {n_jobs!r}")
    return int(joblib.effective_n_jobs(n_jobs))


@lru_cache(maxsize=8)
def _executor(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="activefs")


def in_blocks(work: Callable[[int, int], None], size: int, threads: int, smallest: int) -> None:
    """Call ``work(start, stop)`` on consecutive parts of range(size), in parallel if it is worth it.

    `work` must write only to its own part; each part has at least about `smallest` items.
    """
    parts = max(1, min(threads, size // max(smallest, 1)))
    if parts == 1:
        work(0, size)
        return
    bounds = [size * p // parts for p in range(parts + 1)]
    futures = [_executor(threads).submit(work, a, b) for a, b in pairwise(bounds[1:])]
    work(bounds[0], bounds[1])
    for future in futures:
        future.result()


# The number of threads of matrix products belongs to the whole process: one part of it at a time may change it.
_products = threading.RLock()


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Find the libraries that have threads, which takes milliseconds; a new one comes with a new module."""
    return ThreadpoolController()


@contextmanager
def one_for_products() -> Iterator[None]:
    """Let matrix products use one thread: their last digits depend on the number, and choices must not."""
    with _products, _libraries(len(sys.modules)).limit(limits=1):
        yield
