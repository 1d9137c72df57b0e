"""The log of the server: times, one line per event, who did what, and no secrets."""

import logging
import re
from datetime import datetime
from typing import Any

import httpx
import pytest
from commanded import commanded
from machines import PATIENCE, line_of, sqlite_url
from searched import found_in

from activefs import Study
from activefs.storages import Role, open_storage
from activefs.study import new_annotator
from activefs.web._log import Once, OneLine

LINE = re.compile(r"(?P<time>\S+) (?P<level>[A-Z]+) (?P<name>[\w.]+): (?P<said>.*)")


def _parts(line):
    """What a line of the log consists of."""
    found = LINE.fullmatch(line)
    assert found is not None, line
    return found


def _record(said, *args, name="activefs.web", level=logging.WARNING):
    return logging.LogRecord(name, level, "", 0, said, args, None)


def test_a_line_has_the_time_with_its_distance_from_utc():
    found = _parts(OneLine().format(_record("a\nb\x1b[2J %s", "c\r")))
    assert found["said"] == r"a\nb\x1b[2J c\r"
    assert datetime.fromisoformat(found["time"]).utcoffset() is not None


def test_a_token_is_in_no_line():
    _, token = new_annotator("ana", Role.ANNOTATOR)
    line = OneLine().format(_record(f"GET /s/heart/join#{token} 404"))
    assert line.endswith("GET /s/heart/join#afs_... 404")


def test_an_error_is_one_line():
    try:
        raise ValueError("what")
    except ValueError as error:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "oh", None, (type(error), error, error.__traceback__))
    said = OneLine().format(record)
    assert "\n" not in said and "ValueError: what" in said


def test_the_same_line_comes_once_in_a_second(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    once = Once()
    assert [once.filter(_record("full")) for _ in range(3)] == [True, False, False]
    assert once.filter(_record("other")) and once.filter(_record("a request", name="activefs.access"))
    now[0] += 1.0
    again = _record("full")
    assert once.filter(again) and again.getMessage() == "full (2 more times in between)"


@pytest.fixture
def url(table, add_annotator):
    with sqlite_url() as place:
        options: dict[str, Any] = {
            "id_column": "patient",
            "classes": ["yes", "no"],
            "strategy": "random",
            "ignore": ["note"],
        }
        Study.create(place, table, 1, **options).close()
        yield place


def _token(url, add_annotator):
    storage = open_storage(url)
    token = add_annotator(storage, "ana maria")
    storage.close()
    return token


def test_access_without_secrets(url, tmp_path, add_annotator):
    token = _token(url, add_annotator)
    with commanded(url, tmp_path, token, options=["--access-log"]) as server:
        assert server.answer().status_code == 200
        httpx.get(f"{server.base}/answers?secret=geheim", timeout=PATIENCE)
        httpx.get(f"{server.base}/join%23{token}", timeout=PATIENCE)
        httpx.get(f"{server.base}/%0a%1b%5b2Jforged", timeout=PATIENCE)
        httpx.post(f"{server.base}/sign-in", data={"token": token}, timeout=PATIENCE)
    log = server.log.read_text()
    lines = [_parts(line) for line in log.splitlines()]
    requests = [line["said"] for line in lines if line["name"] == "activefs.access"]
    assert any(re.fullmatch(r"POST /api/v1/answers 200 \d+ ms ana maria", said) for said in requests), requests
    assert any(re.fullmatch(r"GET /answers 401 \d+ ms -", said) for said in requests), requests
    assert any(re.fullmatch(r"GET /\\n\\x1b\[2Jforged 404 \d+ ms -", said) for said in requests), requests
    assert token not in log and "geheim" not in log


def test_without_access_log_requests_are_not_written(url, tmp_path, add_annotator):
    with commanded(url, tmp_path, _token(url, add_annotator)) as server:
        assert server.get("/study").status_code == 200
    said = [_parts(line)["said"] for line in server.log.read_text().splitlines()]
    assert [line.split()[0] for line in said] == ["serving", "stopped"]


def test_the_secret_of_the_start_is_in_no_log(url, tmp_path):
    with commanded(url, tmp_path, options=["--access-log"]) as server:
        shown = line_of(server.process.stdout)
        secret = found_in(shown, r"start=(\S+)")
        assert httpx.get(f"{server.base}/?start={secret}", timeout=PATIENCE).status_code == 303
    log = server.log.read_text()
    assert "GET / 303" in log and secret not in log
