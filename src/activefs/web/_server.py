"""The server itself: which connections it takes, and how it stops."""

from __future__ import annotations

import asyncio
import logging
import socket

import uvicorn
from starlette.types import ASGIApp

from activefs.web._connections import Patient, limit_of_connections

logger = logging.getLogger("activefs.web")

WAITING = 2048
"""Connections that the operating system holds until they are taken."""
_AT_ONCE = 32
"""Connections that are taken before those that are too many are ended."""
_PATIENCE = 10
"""Seconds that a server that is told to stop waits for requests that are under way."""
_TICKS = 10
"""So often a second uvicorn looks around."""


class Server(uvicorn.Server):
    """A server that is not kept busy by connections that do nothing, and stops although browsers come in that moment.

    uvicorn closes the idle connections that it has when it is told to stop, and then waits for all. A browser opens
    connections ahead of need; one that was accepted a moment too late would be waited for as long as it stays open.

    Parameters
    ----------
    app : application
        What answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        class Limited(Patient):
            most = limit_of_connections()

        config = uvicorn.Config(
            app,
            http=Limited,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            backlog=_AT_ONCE,
            timeout_graceful_shutdown=_PATIENCE,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(WAITING)  # uvicorn has one number for what waits and for what is taken at once

    async def on_tick(self, counter: int) -> bool:
        """Look after the connections once a second."""
        if counter % _TICKS == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Patient):
                    connection.look_after(now)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        closing = asyncio.create_task(self._close_latecomers())
        try:
            await super().shutdown(sockets)
        finally:
            closing.cancel()
        logger.info("stopped")

    async def _close_latecomers(self) -> None:
        while True:
            await asyncio.sleep(0.05)
            for connection in list(self.server_state.connections):
                connection.shutdown()  # those that are being answered end with their answer
