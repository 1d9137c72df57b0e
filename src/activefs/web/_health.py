"""Whether the server can do what it is there for, for whoever watches over it."""

from __future__ import annotations

import asyncio
import logging

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse
from starlette.concurrency import run_in_threadpool

from activefs.exceptions import StorageError
from activefs.storages import Storage

logger = logging.getLogger("activefs.web")

_PATIENCE = 5.0
"""Seconds after which a database that does not answer is not there."""
_AWAY = "the database cannot be reached"


def add_health(app: FastAPI, storage: Storage) -> None:
    """Answer at /health: 200 and "well" if answers of annotators can be kept, else 503 and a few words why not."""
    # FastAPI remembers functions that answer for as long as the process lives: they must not hold a storage.
    app.state.health = _Health(storage)
    app.add_api_route("/health", _health, include_in_schema=False)


async def _health(request: Request) -> PlainTextResponse:
    if why := await request.app.state.health.why_unwell():
        logger.error("not well: %s", why)
    return PlainTextResponse(f"{why or 'well'}\n", 503 if why else 200)


class _Health:
    """Looks whether answers can be kept: however many ask, one of them looks."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._under_way: asyncio.Task[str] | None = None

    async def why_unwell(self) -> str:
        if self._under_way is None or self._under_way.done():
            self._under_way = asyncio.create_task(run_in_threadpool(_why_unwell, self._storage))
        try:
            return await asyncio.wait_for(asyncio.shield(self._under_way), _PATIENCE)
        except TimeoutError:
            return _AWAY


def _why_unwell(storage: Storage) -> str:
    try:
        return storage.why_unwell()
    except StorageError:
        return _AWAY
