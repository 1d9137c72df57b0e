"""Connections that do nothing, or too slowly, keep nobody out."""

import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from commanded import commanded
from machines import PATIENCE, sqlite_url

from activefs import Study
from activefs.storages import open_storage

resource = pytest.importorskip("resource", reason="Windows does not limit how many files a process opens")

MANY = 1_100
# As they come: nothing, half a header, a body of which the rest does not come.
PARTS = (
    b"",
    b"GET /health HTTP/1.1\r\nHo",
    b"POST /api/v1/answers HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
)


@contextmanager
def _served(tmp_path, add_annotator, **options):
    X = np.random.default_rng(0).integers(0, 3, (50, 3))
    np.savetxt(tmp_path / "t.csv", X, "%d", ",", header="a,b,c", comments="")
    with sqlite_url() as url:
        Study.create(url, tmp_path / "t.csv", 1, classes=["yes", "no"], strategy="random", random_state=0).close()
        storage = open_storage(url)
        token = add_annotator(storage, "ana")
        storage.close()
        with commanded(url, tmp_path, token, **options) as server:
            yield server


@pytest.fixture
def many_files():
    """Let this process have as many connections as the test opens."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = len(list(Path("/dev/fd").iterdir())) + MANY + 100
    if hard != resource.RLIM_INFINITY and hard < needed:
        pytest.skip(f"this process may not open so many connections: ulimit -n {needed} lets it")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("files", [None, 1024])
def test_many_that_do_nothing_keep_nobody_out(files, tmp_path, add_annotator, many_files, record_property):
    with _served(tmp_path, add_annotator, files=files) as server:
        held = server.ask().json()["questions"][0]["id"]
        start = time.monotonic()
        idle = [server.connect(PARTS[i % len(PARTS)]) for i in range(MANY)]
        began = time.perf_counter()
        for _ in range(5):
            said = server.ask()
            assert said.status_code == 200 and said.json()["questions"][0]["id"] == held
        took = (time.perf_counter() - began) / 5
        for connection in idle:
            connection.close()
        seconds = time.monotonic() - start
    lines = server.log.read_text().splitlines()
    warnings = [line for line in lines if " WARNING " in line or " ERROR " in line]
    assert len(warnings) <= 1 + seconds, lines
    assert any("more than" in line for line in warnings)
    record_property(
        "measured", f"{MANY} idle connections, files: {files or 'any'}: a question takes {1000 * took:.0f} ms"
    )


@pytest.mark.long
def test_what_comes_too_slowly_is_ended(tmp_path, add_annotator):
    with _served(tmp_path, add_annotator, options=["--access-log"]) as server:
        silent, header, body = (server.connect(part) for part in PARTS)
        header.settimeout(0.5)
        ended = False
        end = time.monotonic() + PATIENCE
        while not ended and time.monotonic() < end:  # a byte now and then does not help
            try:
                header.sendall(b"x")
                ended = header.recv(100) == b""
            except TimeoutError:
                continue
            except OSError:
                ended = True
        assert ended
        silent.settimeout(PATIENCE)
        assert _rest(silent) == b""
        said = _rest(body)
        assert said.startswith(b"HTTP/1.1 408") and b"did not come in time" in said
        assert server.ask().status_code == 200
    log = server.log.read_text()
    assert "POST /api/v1/answers" not in log  # it never was a request
    assert log.count("the rest of a request did not come in time") == 1


def test_whoever_may_not_import_is_refused_before_the_file_has_come(tmp_path, add_annotator):
    head = "POST /api/v1/labels HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20000000\r\nContent-Type: text/csv\r\n"
    with _served(tmp_path, add_annotator) as server:
        for token, status in ((server.headers["Authorization"], b"403"), ("Bearer wrong", b"401")):
            connection = server.connect(f"{head}Authorization: {token}\r\n\r\nrow,label\r\n".encode())
            assert _rest(connection).startswith(b"HTTP/1.1 " + status)  # with the end of the connection
            content = b"row,label\n" + b"1,yes\n" * 3_000_000
            said = httpx.post(
                f"{server.base}/api/v1/labels", headers={"Authorization": token}, content=content, timeout=PATIENCE
            )
            assert said.status_code == int(status)
        assert server.ask().status_code == 200


def test_a_reader_that_closes_in_the_middle_is_no_error(tmp_path, add_annotator):
    with _served(tmp_path, add_annotator) as server:
        for _ in range(20):
            server.connect(b"GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").close()
            server.connect(b"no request at all\r\n\r\n").close()
        assert server.ask().status_code == 200
    assert " ERROR " not in server.log.read_text()


def _rest(connection):
    """All that comes until the other side ends the connection."""
    connection.settimeout(PATIENCE)
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)
