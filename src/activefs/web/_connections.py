"""Connections that nobody uses make room: what comes too slowly, or not at all, is ended."""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

logger = logging.getLogger("activefs.web")

MOST = 1000
"""Connections at a time, where the operating system lets a process have as many."""
_OTHER_FILES = 256
"""Files that a server needs besides connections: databases, tables, the pipe to another process."""
_HEADERS = 15.0
"""Seconds for the headers of a request, from the first of them or from the connection on."""
_BODY = 30.0
"""Seconds for the body of a request, and one more for each `_PER_SECOND` of it."""
_PER_SECOND = 64 * 1024
_UNREAD = 60.0
"""Seconds in which a reader takes at least something of the reply."""
_LINGER = 1.0
"""Seconds in which what is still being sent is thrown away, so that the refusal is read before the end."""


def limit_of_connections() -> int:
    """Let this process have as many files as it may, and say how many connections that allows."""
    most = MOST
    if sys.platform != "win32":  # which has no such limit
        import resource

        files, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST + _OTHER_FILES
        if files != resource.RLIM_INFINITY and files < wanted:
            files = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
            files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if files != resource.RLIM_INFINITY:
            most = max(16, min(MOST, files - _OTHER_FILES))
    return most


class Patient(H11Protocol):
    """A connection that waits, but not for ever; the server looks after all of them once a second.

    Attributes
    ----------
    most : int
        How many connections there may be; one more ends the one that has done nothing for longest.
    """

    most = MOST

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, and end another one if there are too many."""
        self._since = self.loop.time()  # when it began to wait for what it waits for now
        self._received = 0
        self._unsent = 0
        self._answered = False
        self._lingers = False
        super().connection_made(cast(asyncio.Transport, _Lingering(transport, self)))
        if len(self.connections) > self.most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if self._lingers:
            return
        if self._is_idle and self.timeout_keep_alive_task is not None:
            self._since = self.loop.time()  # the first byte of the next request
        before = self.cycle
        self._received += len(data)
        super().data_received(data)
        if self.cycle is not before:
            self._since, self._received = self.loop.time(), 0

    def on_response_complete(self) -> None:
        """End the connection if somebody is still sending what was refused; else wait for the next request."""
        self._answered = True
        self._since, self._received = self.loop.time(), 0
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY and not self.transport.is_closing():
            if self.timeout_keep_alive_task is not None:
                self.timeout_keep_alive_task.cancel()
                self.timeout_keep_alive_task = None
            self.transport.close()

    @property
    def is_sending(self) -> bool:
        """Whether the body of a request is still on its way."""
        return self.conn.their_state is h11.SEND_BODY

    def linger(self) -> None:
        """Throw away what still comes, for a moment."""
        self._lingers = True
        self.loop.call_later(_LINGER, self.transport.abort)

    def look_after(self, now: float) -> None:
        """End the connection if it has waited for too long."""
        waited = now - self._since
        if self._lingers:
            return
        if self._is_idle:
            if waited > _HEADERS:
                self._end()
        elif self.is_sending and not self._has_begun_to_answer:
            if waited > _BODY + self._received / _PER_SECOND:
                self._say_too_slow()
        else:
            self._look_after_reader(now)

    def _look_after_reader(self, now: float) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent != self._unsent:
            self._unsent, self._since = unsent, now
        elif now - self._since > _UNREAD:
            self._end()

    @property
    def _is_idle(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _has_begun_to_answer(self) -> bool:
        return self.cycle is not None and self.cycle.response_started

    def _say_too_slow(self) -> None:
        logger.warning("the rest of a request did not come in time")
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        said = b"The rest of the request did not come in time; send it again.\n"
        for event in (h11.Response(status_code=408, headers=headers), h11.Data(data=said), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event))
        self.cycle.disconnected = True  # whoever waits for the body learns that it does not come
        self.cycle.message_event.set()
        self.transport.close()

    def _make_room(self) -> None:
        """End the connection that is missed least: without a request, without ever one, for longest."""
        others = [one for one in self.connections if one is not self and isinstance(one, Patient) and not one._lingers]
        idle = [one for one in others if one._is_idle] or [one for one in others if one.is_sending]
        logger.warning("there are more than %d connections: those that do nothing are ended", self.most)
        (min(idle, key=lambda one: (one._answered, one._since)) if idle else self)._end()

    def _end(self) -> None:
        self.connections.discard(self)  # at once: its end is noticed a little later, and then would be counted twice
        self.transport.abort()


class _Lingering:
    """A transport that, closed while somebody still sends, lets them read the reply first."""

    def __init__(self, transport: asyncio.Transport, protocol: Patient) -> None:
        self._transport, self._protocol = transport, protocol

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        if self._transport.is_closing() or not self._protocol.is_sending or self._protocol._lingers:
            self._transport.close()
            return
        self._protocol.linger()
        self._transport.resume_reading()
        with suppress(OSError, RuntimeError):
            self._transport.write_eof()
