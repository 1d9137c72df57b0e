"""Around every request: headers that protect the browser, which names are answered to, how much may be sent."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from activefs.web._door import PARAMETER
from activefs.web._paths import path_in

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
TO_OWN = "activefs server owner add FOLDER-OR-URL NAME"
"""How somebody gets a token of a server of several studies."""
_OF_PROXIES = {"forwarded", "via", "x-real-ip", "x-original-host", "x-client-ip", "cf-connecting-ip", "true-client-ip"}


class ProtectiveHeaders:
    """Adds the headers to every answer; nothing but static files may be kept by the browser."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        is_static = scope["type"] == "http" and path_in(scope).startswith("/static/")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if not is_static:
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class ThisMachine:
    """Answers to browsers on this machine only, while nobody has a token.

    A page elsewhere could have its name point to this machine, and a proxy lets the whole world in. With tokens neither
    is a danger, and a proxy may pass on whatever name people know the server by.
    """

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool], command: str) -> None:
        self._app = app
        self._is_open = is_open
        self._command = command

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        wrong = _from_elsewhere(scope, self._command) if scope["type"] == "http" else None
        if wrong is None or not await run_in_threadpool(self._is_open):
            await self._app(scope, receive, send)
            return
        status, said = wrong
        response: Response = PlainTextResponse(f"{said}\n", status)
        if path_in(scope).startswith("/api/"):
            response = JSONResponse({"status": status, "title": HTTPStatus(status).phrase, "message": said}, status)
        await response(scope, receive, send)


class StartAddress:
    """Takes the secret out of the address that the terminal showed, before anything could write it down."""

    def __init__(self, app: ASGIApp, enter: Callable[[Request], Response]) -> None:
        self._app = app
        self._enter = enter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        app = self._app
        if scope["type"] == "http" and scope["method"] == "GET" and path_in(scope) == "/":
            request = Request(dict(scope))
            if PARAMETER in request.query_params:
                scope["query_string"] = b""
                app = await run_in_threadpool(self._enter, request)
        await app(scope, receive, send)


class BodyLimit:
    """Refuses bodies that are larger than anything the study needs (413).

    Parameters
    ----------
    app : application
        What it stands before.
    refuse : callable
        Makes the answer.
    limits : mapping, optional
        For paths where more is allowed: bytes, and what to say to whoever sends more (empty: what is always said). A
        path that ends with a slash stands for all that are one step below it.
    """

    def __init__(
        self,
        app: ASGIApp,
        refuse: Callable[[Request, int, str], Response],
        limits: Mapping[str, tuple[int, str]] | None = None,
    ) -> None:
        self._app = app
        self._refuse = refuse
        self._limits = dict.fromkeys(IMPORT_PATHS, (IMPORT_LIMIT, "")) if limits is None else limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit, sentence = self._limit_of(path_in(scope))
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "0")
        received, whole = 0, announced == "0" and "transfer-encoding" not in headers

        async def counted() -> Message:
            nonlocal received, whole
            message = await receive()
            received += len(message.get("body", b""))
            whole = whole or not message.get("more_body", False)
            if received > limit:
                whole = False
                raise too_large(limit, sentence)
            return message

        async def closing(message: Message) -> None:
            # Whoever was answered before all was read would go on sending, and be listened to.
            if message["type"] == "http.response.start" and not whole:
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        if announced.isdigit() and int(announced) > limit:
            response = await run_in_threadpool(self._refuse, Request(scope), 413, too_large(limit, sentence).detail)
            await response(scope, receive, closing)
            return
        await self._app(scope, counted, closing)

    def _limit_of(self, path: str) -> tuple[int, str]:
        found = self._limits.get(path) or self._limits.get(f"{path.rpartition('/')[0]}/")
        return found or (LIMIT, "")


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


def _from_elsewhere(scope: Scope, command: str) -> tuple[int, str] | None:
    """Say why a request is none of a browser on this machine; None if it may be one."""
    if not is_loopback(_name_in(scope)):
        return 400, "As long as nobody has a token, this server answers to localhost and 127.0.0.1 only."
    names = {name.decode("latin-1").lower() for name, _ in scope["headers"]}
    if names & _OF_PROXIES or any(name.startswith("x-forwarded-") for name in names):
        return 403, (
            "The request came through a proxy, and as long as nobody has a token this server is for its own machine "
            f"only: give tokens with {command}."
        )
    return None


def _name_in(scope: Scope) -> str:
    """Name of the server, as the request has it; without the port."""
    try:
        return urlsplit(f"//{Headers(scope=scope).get('host', '')}").hostname or ""
    except ValueError:
        return ""


def too_large(limit: int, sentence: str = "") -> HTTPException:
    """Say how much is too much."""
    size = f"{limit // 1024} KiB" if limit < 1024 * 1024 else f"{limit // (1024 * 1024)} MiB"
    said = sentence or f"The request is larger than the {size} that are allowed here; send less at a time."
    return HTTPException(413, said)
