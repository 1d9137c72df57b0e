"""What people look at: at once as it is known, or after a while as it is."""

from __future__ import annotations

import asyncio

from starlette.concurrency import run_in_threadpool

from activefs.study import Found, Part, Shown, look
from activefs.web._service import Service

_AT_FIRST = 1.0
"""Seconds that a page waits if nothing is known yet: most studies are looked at in less."""


async def looked_at(on: Service, part: Part) -> Found:
    """Give a part at the state of now, or a newer one; no thread waits for it, so those who label get theirs."""
    if on.background is None:
        return await run_in_threadpool(look, on.engine, on.reader, part)
    return await asyncio.wrap_future(await run_in_threadpool(on.background.ask, part))


async def newest(on: Service, part: Part) -> Found | None:
    """Give what is known of a part, for a page; None if nothing is."""
    if on.background is None:
        return await run_in_threadpool(look, on.engine, on.reader, part)
    found = await run_in_threadpool(on.background.newest, part)
    return await _in_a_moment(on, part) if found is None else found


async def newest_status(on: Service) -> Shown | None:
    """Give the status that is known, with the counts of now; None if nothing is known."""
    if on.background is None:
        status = await run_in_threadpool(on.reader.status)
        return Shown(status, status.n_labels, status.last)
    shown = await run_in_threadpool(on.background.shown)
    if shown is not None or await _in_a_moment(on, "status") is None:
        return shown
    return await run_in_threadpool(on.background.shown)


async def _in_a_moment(on: Service, part: Part) -> Found | None:
    try:
        return await asyncio.wait_for(looked_at(on, part), _AT_FIRST)
    except TimeoutError:
        return None
