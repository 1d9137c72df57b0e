"""A real Label Studio for tests: installed once into an environment of its own, started, killed, and labelled in."""

import os
import signal
import subprocess
import sys
import tempfile
import venv
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import platformdirs
import pytest
from machines import PATIENCE, held_port, wait_until

WANTED = "label-studio>=1.23,<2"
PASSWORD = "only-for-tests"
# Nothing leaves this machine; webhooks may reach it, which Label Studio refuses otherwise.
QUIET = {
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "SSRF_PROTECTION_ENABLED": "false",
    "DEBUG": "false",
}


@cache
def executable() -> str:
    """Path of `label-studio`: the one that is named, or one that is installed where a second run finds it."""
    if named := os.environ.get("ACTIVEFS_TEST_LABEL_STUDIO"):
        return named
    folder = platformdirs.user_cache_path("activefs-tests") / f"label-studio-{sys.version_info[0]}{sys.version_info[1]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # no home
        folder = Path(tempfile.gettempdir()) / folder.name
        folder.mkdir(parents=True, exist_ok=True)
    program, done = folder / "bin" / "label-studio", folder / "installed"
    with (folder / "lock").open("wb") as lock:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)  # other workers wait until it is there
        if not done.is_file():
            _install(folder)
            done.touch()
    return str(program)


def _install(folder: Path) -> None:
    venv.create(folder, with_pip=True, clear=False)
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WANTED]
    try:
        run = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=1500)
    except subprocess.TimeoutExpired:
        pytest.skip(f"pip install '{WANTED}' takes longer than 25 minutes here: set ACTIVEFS_TEST_LABEL_STUDIO")
    if run.returncode:
        why = " ".join(run.stderr.split())[-300:]
        pytest.skip(
            f"pip install '{WANTED}' does not work here ({why}): make a package index reachable, or set "
            "ACTIVEFS_TEST_LABEL_STUDIO to the path of an installed label-studio"
        )


class StudioServer:
    """A Label Studio on a free port of this machine, with a database of its own; killing it is part of the tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held, self._port = held_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"
        self.people: dict[str, httpx.Client] = {}
        self.tokens: dict[str, str] = {}

    def start(self) -> "StudioServer":
        command = [executable(), "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(self._port)]
        command += ["--username", "ana@example.com", "--password", PASSWORD]
        environment = {**os.environ, **QUIET, "LABEL_STUDIO_BASE_DATA_DIR": str(self._folder)}
        environment.pop("PYTHONPATH", None)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )
        wait_until(self._is_up, pause=0.2)
        return self

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The one that was started last."""
        assert self._process is not None, "it was never started"
        return self._process

    def _is_up(self) -> bool:
        assert self.process.poll() is None, (self._folder / "log").read_text(encoding="utf-8")[-3000:]
        try:
            return httpx.get(f"{self.url}/health", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """End it as a machine that goes down would."""
        if sys.platform != "win32":
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)

    # --- people ---

    def sign_in(self, email: str) -> httpx.Client:
        """Sign somebody in, who is invited first if need be; and give them a personal access token."""
        client = httpx.Client(base_url=self.url, timeout=60)
        if email != "ana@example.com":
            invite = self.people["ana@example.com"].get("/api/invite").json()["invite_url"]
            client.get(invite)
            form = {"email": email, "password": PASSWORD, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
            assert client.post(invite, data=form).status_code == 302
        else:
            client.get("/user/login/")
            form = {"email": email, "password": PASSWORD, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
            assert client.post("/user/login/", data=form).status_code == 302
        made = client.post("/api/token/", headers={"X-CSRFToken": client.cookies["csrftoken"]})
        assert made.status_code == 201, made.text
        self.tokens[email] = made.json()["token"]
        client.headers["X-CSRFToken"] = client.cookies["csrftoken"]
        self.people[email] = client
        return client

    def project(self, title: str) -> int:
        found = self.people["ana@example.com"].get("/api/projects/").json()["results"]
        return int(next(p["id"] for p in found if p["title"] == title))

    def tasks(self, project: int) -> list[dict[str, Any]]:
        """All tasks with their annotations, as Label Studio exports them."""
        answer = self.people["ana@example.com"].get(
            f"/api/projects/{project}/export", params={"exportType": "JSON", "download_all_tasks": "true"}
        )
        return sorted(answer.json(), key=lambda task: task["id"])


def next_task(client: httpx.Client, project: int) -> dict[str, Any] | None:
    """The task that Label Studio shows somebody next; None if there is none."""
    answer = client.get(f"/api/projects/{project}/next/")
    return answer.json() if answer.status_code == 200 else None


def annotate(client: httpx.Client, task: int, label: str | None) -> int:
    """Label a task, or skip it; returns the annotation's number."""
    result = [] if label is None else [_choice(label)]
    answer = client.post(f"/api/tasks/{task}/annotations/", json={"result": result, "was_cancelled": label is None})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def change(client: httpx.Client, annotation: int, label: str) -> None:
    """Change an annotation."""
    assert client.patch(f"/api/annotations/{annotation}/", json={"result": [_choice(label)]}).status_code == 200


def _choice(label: str) -> dict[str, Any]:
    return {"from_name": "label", "to_name": "activefs_cells", "type": "choices", "value": {"choices": [label]}}
