"""Receivers of webhooks: real HTTP servers that answer as they are told to."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from machines import held_port, wait_until

SECRET = "a secret of the receiver"
Answer = int | Callable[[BaseHTTPRequestHandler], None]
"""A status, or what talks to whoever has sent something."""


class Receiver:
    """Takes what is sent; `answers` are what the next requests get (a status, or a function), and 204 after that."""

    def __init__(self, *answers: Answer, port: int | None = None) -> None:
        self.answers = list(answers)
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self._done = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.bodies.append(body)
                outer.headers.append(dict(self.headers))
                outer.paths.append(self.path)
                answer = outer.answers.pop(0) if outer.answers else 204
                if callable(answer):
                    answer(self)
                    return
                self.send_response(answer)
                self.end_headers()

            def do_GET(self) -> None:
                outer.paths.append(self.path)
                self.send_error(405)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # whoever sends may be killed

        self._server = Server(("127.0.0.1", port or 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]

    @property
    def milestones(self) -> list[str]:
        return [said["milestone"] for said in self.told]

    def wait_for(self, *milestones: str) -> None:
        wait_until(lambda: set(milestones) <= set(self.milestones))

    def hang(self, handler: BaseHTTPRequestHandler) -> None:
        """Say nothing until the test is over."""
        self._done.wait(60)

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
        """Send a status, and then a body without end."""
        handler.send_response(200)
        handler.end_headers()
        while not self._done.wait(0.05):
            handler.wfile.write(b"x" * 1000)
            handler.wfile.flush()

    def drip_headers(self, handler: BaseHTTPRequestHandler) -> None:
        """Send headers without end."""
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not self._done.wait(0.05):
            handler.wfile.write(b"X-More: y\r\n")
            handler.wfile.flush()

    def stop(self) -> None:
        self._done.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def redirect_to(url: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(307)
        handler.send_header("Location", url)
        handler.end_headers()

    return answer


@contextmanager
def receiving(*answers: Answer, port: int | None = None) -> Iterator[Receiver]:
    receiver = Receiver(*answers, port=port)
    try:
        yield receiver
    finally:
        receiver.stop()


def is_signed(headers: Mapping[str, str], body: bytes, secret: str = SECRET) -> bool:
    """As the documentation tells receivers to check it."""
    parts = dict(part.split("=", 1) for part in headers["Activefs-Signature"].split(","))
    expected = hmac.new(secret.encode(), f"{parts['t']}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, parts["v1"]) and abs(time.time() - int(parts["t"])) < 300


def nobody_there() -> tuple[socket.socket, int, str]:
    """An address that nobody listens at, and its port, which is kept free."""
    held, port = held_port()
    return held, port, f"http://127.0.0.1:{port}/hook"
