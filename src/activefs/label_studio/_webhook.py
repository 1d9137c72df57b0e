"""The webhook: Label Studio says that something happened, and the next round comes at once.

What a call says is not believed: what happened is read over the REST API, as in every round. Whoever guesses the secret
could cause a round, and nothing else.
"""

from __future__ import annotations

import hmac
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from activefs.exceptions import ActiveFSError
from activefs.label_studio._api import SECRET

_LARGEST = 1 << 20
_AT_ONCE = 16
_TIMEOUT = 5.0


class Listener:
    """Waits for calls of the webhook, in threads of its own.

    Parameters
    ----------
    host, port : str, int
        Where it listens; port 0 is any free one.
    wake : threading.Event
        Set by every call that carries the secret.
    """

    def __init__(self, host: str, port: int, wake: threading.Event) -> None:
        self.secret = secrets.token_urlsafe(32)
        try:
            self._server = _Server((host, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise ActiveFSError(f"the webhook cannot listen on {host}:{port}: {why}") from None
        self._server.secret, self._server.wake = self.secret, wake
        self._thread = threading.Thread(target=self._server.serve_forever, name="activefs-webhook", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Address at which it listens."""
        host, port = self._server.server_address[:2]
        name = str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # where it would let two have the same port
    secret: str
    wake: threading.Event

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._free = threading.BoundedSemaphore(_AT_ONCE)
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:  # the next round comes anyway
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about connections that break off."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _TIMEOUT
    server_version, sys_version = "activefs", ""

    def do_POST(self) -> None:
        """Take a call."""
        given = self.headers.get(SECRET, "").encode("utf-8", "replace")
        length = self.headers.get("Content-Length", "")
        if not hmac.compare_digest(given, self.server.secret.encode()):
            return self._answer(403)
        if not length.isascii() or not length.isdigit() or int(length[:9]) > _LARGEST:
            return self._answer(413)
        self.rfile.read(int(length))
        self.server.wake.set()
        return self._answer(204)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""

    def _answer(self, status: int) -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
