"""Whether the server can do what it is there for, for whoever watches over it."""

from __future__ import annotations

import asyncio
import logging

from fastapi import FastAPI
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
    under_way: asyncio.Task[str] | None = None

    @app.get("/health", include_in_schema=False)
    async def health() -> PlainTextResponse:
        nonlocal under_way
        if under_way is None or under_way.done():  # however many ask, one of them looks
            under_way = asyncio.create_task(run_in_threadpool(_why_unwell, storage))
        try:
            why = await asyncio.wait_for(asyncio.shield(under_way), _PATIENCE)
        except TimeoutError:
            why = _AWAY
        if why:
            logger.error("not well: %s", why)
        return PlainTextResponse(f"{why or 'well'}\n", 503 if why else 200)


def _why_unwell(storage: Storage) -> str:
    try:
        return storage.why_unwell()
    except StorageError:
        return _AWAY
