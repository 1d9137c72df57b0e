"""The log of the server: one line per event on the standard error, with the time."""

from __future__ import annotations

import logging
import re
import sys
import time
from datetime import datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS = "activefs.access"
_PAUSE = 1.0
"""Seconds in which the same line is written once."""
_REMEMBERED = 1000
_TOKEN = re.compile(r"(?<=afs_)[\w-]+", re.ASCII)


def set_up(*, access: bool = False) -> None:
    """Write the log of this process to the standard error; with `access`, a line for every request, too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    handler.addFilter(Once())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("activefs").setLevel(logging.INFO)
    logging.getLogger(ACCESS).setLevel(logging.INFO if access else logging.CRITICAL)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.error").addFilter(_is_no_echo)


def _is_no_echo(record: logging.LogRecord) -> bool:
    """Whether a line says something that the application has not said of its own error before."""
    return not record.getMessage().startswith("Exception in ASGI application")


class OneLine(logging.Formatter):
    r"""Time, level, and what happened; what would begin a new line, or mean something to a terminal, is escaped.

    Tokens are left out, wherever somebody has put them.

    Examples
    --------
    >>> OneLine().format(logging.LogRecord("activefs.web", logging.ERROR, "", 0, "two\nlines", None, None))[-30:]
    'ERROR activefs.web: two\\nlines'
    """

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """Write the time, with its distance from UTC."""
        return datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds")

    def format(self, record: logging.LogRecord) -> str:
        """Write a line."""
        # Programs that write '#' as %23 make the token of a link a part of the path.
        said = _TOKEN.sub("...", escaped(super().format(record)))
        return f"{self.formatTime(record)} {record.levelname} {record.name}: {said}"


def escaped(text: str) -> str:
    r"""Write what is not to be printed as Python does in strings.

    Examples
    --------
    >>> escaped("a\x1b[31m\nb é")
    'a\\x1b[31m\\nb é'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class Once(logging.Filter):
    """Lets the same line pass once in a second, and says how often it was held back; requests are all let pass."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, int, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a line is written."""
        if record.name == ACCESS:
            return True
        key = record.name, record.levelno, record.getMessage()[:200]
        now = time.monotonic()
        at, held = self._seen.pop(key, (-_PAUSE, 0))
        if now - at < _PAUSE:
            self._seen[key] = at, held + 1
            return False
        self._seen[key] = now, 0
        while len(self._seen) > _REMEMBERED:
            del self._seen[next(iter(self._seen))]
        if held:
            record.msg, record.args = f"{record.getMessage()} ({held} more times in between)", None
        return True


class AccessLog:
    """Writes a line for every request: method, path without what may be secret, status, time, and who it was.

    A request that did not come to its end is none: a thousand of them would be a thousand lines.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._logger = logging.getLogger(ACCESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or not self._logger.isEnabledFor(logging.INFO):
            await self._app(scope, receive, send)
            return
        start, status, path = time.perf_counter(), 0, scope["path"]
        gone = False
        state = scope.setdefault("state", {})

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async def watched() -> Message:
            nonlocal gone
            message = await receive()
            gone = gone or (message["type"] == "http.disconnect" and status == 0)
            return message

        try:
            await self._app(scope, watched, noted)
        finally:
            if not gone:
                took = round(1000 * (time.perf_counter() - start))
                who = state.get("who") or "-"
                self._logger.info("%s %s %d %d ms %s", scope["method"], path[:500], status, took, who)
