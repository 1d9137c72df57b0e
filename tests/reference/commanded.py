"""Servers started as people do it, by the command; their log is in a file."""

import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from machines import PATIENCE, line_of
from platforms import STOPPABLE, stop
from searched import found_in


class Commanded:
    """A server that runs, and somebody who has a token for it."""

    def __init__(self, process: subprocess.Popen[str], port: int, log: Path, token: str) -> None:
        self.process, self.port, self.log = process, port, log
        self.base, self.headers = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {token}"}

    def connect(self, first: bytes = b"") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        made.sendall(first)
        return made

    def get(self, path: str, **options: Any) -> httpx.Response:
        return httpx.get(self.base + path, headers=self.headers, timeout=PATIENCE, **options)

    def post(self, path: str, said: Mapping[str, Any]) -> httpx.Response:
        return httpx.post(f"{self.base}/api/v1{path}", headers=self.headers, json=said, timeout=PATIENCE)

    def ask(self) -> httpx.Response:
        return self.post("/questions", {})

    def answer(self, label: str = "yes") -> httpx.Response:
        number = self.ask().json()["questions"][0]["id"]
        return self.post("/answers", {"question": number, "label": label})


@contextmanager
def commanded(
    url: str | Path, folder: Path, token: str = "", *, files: int | None = None, options: Sequence[str] = ()
) -> Iterator[Commanded]:
    """Run ``activefs serve``, perhaps with few files that it may open; the file `log` of a folder is its log."""
    command = [sys.executable, "-m", "activefs", "serve", str(url), "--port", "0", *options]
    if files:
        command = ["bash", "-c", f'ulimit -n {files}; exec "$0" "$@"', *command]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            command, stderr=log, stdout=subprocess.PIPE, encoding="utf-8", creationflags=STOPPABLE
        ) as process,
    ):
        try:
            port = int(found_in(line_of(process.stdout), r":(\d+)/"))
            yield Commanded(process, port, folder / "log", token)
        finally:
            stop(process)
            process.wait(PATIENCE)
