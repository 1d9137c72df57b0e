"""A server of several studies as a process, in a real Chromium, on both databases, and behind a real proxy."""

import re
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from catalogs import catalog_of
from machines import PATIENCE, held_port, postgres_database, wait_until
from playwright.sync_api import expect
from servers import served

from activefs import Study
from activefs.catalog import open_catalog, some_catalog
from activefs.cli import main
from activefs.storages import Role, open_storage

expect.set_options(timeout=1000 * PATIENCE)
OPTIONS: dict[str, Any] = {
    "classes": ["yes", "no"],
    "strategy": "random",
    "random_state": 0,
    "budget": 30,
    "id_column": "patient",
}


@contextmanager
def folder_of_studies():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield folder, {}, Path(folder)


@contextmanager
def database_of_studies():
    with postgres_database() as url, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield url, {"tables": Path(folder)}, Path(folder)


PLACES = {"sqlite": folder_of_studies, "postgresql": database_of_studies}


@pytest.fixture
def new_page(browser):
    complaints, contexts = [], []

    def make(**options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if "Security Policy" in line.text else None)
        page.set_default_timeout(1000 * PATIENCE)
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("kind", PLACES)
def test_from_a_table_to_labels(kind, table, new_page):
    """Send a table, look at it, make the study, invite by link, join, label; with a restart in between."""
    with PLACES[kind]() as (place, options, tables), served(place, **options) as server:
        owner = new_page()
        owner.goto(server.start_address())
        assert owner.url == f"{server.base}/"
        expect(owner.get_by_text("There is no study yet")).to_be_visible()
        owner.get_by_role("link", name="New study").last.click()
        owner.set_input_files("#table", str(table))
        owner.get_by_role("button", name="Send and look at it").click()
        expect(owner.get_by_text("150 rows, 5 columns")).to_be_visible()
        expect(owner.locator("table.columns")).to_contain_text("nearly every row has a text of its own")
        server.kill()
        server.start()  # the table waits
        owner.goto(f"{server.base}/new")
        owner.get_by_role("link", name="patients.csv").click()
        owner.get_by_label("Classes, one per line").fill("healthy\nill")
        owner.get_by_label("Column that names the rows").select_option(label="patient")
        owner.get_by_label("Column that is shown as text").select_option(label="note")
        owner.get_by_label("Features wanted").fill("2")
        owner.get_by_label("Name in the address").fill("../heart")
        owner.locator("form[action*='/new/']").first.evaluate("form => form.noValidate = true")
        owner.get_by_role("button", name="Make the study").click()
        expect(owner.get_by_role("alert")).to_contain_text("part of its address")
        expect(owner.get_by_label("Classes, one per line")).to_have_value("healthy\nill")  # nothing was forgotten
        owner.get_by_label("Name in the address").fill("heart")
        owner.get_by_role("button", name="Make the study").click()
        expect(owner.get_by_role("heading", name="Progress")).to_be_visible()
        assert [path.name for path in tables.iterdir() if path.suffix == ".csv"] == ["heart.csv"]
        owner.get_by_role("link", name="Studies").click()
        expect(owner.locator(".studies")).to_contain_text("0 of 200 labels")
        owner.get_by_role("link", name="People").click()
        owner.get_by_role("button", name="Make my link").click()
        expect(owner.locator("#link")).to_have_value(re.compile(r"/join#afs_"))
        owner.goto(f"{server.base}/s/heart/manage")
        owner.get_by_label("Name").fill("ana")
        owner.get_by_role("button", name="Invite").click()
        link = owner.locator("#link").input_value()
        secret = link.partition("#")[2]
        ana = new_page(viewport={"width": 390, "height": 844})
        sent = []
        ana.on("request", lambda request: sent.append(request.url))
        ana.goto(link)
        ana.wait_for_selector("#prompt")
        assert ana.url == f"{server.base}/s/heart/" and not any(secret in url for url in sent)
        ana.go_back()
        assert secret not in ana.url
        ana.goto(f"{server.base}/s/heart/")
        ana.wait_for_load_state("load")
        before = ana.locator(".row-name b").inner_text()
        ana.keyboard.press("1")
        expect(ana.locator(".row-name b")).not_to_have_text(before)
        assert ana.evaluate("document.documentElement.scrollWidth") == 390
        ana.goto(server.base)
        expect(ana.locator(".studies")).to_contain_text("1 of 200 labels")
        expect(ana.get_by_role("link", name="New study")).to_have_count(0)
        owner.goto(f"{server.base}/s/heart/manage")
        owner.get_by_role("button", name="Pause").click()
        expect(owner.get_by_role("heading", name="The study is paused")).to_be_visible()
        server.kill()
        server.start()
        ana.goto(f"{server.base}/s/heart/")
        expect(ana.get_by_text("The study is paused").first).to_be_visible()  # and both are signed in still
        assert secret not in server.said.read_text()


def test_signing_in_at_two_ports_and_two_studies(table, add_annotator, new_page, tmp_path):
    """Cookies of a host are sent to all its ports: nobody is signed out by another server."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        Study.create(tmp_path / name / "heart.db", table, 1, show_text="note", **OPTIONS).close()
    shutil.copy(tmp_path / "two" / "heart.db", tmp_path / "two" / "copy.db")
    files = {
        "one": tmp_path / "one" / "heart.db",
        "heart": tmp_path / "two" / "heart.db",
        "copy": tmp_path / "two" / "copy.db",
    }
    tokens = {}
    for name, file in files.items():
        storage = open_storage(file)
        tokens[name] = add_annotator(storage, f"ana at {name}")
        storage.close()
    keeper = catalog_of(tmp_path / "two").people()
    add_annotator(keeper, "olga", role=Role.OWNER)
    keeper.close()
    with served(files["one"]) as one, served(str(tmp_path / "two")) as two:
        at = {"one": one.base, "heart": f"{two.base}/s/heart", "copy": f"{two.base}/s/copy"}
        page = new_page()
        for name, address in at.items():
            page.goto(f"{address}/join#{tokens[name]}")
            page.wait_for_selector("#prompt")
        for name, address in at.items():
            page.goto(f"{address}/answers")
            expect(page.locator(".person")).to_contain_text(f"ana at {name}")
        page.goto(f"{at['heart']}/")
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/sign-in")
        for name in ("one", "copy"):
            page.goto(f"{at[name]}/answers")
            expect(page.locator(".person")).to_contain_text(f"ana at {name}")


def test_two_gigabytes(table, add_annotator, tmp_path):
    """Announced, they are refused before a byte is read; in pieces, they are cut off at the limit."""
    keeper = catalog_of(tmp_path).people()
    token = add_annotator(keeper, "olga", role=Role.OWNER)
    keeper.close()
    with served(str(tmp_path), max_upload=5) as server:
        head = "POST /api/v1/uploads?name=x.csv HTTP/1.1\r\n"
        head += f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {token}\r\n"
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
            connection.sendall(f"{head}Content-Length: {2 * 10**9}\r\n\r\n".encode())
            assert b" 413 " in connection.recv(100)
        sent = 0
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
            connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
            try:
                while sent < 2 * 10**9:
                    connection.sendall(piece)
                    sent += 0x10000
            except OSError:
                pass
        assert sent < 500 * 10**6  # what lies in buffers on the way counts, too
        folder = tmp_path / ".activefs-uploads"
        wait_until(lambda: not folder.exists() or not list(folder.iterdir()))
        assert httpx.get(f"{server.base}/health", timeout=PATIENCE).status_code == 200


class TestDatabases:
    def test_one_study_is_served_as_ever(self, table):
        with postgres_database() as url:
            assert open_catalog(url) is None  # nothing is there: it is said what is missing
            Study.create(url, table, 1, show_text="note", **OPTIONS).close()
            assert open_catalog(url) is None and open_catalog(f"{url}?options=-csearch_path%3Dpublic") is None
            with served(url) as server, httpx.Client(timeout=PATIENCE, follow_redirects=True) as client:
                assert client.get(server.start_address()).status_code == 200
                assert client.get(f"{server.base}/api/v1/study").json()["rows"] == 150

    def test_several_schemas(self, table, capsys, tmp_path):
        import psycopg

        with postgres_database() as url:
            with psycopg.connect(url, autocommit=True) as connection:
                for schema in ("heart", '"Zucker 1"', "activefs_sugar"):
                    connection.execute(f"CREATE SCHEMA {schema}")
            for schema in ("heart", "Zucker%201", "activefs_sugar"):
                place = f"{url}?options=-csearch_path%3D" + (schema if "%" not in schema else "%22Zucker%5C%201%22")
                Study.create(place, table, 1, show_text="note", title=schema, **OPTIONS).close()
            names = [entry.name for entry in catalog_of(url).entries()]
            assert len(names) == 3 and {"heart", "sugar"} < set(names)
            assert main(["server", "owner", "add", url, "olga"]) == 0
            token = capsys.readouterr().out.strip()
            assert [entry.name for entry in catalog_of(url).entries()] == names  # owners are no study
            with served(url) as server:
                headers = {"Authorization": f"Bearer {token}"}
                with httpx.Client(base_url=server.base, timeout=PATIENCE, headers=headers) as client:
                    lines = client.get("/api/v1/studies").json()
                    assert [line["name"] for line in lines] == names and not any(line["problem"] for line in lines)
                    for name in names:
                        assert client.post(f"/s/{name}/api/v1/questions").json()["questions"]
                    refused = client.post("/api/v1/uploads", params={"name": "x.csv"}, content=table.read_bytes())
                    assert refused.status_code == 422 and "--tables" in refused.json()["message"]
                    assert "--tables" in client.get("/").text
                    with psycopg.connect(url, autocommit=True) as connection:
                        connection.execute("DROP SCHEMA heart CASCADE")
                    wait_until(lambda: client.get("/s/heart/api/v1/study").status_code == 404, pause=0.5)
                    assert client.get("/s/sugar/api/v1/study").status_code == 200
            assert some_catalog(url).place.count("***") == 1  # no password is shown

    def test_passwords_are_not_shown(self, table):
        with (
            postgres_database() as url,
            tempfile.TemporaryDirectory() as tables,
            served(url, tables=Path(tables)) as server,
        ):
            assert "activefs_test:***@" in server.said.read_text()


NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors; events {{ }}
http {{ access_log off; client_max_body_size 0; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; {locations} }} }}
"""
LOCATION = """location /{name}/ {{ proxy_pass http://127.0.0.1:{port}{strip}; proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme; }}"""


@contextmanager
def nginx(tmp_path, locations):
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if found is None:
        pytest.skip("no nginx: install Debian's package nginx-light")
    held, port = held_port()
    (tmp_path / "nginx.conf").write_text(NGINX.format(folder=tmp_path, port=port, locations=locations))
    process = subprocess.Popen(
        [found, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")], stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: _listens(port))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        held.close()


def _listens(port):
    with socket.socket() as knocking:
        return knocking.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("strips", [True, False])
def test_behind_nginx_below_a_path(strips, table, add_annotator, new_page, tmp_path):
    folder = tmp_path / "studies"
    folder.mkdir()
    Study.create(folder / "heart.db", table, 2, show_text="note", **OPTIONS).close()
    with served(str(folder), root="/lab/studies") as server:
        location = LOCATION.format(name="lab/studies", port=server.port, strip="/" if strips else "")
        with nginx(tmp_path, location) as proxy:
            refused = httpx.get(f"{proxy}/lab/studies/", timeout=PATIENCE)
            assert refused.status_code == 403 and "through a proxy" in refused.text  # nobody has a token yet
            keeper = catalog_of(folder).people()
            token = add_annotator(keeper, "olga", role=Role.OWNER)
            keeper.close()
            page = new_page()
            wrong = []
            page.on("response", lambda answer: wrong.append(answer.url) if answer.status >= 400 else None)
            page.goto(f"{proxy}/lab/studies/join#{token}")
            page.locator(".studies a").click()
            page.wait_for_load_state("networkidle")
            before = page.locator(".row-name b").inner_text()
            page.keyboard.press("1")
            expect(page.locator(".row-name b")).not_to_have_text(before)
            page.get_by_role("link", name="Study", exact=True).click()
            expect(page.get_by_role("heading", name="When will it be done?")).to_be_visible()
            page.goto(f"{proxy}/lab/studies/s/heart/manage")
            page.get_by_label("Name").fill("ana")
            page.get_by_role("button", name="Invite").click()
            link = page.locator("#link").input_value()
            assert link.startswith(f"{proxy}/lab/studies/s/heart/join#")
            ana = new_page()
            ana.goto(link)
            ana.wait_for_selector("#prompt")
            assert ana.url == f"{proxy}/lab/studies/s/heart/"
            page.goto(f"{proxy}/lab/studies/new")
            page.set_input_files("#table", str(table))
            page.get_by_role("button", name="Send and look at it").click()
            expect(page.get_by_text("150 rows, 5 columns")).to_be_visible()
            page.get_by_role("button", name="Sign out").click()
            expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
            assert page.url == f"{proxy}/lab/studies/sign-in" and wrong == []
