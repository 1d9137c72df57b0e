"""The studies of a server that are open: each is opened when somebody wants it, and waits for no other."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import anyio
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from activefs.catalog import CatalogEntry
from activefs.study import StudyEngine, open_engine


@dataclass
class _Opened:
    version: Any
    engine: StudyEngine
    app: FastAPI | None = None
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)


class Shelf:
    """Studies that are open, by name.

    Opening one reads its settings; its table is read when somebody labels.

    Parameters
    ----------
    make : callable
        Makes the application of a study.
    """

    def __init__(self, make: Callable[[str, StudyEngine], FastAPI]) -> None:
        self._make = make
        self._opened: dict[str, _Opened] = {}
        self._replaced: list[_Opened] = []
        self._opening: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._making: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)

    def engine_of(self, entry: CatalogEntry) -> StudyEngine:
        """Open a study, unless it is open; what was at its place before is closed."""
        with self._opening[entry.name]:
            found = self._opened.get(entry.name)
            if found is None or found.version != entry.version:
                self._opened[entry.name] = _Opened(entry.version, open_engine(entry.url, at_once=False))
                if found is not None:
                    self._replaced.append(found)
            return self._opened[entry.name].engine

    async def app_of(self, entry: CatalogEntry) -> FastAPI:
        """Make the application of a study, unless it is there."""
        async with self._making[entry.name]:
            engine = await run_in_threadpool(self.engine_of, entry)
            while self._replaced:
                await _close(self._replaced.pop())
            opened = self._opened[entry.name]
            if opened.app is None:
                app = self._make(entry.name, engine)
                await opened.stack.enter_async_context(app.router.lifespan_context(app))
                opened.app = app
            return opened.app

    async def drop(self, name: str) -> None:
        """Close a study that is not there any more."""
        if (found := self._opened.pop(name, None)) is not None:
            await _close(found)

    async def close(self) -> None:
        """Close all."""
        for opened in (*self._opened.values(), *self._replaced):
            await _close(opened)
        self._opened.clear()
        self._replaced.clear()


async def _close(opened: _Opened) -> None:
    await opened.stack.aclose()
    await run_in_threadpool(opened.engine.close)
