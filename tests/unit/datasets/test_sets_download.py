"""Download of data sets, from a server of our own: no network needed."""

import hashlib
import socket
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from activefs.datasets._files import Folders
from activefs.datasets._readers import RawTable
from activefs.datasets._registry import Entry, RawFile
from activefs.datasets._sets import fetch_entry, load_entry
from activefs.exceptions import DataSetError

PAGE = bytes(range(200)) * 2000  # several of the pieces in which a download comes


def read(contents: Sequence[bytes]) -> RawTable:
    values = np.frombuffer(contents[0], dtype=np.uint8).reshape(-1, 4)
    return RawTable(values, np.zeros(len(values), dtype=np.uint8), ("a", "b", "c", "d"))


def tiny(*bases: str) -> Entry:
    sha256 = frozenset({hashlib.sha256(PAGE).hexdigest()})
    file = RawFile(("TINY.bin",), sha256, tuple(f"{base}/TINY.bin" for base in bases))
    return Entry("TINY", len(PAGE) // 4, 4, ("0", "1"), (file,), read, "made up")


class Given(Folders):
    """Folders of which the user has named one."""

    given: Path


@pytest.fixture
def folders(tmp_path: Path) -> Given:
    (tmp_path / "given").mkdir()
    return Given(tmp_path / "given", tmp_path / "cache")


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class Server:
    """Serves the paths of `pages`; `lost` bytes of each are promised but not sent."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.lost = 0
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                body = server.pages.get(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write((body or b"")[: len(body or b"") - server.lost])

            def log_message(self, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = Server()
    yield server
    server.close()


def test_download_once(server: Server, folders: Given) -> None:
    server.pages["/TINY.bin"] = PAGE
    told: list[tuple[str, int, int]] = []
    (path,) = fetch_entry(tiny(server.url), folders, progress=lambda *what: told.append(what))
    assert path.read_bytes() == PAGE and path == folders.cache / "TINY.bin"
    assert told[0][1] < len(PAGE) and told[-1] == ("TINY.bin", len(PAGE), len(PAGE))
    assert all(name == "TINY.bin" and done <= total for name, done, total in told)
    assert fetch_entry(tiny(server.url), folders) == (path,) and server.asked == ["/TINY.bin"]


def test_load_downloads(server: Server, folders: Given) -> None:
    server.pages["/TINY.bin"] = PAGE
    assert load_entry(tiny(server.url), folders).X.shape == (len(PAGE) // 4, 4)
    assert files_below(folders.given) == []  # the user's folder is left as it is


def test_the_given_folder_comes_first(server: Server, folders: Given) -> None:
    (folders.given / "TINY.bin").write_bytes(PAGE)
    assert fetch_entry(tiny(server.url), folders) == (folders.given / "TINY.bin",)
    assert server.asked == []


def test_without_a_given_folder(server: Server, folders: Given) -> None:
    server.pages["/TINY.bin"] = PAGE
    assert fetch_entry(tiny(server.url), Folders(None, folders.cache)) == (folders.cache / "TINY.bin",)


@pytest.mark.parametrize("fault", ["other file", "cut off", "not there"])
def test_failed_download_leaves_nothing_behind(server: Server, folders: Given, fault: str) -> None:
    if fault != "not there":
        server.pages["/TINY.bin"] = PAGE if fault == "cut off" else b"version https://git-lfs"
    server.lost = 7 if fault == "cut off" else 0
    with pytest.raises(DataSetError, match="could not be downloaded") as caught:
        load_entry(tiny(server.url), folders)
    reason = {"other file": "SHA-256", "cut off": "Error", "not there": "404"}[fault]
    assert f"{server.url}/TINY.bin" in str(caught.value) and reason in str(caught.value)
    assert files_below(folders.cache) == []


def test_second_mirror(server: Server, folders: Given) -> None:
    server.pages["/b/TINY.bin"] = PAGE
    fetch_entry(tiny(f"{server.url}/a", f"{server.url}/b"), folders)
    assert server.asked == ["/a/TINY.bin", "/b/TINY.bin"]


def test_cache_that_cannot_be_written_to_is_named(server: Server, folders: Given) -> None:
    server.pages["/TINY.bin"] = PAGE
    folders.cache.write_text("a file where the folder should be")
    with pytest.raises(DataSetError, match="could not be downloaded") as caught:
        fetch_entry(tiny(server.url), folders)
    assert str(folders.cache) in str(caught.value)


def test_no_network(folders: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as taken:  # bound, not listening: the connection is refused
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(DataSetError) as caught:
            load_entry(tiny(url), folders)
    message = str(caught.value)
    for part in ("TINY.bin is not on this machine", f"{url}/TINY.bin: ConnectionError", "ACTIVEFS_DATA_DIR"):
        assert part in message
    assert str(folders.given) in message and str(folders.cache) in message
