"""Around every request: headers that protect the browser, which names are answered to, how much may be sent."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # not stricter: forms would then send no origin, which we check
    "Cross-Origin-Opener-Policy": "same-origin",
}
LIMIT = 64 * 1024
IMPORT_LIMIT = 32 * 1024 * 1024
IMPORT_PATHS = ("/api/v1/labels",)


class ProtectiveHeaders:
    """Adds the headers to every answer; nothing but static files may be kept by the browser."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class LocalNames:
    """Answers to names of this machine only, while the server is open to everybody on it.

    A page elsewhere could have its name point to this machine; without a token to sign in with, its scripts could then
    read the study. With tokens that is no danger, and a proxy may pass on whatever name people know the server by.
    """

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool]) -> None:
        self._app = app
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or is_loopback(_name_in(scope)) or not await run_in_threadpool(self._is_open):
            await self._app(scope, receive, send)
            return
        said = "As long as nobody has a token, this server answers to localhost and 127.0.0.1 only.\n"
        await PlainTextResponse(said, 400)(scope, receive, send)


class BodyLimit:
    """Refuses bodies that are larger than anything the study needs (413)."""

    def __init__(self, app: ASGIApp, refuse: Callable[[Request, int, str], Response]) -> None:
        self._app = app
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = IMPORT_LIMIT if scope["path"] in IMPORT_PATHS else LIMIT
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdigit() and int(announced) > limit:
            response = await run_in_threadpool(self._refuse, Request(scope), 413, too_large(limit).detail)
            await response(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise too_large(limit)
            return message

        await self._app(scope, counted, send)


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name_in(scope: Scope) -> str:
    """Name of the server, as the request has it; without the port."""
    try:
        return urlsplit(f"//{Headers(scope=scope).get('host', '')}").hostname or ""
    except ValueError:
        return ""


def too_large(limit: int) -> HTTPException:
    """Say how much is too much."""
    size = f"{limit // 1024} KiB" if limit < 1024 * 1024 else f"{limit // (1024 * 1024)} MiB"
    return HTTPException(413, f"The request is larger than the {size} that are allowed here; send less at a time.")
