"""The server as a process: where it listens, and to whom."""

import re
import socket
import subprocess
import sys
import threading
import time
from typing import Any

import httpx
from machines import PATIENCE, line_of, sqlite_url
from platforms import needs_signals
from searched import found_in
from servers import served

from activefs import Study
from activefs.cli import main
from activefs.storages import open_storage

OPTIONS: dict[str, Any] = {"id_column": "patient", "classes": ["yes", "no"], "strategy": "random", "random_state": 0}


def test_without_tokens_it_serves_whoever_started_it(table, add_annotator):
    with sqlite_url() as url:
        Study.create(url, table, 1, show_text="note", **OPTIONS).close()
        with served(url) as server, httpx.Client(timeout=PATIENCE, follow_redirects=True) as browser:
            assert httpx.get(server.base, timeout=PATIENCE).status_code == 401
            address = server.start_address()
            assert browser.get(address).status_code == browser.get(server.base).status_code == 200
            assert httpx.get(address, timeout=PATIENCE, follow_redirects=True).status_code == 401  # once is once
            assert httpx.get(server.start_address(), timeout=PATIENCE).status_code == 303
            server.kill()
            server.start()
            assert browser.get(server.base).status_code == 200  # the page in the browser goes on
            assert httpx.get(address, timeout=PATIENCE).status_code == 401
            storage = open_storage(url)
            add_annotator(storage, "ana")  # from now on everybody needs one
            storage.close()
            assert browser.get(server.base).status_code == 401
            assert httpx.get(server.start_address(), timeout=PATIENCE, follow_redirects=True).status_code == 401


def test_a_port_that_is_taken(table, capsys):
    with sqlite_url() as url, socket.socket() as other:
        Study.create(url, table, 1, show_text="note", **OPTIONS).close()
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["serve", url, "--port", str(port)]) == 1
        said = capsys.readouterr().err
        assert f"cannot listen on 127.0.0.1 port {port}" in said and "try another --port" in said


@needs_signals
def test_it_stops_while_browsers_connect_and_say_nothing(table):
    with sqlite_url() as url:
        Study.create(url, table, 1, show_text="note", **OPTIONS).close()
        command = [sys.executable, "-m", "activefs", "serve", url, "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            port = int(found_in(line_of(server.stdout), r":(\d+)/"))
            assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=PATIENCE).status_code == 200
            connected: list[socket.socket] = []
            connecting = threading.Thread(target=_connect_until_refused, args=(port, connected))
            connecting.start()
            while len(connected) < 50:
                time.sleep(0.001)
            server.terminate()
            try:
                server.wait(PATIENCE)
            finally:
                server.kill()
                connecting.join()
            for connection in connected:
                connection.close()
            assert server.stderr is not None
            log = server.stderr.read()
            assert re.fullmatch(r"\S+ INFO activefs.web: serving .*\n\S+ INFO activefs.web: stopped\n", log), log


def _connect_until_refused(port, connected):
    while True:
        try:
            connected.append(socket.create_connection(("127.0.0.1", port), PATIENCE))
        except OSError:
            return
        time.sleep(0.0002)
