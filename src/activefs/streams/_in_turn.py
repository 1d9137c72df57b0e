"""Work that several threads do, a little ahead of who takes the results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_turn(
    work: Callable[[T], R], items: Iterable[T], pool: ThreadPoolExecutor, ahead: int = 8
) -> AbstractContextManager[Iterator[R]]:
    """Do work on items by the threads of a pool, and give the results in the order of the items.

    When the context is left, whatever happened, no thread works on any item any more: what they write to may be closed.

    Examples
    --------
    >>> with ThreadPoolExecutor(2) as pool, in_turn(abs, [-1, -2, -3], pool) as results:
    ...     print(list(results))
    [1, 2, 3]
    """
    return closing(_results(work, items, pool, ahead))


def _results(work: Callable[[T], R], items: Iterable[T], pool: ThreadPoolExecutor, ahead: int) -> Generator[R]:
    running: deque[Future[R]] = deque()
    try:
        for item in items:
            running.append(pool.submit(work, item))
            if len(running) > ahead:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        for future in running:
            future.cancel()
        wait(running)
