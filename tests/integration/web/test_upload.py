"""Making a study from a table that was sent; whatever is sent, the server goes on and nothing is half done."""

import gzip
import io
import os
import re
import time
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from anyio.from_thread import start_blocking_portal
from catalogs import catalog_of
from fastapi.testclient import TestClient
from searched import found_in

from activefs import Study
from activefs.storages import Role, open_storage
from activefs.web import _limited, create_hub

TABLE = "patient,age,sex,note,day\n" + "".join(
    f"P{i:03d},{20 + i % 60},{'fm'[i % 2]},=1+{i} <script>alert({i})</script>,2026-01-{1 + i % 28:02d}\n"
    for i in range(150)
)
CHOICES: dict[str, str | list[str]] = {
    "name": "heart",
    "title": "Heart <b>study</b>",
    "k": "1",
    "budget": "20",
    "labels": "classes",
}
CHOICES |= {"classes": "healthy, ill", "id_column": "0", "show": ["0", "1", "2", "3"], "use-4": "ignore"}


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "studies"
    folder.mkdir()
    return folder


@pytest.fixture
def app(place):
    return create_hub(catalog_of(place), max_upload=2_000_000)


@pytest.fixture
def tokens(place, app, table, add_annotator):
    Study.create(place / "other.db", table, 1, show_text="note", id_column="patient").close()
    storage = open_storage(place / "other.db")
    tokens = {"ana": add_annotator(storage, "ana", role=Role.OWNER)}
    storage.close()
    return {**tokens, "olga": add_annotator(app.state.service.gate.storage, "olga", role=Role.OWNER)}


@pytest.fixture
def owner(app, tokens):
    client = TestClient(app, base_url="http://127.0.0.1")
    client.post("/sign-in", data={"token": tokens["olga"]})
    client.csrf = client.get("/api/v1/me").headers["X-CSRF-Token"]
    return client


def program(app, token):
    return TestClient(app, base_url="http://127.0.0.1", headers={"Authorization": f"Bearer {token}"})


def send(owner, content, name="patients.csv", **form):
    form = {"csrf": owner.csrf, **form}
    return owner.post("/new", data=form, files={"table": (name, content)}, follow_redirects=False)


def left(place):
    """What is in the folder, but for what was there before and what waits."""
    known = re.compile(r"other\.db|\.activefs-server\.db|\.activefs-uploads")
    return sorted(path.name for path in place.iterdir() if not known.match(path.name))


def waiting(place):
    folder = place / ".activefs-uploads"
    return list(folder.iterdir()) if folder.exists() else []


class TestFromTableToStudy:
    def test_send_look_choose_make(self, owner, place, tokens, app):
        assert "Send the table" in owner.get("/new").text
        sent = send(owner, TABLE)
        assert sent.status_code == 303
        shown = owner.get(sent.headers["location"]).text
        assert "150 rows, 5 columns" in shown and "nearly every row has a text of its own" in shown
        assert "10 ranges" in shown and "dates must be turned into numbers" in shown
        assert "=1+0 &lt;script&gt;" in shown and "<script>alert" not in shown
        assert "patients.csv" in owner.get("/new").text  # it waits
        done = owner.post(sent.headers["location"], data={**CHOICES, "csrf": owner.csrf}, follow_redirects=False)
        assert done.status_code == 303 and done.headers["location"] == "/s/heart/study", done.text
        assert left(place) == ["heart.csv", "heart.db"] and not waiting(place)
        assert "Heart &lt;b&gt;study" in owner.get("/").text and owner.get("/s/heart/").status_code == 200
        text = owner.get("/s/heart/").text
        assert "=1+" in text and "<script>alert" not in text  # a formula is text, as everything in a cell is
        with Study.open(place / "heart.db") as study:
            assert study.engine.settings.budget == 20 and study.engine.settings.classes == ("healthy", "ill")
            assert study.pool.names == ("age", "sex") and study.engine.settings.show == ("age", "sex", "note")
        refused = owner.get(sent.headers["location"])
        assert refused.status_code == 404 and "send it again" in refused.text

    def test_what_does_not_fit_is_said_and_nothing_is_made(self, owner, place):
        location = send(owner, TABLE).headers["location"]
        for wrong, said in (
            ({"name": "../heart"}, "part of its address"),
            ({"name": "other"}, "already"),
            ({"name": "Heart"}, "part of its address"),
            ({"k": "ten"}, "must be a whole number"),
            ({"k": "7"}, "features"),
            ({"classes": "one"}, "at least two classes"),
            ({"labels": "numbers", "edges": "a"}, "must be numbers"),
            ({"id_column": "2"}, "must be unique"),
            ({"id_column": "99"}, "no such column"),
            ({"show": [], "show_text": ""}, "must see something"),
            ({"title": "x" * 300}, "title"),
        ):
            refused = owner.post(location, data={**CHOICES, **wrong, "csrf": owner.csrf})
            assert refused.status_code == 422, (wrong, refused.text)
            notice = found_in(refused.text, r'role="alert">([^<]*)<')
            assert said in notice or said in notice.lower(), (wrong, notice)
            assert "healthy, ill" in refused.text or "classes" in wrong  # what was filled in is still there
            assert left(place) == [] and len(waiting(place)) == 1
        assert owner.post(location, data={**CHOICES, "csrf": "0"}).status_code == 403
        assert owner.post(location, data={**CHOICES, "csrf": owner.csrf}, follow_redirects=False).status_code == 303

    def test_over_the_api(self, app, tokens, place):
        olga, ana = program(app, tokens["olga"]), program(app, tokens["ana"])
        assert ana.post("/api/v1/uploads", params={"name": "t.csv"}, content=TABLE).status_code == 403
        sent = olga.post("/api/v1/uploads", params={"name": "t.csv.gz"}, content=gzip.compress(TABLE.encode()))
        assert sent.status_code == 201 and sent.json()["rows"] == 150
        assert [c["use"] for c in sent.json()["columns"]] == ["left out", "feature", "feature", "left out", "unusable"]
        number = sent.json()["id"]
        assert [u["id"] for u in olga.get("/api/v1/uploads").json()] == [number]
        study = {
            "upload": number,
            "name": "sugar",
            "k": 1,
            "label_edges": [5, 7.5],
            "id_column": "patient",
            "show_text": "note",
        }
        assert ana.post("/api/v1/studies", json=study).status_code == 403
        assert olga.post("/api/v1/studies", json={**study, "id_column": "none"}).status_code == 422
        made = olga.post("/api/v1/studies", json=study)
        assert made.status_code == 201 and made.json() == {"name": "sugar"}, made.text
        assert left(place) == ["sugar.csv.gz", "sugar.db"]
        assert olga.post("/s/sugar/api/v1/questions").json()["label_edges"] == [5.0, 7.5]
        assert olga.get(f"/api/v1/uploads/{number}").status_code == 404
        assert olga.get("/api/v1/uploads/..%2f..").status_code == 404

    def test_two_at_once_of_the_same_name(self, app, tokens, place):
        olga = program(app, tokens["olga"])
        numbers = [olga.post("/api/v1/uploads", params={"name": "t.csv"}, content=TABLE).json()["id"] for _ in "ab"]
        study = {"name": "heart", "k": 1, "id_column": "patient", "show_text": "note"}
        made = [olga.post("/api/v1/studies", json={**study, "upload": number}) for number in numbers]
        assert [answer.status_code for answer in made] == [201, 422] and "another name" in made[1].json()["message"]
        assert left(place) == ["heart.csv", "heart.db"]

    def test_after_a_server_that_was_killed_in_the_middle(self, app, tokens, place):
        olga = program(app, tokens["olga"])
        number = olga.post("/api/v1/uploads", params={"name": "t.csv"}, content=TABLE).json()["id"]
        (place / "heart.csv").hardlink_to(place / ".activefs-uploads" / number / "table.csv")
        (place / ".heart-000000000000.db.new").touch()
        assert [line["name"] for line in olga.get("/api/v1/studies").json()] == ["other"]
        study = {"upload": number, "name": "heart", "k": 1, "id_column": "patient", "show_text": "note"}
        assert olga.post("/api/v1/studies", json=study).status_code == 201
        assert (place / "heart.db").stat().st_nlink == (place / "heart.csv").stat().st_nlink == 1

    def test_what_a_killed_server_left_of_tables_is_in_nobodys_way(self, app, tokens, place):
        olga = program(app, tokens["olga"])
        for i in range(20):
            begun = place / ".activefs-uploads" / f"{i:032x}"
            begun.mkdir(parents=True)
            (begun / "table.csv").write_text("a,b\n1,")
        sent = {"params": {"name": "t.csv"}, "content": TABLE}
        assert "already" in olga.post("/api/v1/uploads", **sent).json()["message"]  # they may be on their way
        an_hour_ago = time.time() - 3600
        for path in (*waiting(place), *(place / ".activefs-uploads").glob("*/table.csv")):
            os.utime(path, (an_hour_ago, an_hour_ago))
        assert olga.post("/api/v1/uploads", **sent).status_code == 201 and len(waiting(place)) == 1

    def test_a_database_that_cannot_be_written_is_no_fault_of_the_table(self, app, tokens, owner, place, monkeypatch):
        away = "postgresql://nobody@127.0.0.1:1/nothing"
        monkeypatch.setattr(type(app.state.service.catalog), "new", lambda self, name: away)
        location = send(owner, TABLE).headers["location"]
        refused = owner.post(location, data={**CHOICES, "csrf": owner.csrf})
        assert refused.status_code == 503 and "cannot be used just now" in refused.text
        assert "127.0.0.1:1" not in refused.text
        assert left(place) == [] and len(waiting(place)) == 1

    def test_old_ones_go(self, owner, place, monkeypatch):
        location = send(owner, TABLE).headers["location"]
        monkeypatch.setattr("activefs.web._uploads.KEPT", -1.0)
        assert "patients.csv" not in owner.get("/new").text and not waiting(place)
        assert owner.get(location).status_code == 404

    def test_one_can_be_discarded(self, owner, place):
        location = send(owner, TABLE).headers["location"]
        assert owner.post(f"{location}/discard", data={"csrf": "0"}).status_code == 403 and waiting(place)
        assert owner.post(f"{location}/discard", data={"csrf": owner.csrf}).status_code == 200 and not waiting(place)


def xlsx_bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", b" " * 50_000_000)
    return file.getvalue()


def parquet_bomb(rows=300_000_000):
    file = io.BytesIO()
    piece = pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int8()), ["x"])})
    with pq.ParquetWriter(file, piece.schema, compression="zstd") as writer:
        for _ in range(rows // 1_000_000):
            writer.write_table(piece)
    return file.getvalue()


class TestWhatIsSent:
    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("x.csv", b"", "x.csv is empty"),
            ("x.csv", b"a,b\n", "no rows"),
            ("x.csv", b"a,a\n1,2\n", "more than once"),
            ("x.csv", b"<!doctype html><html><script>alert(1)</script>", "in fact a web page"),
            ("x.html", b"<html>", "of no known kind"),
            ("x.svg", b"<svg onload='alert(1)'/>", "of no known kind"),
            ("x.csv.exe", b"a\n1\n", "of no known kind"),
            ("<img src=x>.csv", b"a,a\n1,2\n", "more than once"),
            ("x.parquet", b"PAR1 and then nothing", "cannot be read as parquet"),
            ("x.xlsx", b"PK\x03\x04 and then nothing", "no workbook"),
            ("x.csv.gz", b"\x1f\x8b and then nothing", "not compressed"),
            ("x.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000), "x.csv.gz is larger than the 10 MB"),
            ("x.xlsx", xlsx_bomb(), "x.xlsx is larger than the 10 MB"),
        ],
    )
    def test_what_cannot_be_a_table_is_refused_in_a_sentence(self, owner, place, name, content, said):
        refused = send(owner, content, name)
        notice = re.search(r'role="alert">([^<]*)<', refused.text)
        assert refused.status_code == 422 and notice is not None and said in notice[1], refused.text[:3000]
        assert str(place) not in refused.text and "<img src=x" not in refused.text
        assert left(place) == [] and not waiting(place)

    @pytest.mark.parametrize(
        "name", ["../../evil.csv", "/etc/cron.d/x.csv", "..\\..\\x.csv", "a\x00b.csv", ".csv", "x" * 500 + ".csv"]
    )
    def test_names_of_files_are_never_paths(self, owner, place, name, tmp_path):
        before = {path for path in tmp_path.rglob("*") if ".activefs" not in str(path)}
        sent = send(owner, TABLE, name)
        assert sent.status_code in (303, 422)
        assert {path for path in tmp_path.rglob("*") if ".activefs" not in str(path)} == before
        for path in waiting(place):
            assert sorted(p.name for p in path.iterdir()) == ["about.json", "table.csv"]

    def test_many_equal_cells_in_few_bytes(self, owner, place):
        bomb = parquet_bomb(rows=500_000_000)
        assert len(bomb) < 2_000_000
        refused = send(owner, bomb, "x.parquet")
        assert refused.status_code == 422 and "cells are the most" in refused.text and not waiting(place)

    def test_what_takes_too_much_memory_or_time_ends_alone(self, owner, place, monkeypatch):
        monkeypatch.setattr(_limited, "_memory", lambda: 300_000_000)
        refused = send(owner, TABLE)
        assert refused.status_code == 422 and "GB of memory" in refused.text and not waiting(place)
        monkeypatch.undo()
        monkeypatch.setattr(_limited, "SECONDS", 0)
        refused = send(owner, TABLE)
        assert refused.status_code == 422 and "takes longer" in refused.text and not waiting(place)
        assert owner.get("/").status_code == 200

    def test_a_file_that_is_too_large_is_cut_off(self, app, tokens, owner, place):
        olga = program(app, tokens["olga"])
        announced = olga.post("/api/v1/uploads", params={"name": "x.csv"}, content=b"x" * 2_100_000)
        assert announced.status_code == 413 and "--max-upload" in announced.json()["message"]
        chunked = olga.post("/api/v1/uploads", params={"name": "x.csv"}, content=(b"x" * 10_000 for _ in range(300)))
        assert chunked.status_code == 413 and not waiting(place)
        assert send(owner, b"x" * 2_100_000).status_code == 413 and not waiting(place)

    @pytest.mark.parametrize("who", ["ana", None])
    @pytest.mark.parametrize("path", ["/new", "/api/v1/uploads"])
    def test_nothing_is_read_of_what_somebody_sends_who_may_not(self, app, tokens, place, who, path):
        async def receive():
            raise AssertionError("the body was read")

        sent = []

        async def send(message):
            sent.append(message)

        headers = [(b"host", b"127.0.0.1"), (b"transfer-encoding", b"chunked"), (b"content-type", b"text/csv")]
        if who:
            headers.append((b"authorization", f"Bearer {tokens[who]}".encode()))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"name=x.csv",
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        with start_blocking_portal() as portal:
            portal.call(app, scope, receive, send)
        assert sent[0]["status"] == (403 if who else 401) and not waiting(place)

    def test_forms_of_others(self, owner, place):
        for form in ({"csrf": "0"}, {"csrf": ""}):
            assert send(owner, TABLE, **form).status_code == 403
        late = owner.post("/new", files=[("table", ("x.csv", TABLE)), ("csrf", (None, owner.csrf))])
        assert late.status_code == 403  # the file must not come before it
        other = owner.post(
            "/new", data={"csrf": owner.csrf}, files={"table": ("x.csv", TABLE)}, headers={"Origin": "http://evil"}
        )
        assert other.status_code == 403 and not waiting(place)
        assert owner.post("/new", data={"csrf": owner.csrf}).status_code == 422
        assert send(owner, b"", "").status_code == 422
        broken = owner.post(
            "/new", content=b"--x\r\ngarbage", headers={"Content-Type": "multipart/form-data; boundary=x"}
        )
        assert broken.status_code == 422


def test_without_a_folder_for_tables_it_says_so(app, owner, monkeypatch):
    catalog = app.state.service.catalog
    monkeypatch.setattr(type(catalog), "why_not_new", lambda self: "the server must be started with --tables FOLDER")
    assert "--tables FOLDER" in owner.get("/new").text and "--tables FOLDER" in owner.get("/").text
    assert send(owner, TABLE).status_code == 422
