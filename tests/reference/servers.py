"""Servers and annotators as processes of their own, which can be killed and are quick to start.

Processes are forked from one that has imported and compiled everything: starting anew takes a tenth of a second instead
of several, so that a test can kill a server fifty times.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import pytest
from machines import PATIENCE, held_port, wait_until

if sys.platform == "win32":  # where no process can be forked: each one imports everything
    _CONTEXT = multiprocessing.get_context("spawn")
else:
    _CONTEXT = multiprocessing.get_context("forkserver")
    _CONTEXT.set_forkserver_preload(["servers_warm"])


def _start(target: Callable[..., None], *args: Any) -> BaseProcess:
    """Start a process, and the one that all are forked from if it is not there yet.

    That one finds its modules by PYTHONPATH only; what it cannot find it leaves out without a word.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
        process = _CONTEXT.Process(target=target, args=args, daemon=True)
        process.start()
    return process


def _serve(url: str, table: str, port: int, ahead: Any, said: Path, options: dict[str, Any]) -> None:
    from activefs.study import StudyEngine, open_engine
    from activefs.web import _run

    def with_clock(*where: Any, **how: Any) -> StudyEngine:
        engine = open_engine(*where, **how)
        engine.clock = lambda: datetime.now(UTC) + timedelta(seconds=ahead.value)
        return engine

    pytest.MonkeyPatch().setattr(_run, "open_engine", with_clock)  # as long as this process lives

    def say(line: str) -> None:
        with Path(said).open("a", encoding="utf-8") as lines:
            lines.write(f"{line}\n")

    os.environ.update(options.pop("environment", {}))
    _run.run(url, Path(table) if table else None, "127.0.0.1", port, say=say, **options)


class Server:
    """A server process on a port that stays the same over restarts, with a clock that can be put forward.

    `options` are those of `run`; among them, `environment` is what its environment has besides.
    """

    def __init__(self, url: str | Path, table: str | Path | None = None, **options: Any) -> None:
        self.url, self.table, self.options = url, table, options
        opened, said = tempfile.mkstemp(prefix="said-")  # what the terminal would show
        os.close(opened)
        self.said = Path(said)
        self._held, self.port = held_port()
        self._ahead = _CONTEXT.Value("d", 0.0, lock=False)
        self.base = f"http://127.0.0.1:{self.port}"
        self._process: BaseProcess | None = None

    def start(self) -> Self:
        self._process = _start(
            _serve, str(self.url), str(self.table or ""), self.port, self._ahead, self.said, self.options
        )
        wait_until(self._answers, pause=0.01)
        return self

    @property
    def process(self) -> BaseProcess:
        """The one that was started last."""
        assert self._process is not None, "it was never started"
        return self._process

    @property
    def pid(self) -> int:
        """Number of its process."""
        assert self.process.pid is not None
        return self.process.pid

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.base}/health", timeout=PATIENCE).status_code == 200
        except httpx.TransportError:
            assert self.process.is_alive(), "the server ended at once"
            return False

    def start_address(self) -> str:
        """The address with a secret that the terminal shows: the last one."""
        return str(re.findall(r"http://\S+\?start=\S+", self.said.read_text(encoding="utf-8"))[-1])

    def put_clock_forward(self, seconds: float) -> None:
        """Let leases run out without waiting for it."""
        self._ahead.value += seconds

    def kill(self) -> None:
        """End it as a power cut would: SIGKILL, nothing is cleaned up."""
        kill(self.process)

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(PATIENCE)
        self._held.close()
        self.said.unlink()
        assert self.process.exitcode is not None, "the server does not stop"


SomeServer = TypeVar("SomeServer", bound=Server)


def kill(process: BaseProcess) -> None:
    """Kill a process that is alive; one that ended by itself is a failure, and its number may belong to another now."""
    assert process.is_alive(), "the process ended by itself: see its error above"
    process.kill()
    process.join()


@contextmanager
def running(server: SomeServer) -> Iterator[SomeServer]:
    """Start a server, and stop it afterwards."""
    server.start()
    try:
        yield server
    finally:
        server.stop()


def served(url: str | Path, table: str | Path | None = None, **options: Any) -> AbstractContextManager[Server]:
    return running(Server(url, table, **options))


def start_annotator(base: str, token: str, receipts: Path) -> BaseProcess:
    """Start an annotator that labels until there is nothing left, and notes every receipt."""
    return _start(annotate, base, token, str(receipts))


def annotate(base: str, token: str, receipts: str) -> None:
    with (
        Path(receipts).open("a", encoding="utf-8") as notes,
        httpx.Client(base_url=f"{base}/api/v1", timeout=PATIENCE) as client,
    ):
        client.headers["Authorization"] = f"Bearer {token}"
        while True:
            asked = _until_answered(client, "/questions", {})
            if not asked["questions"]:
                if asked["finished"]:
                    return
                time.sleep(0.02)
                continue
            question = asked["questions"][0]
            label = "yes" if hash(str(question["row"])) % 2 else "no"
            said = {"question": question["id"], "label": label}
            if _until_answered(client, "/answers", said) is not None:
                notes.write(json.dumps({**said, "row": question["row"]}) + "\n")
                notes.flush()
                os.fsync(notes.fileno())


def _until_answered(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    """Send again and again, until the server is there; None if the answer is not wanted any more."""
    while True:
        try:
            response = client.post(path, json=body)
        except httpx.TransportError:
            time.sleep(0.01)
            continue
        if response.status_code == 409:
            return None
        assert response.status_code == 200, response.text
        return response.json()
