"""Servers started as people do it, by the command; their log is in a file."""

import re
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx
from machines import PATIENCE


class Commanded:
    """A server that runs, and somebody who has a token for it."""

    def __init__(self, process, port, log, token):
        self.process, self.port, self.log = process, port, log
        self.base, self.headers = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {token}"}

    def connect(self, first=b""):
        made = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        made.sendall(first)
        return made

    def get(self, path, **options):
        return httpx.get(self.base + path, headers=self.headers, timeout=PATIENCE, **options)

    def post(self, path, said):
        return httpx.post(f"{self.base}/api/v1{path}", headers=self.headers, json=said, timeout=PATIENCE)

    def ask(self):
        return self.post("/questions", {})

    def answer(self, label="yes"):
        number = self.ask().json()["questions"][0]["id"]
        return self.post("/answers", {"question": number, "label": label})


@contextmanager
def commanded(url, folder, token="", *, files=None, options=()):
    """Run ``activefs serve``, perhaps with few files that it may open; the file `log` of a folder is its log."""
    limit = f"ulimit -n {files}; " if files else ""
    command = ["bash", "-c", f'{limit}exec "$0" -m activefs serve "$@"', sys.executable, str(url), "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "text": True}
    with (folder / "log").open("w") as log, subprocess.Popen([*command, *options], stderr=log, **pipes) as process:
        try:
            port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
            yield Commanded(process, port, folder / "log", token)
        finally:
            process.terminate()
            process.wait(PATIENCE)
