"""The application without a server: who may do what, what is shown, what is refused."""

import hashlib
import logging
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from at_home import at_home
from fastapi.testclient import TestClient
from machines import sqlite_url
from markupsafe import escape
from searched import found_in

import activefs.web
from activefs.exceptions import LeftOutWarning
from activefs.storages import MemoryStorage, Role
from activefs.storages._sql import SQLStorage
from activefs.study import Person, create_engine
from activefs.web import create_app
from activefs.web._guards import POLICY
from activefs.web._looking import newest
from activefs.web.routes import pages

OPTIONS: dict[str, Any] = {
    "k": 1,
    "budget": 40,
    "classes": ["healthy", "ill"],
    "id_column": "patient",
    "show": ["age", "note"],
    "ignore": ["note"],
    "random_state": 0,
    "lease": 600.0,
    "when_certified": "continue",
    "title": "Study <b>of</b> hearts",
}


@pytest.fixture
def engine(table):
    engine = create_engine(MemoryStorage(), str(table), **OPTIONS)
    yield engine
    engine.close()


@pytest.fixture
def app(engine):
    return create_app(engine)


@pytest.fixture
def tokens(engine, add_annotator):
    return {
        "ana": add_annotator(engine.storage, "ana"),
        "ben": add_annotator(engine.storage, "ben"),
        "eva": add_annotator(engine.storage, "eva", role=Role.OWNER),
    }


def client_of(app, **options):
    return TestClient(app, **{"base_url": "http://127.0.0.1", **options})


def program(app, token=None):
    return client_of(app, headers={"Authorization": f"Bearer {token}"} if token else {})


def browser(app, token):
    client = client_of(app)
    done = client.post("/sign-in", data={"token": token}, follow_redirects=False)
    assert done.status_code == 303
    return client


def csrf(client):
    return found_in(client.get("/").text, r'name="csrf" value="([0-9a-f]+)"')


def question(client):
    return client.post("/api/v1/questions").json()["questions"][0]


class TestTokens:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            *(("get", p) for p in ("me", "study", "history", "answers", "labels", "selection", "report")),
            *(("post", p) for p in ("questions", "answers", "skips", "undo", "corrections", "labels")),
            ("delete", "questions"),
        ],
    )
    @pytest.mark.parametrize("token", [None, "afs_000000000000_wrong", "x", ""])
    def test_missing_or_wrong_is_401(self, app, tokens, method, path, token):
        client = program(app)
        if token is not None:
            client.headers["Authorization"] = f"Bearer {token}"
        content = {"json": {"question": 1, "label": "ill", "row": "P001"}} if method == "post" else {}
        if path in ("skips", "undo", "questions", "labels"):
            content = {}
        if path == "skips":
            content = {"json": {"question": 1}}
        if path == "answers" and method == "post":
            content = {"json": {"question": 1, "label": "ill"}}
        if path == "corrections":
            content = {"json": {"row": "P001", "label": "ill"}}
        response = client.request(method, f"/api/v1/{path}", **content)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert "token" in response.json()["message"]

    def test_without_tokens_the_address_of_the_terminal_is_enough(self, app):
        assert at_home(app).get("/api/v1/me").json()["role"] == "owner"
        assert at_home(app).get("/").status_code == 200

    def test_first_token_closes_the_door(self, app, tokens):
        assert client_of(app).get("/").status_code == 401
        assert program(app, tokens["ana"]).get("/api/v1/me").json() == {"name": "ana", "role": "annotator"}

    def test_a_server_for_others_is_never_open(self, engine):
        app = create_app(engine, local_only=False)
        assert client_of(app).get("/").status_code == 401
        assert program(app).get("/api/v1/study").status_code == 401

    def test_other_names_for_this_machine(self, app):
        for name in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.0.2.1", "[::2]"):
            for path in ("/", "/sign-in", "/api/v1/openapi.json"):
                refused = client_of(app, base_url=f"http://{name}").get(path)
                assert refused.status_code == 400 and "hearts" not in refused.text
        for name in ("localhost", "localhost:8000", "127.0.0.2", "[::1]:8000"):
            assert at_home(app, base_url=f"http://{name}").get("/").status_code == 200

    def test_names_that_cannot_be(self, app):
        assert client_of(app).get("/", headers={"Host": "[half"}).status_code == 400

    def test_an_account_without_a_name(self, app, engine, monkeypatch):
        def nobody():
            raise OSError("no username set in the environment")

        monkeypatch.setattr("getpass.getuser", nobody)
        asked = question(at_home(app))
        at_home(app).post("/api/v1/answers", json={"question": asked["id"], "label": "ill"})
        assert engine.storage.events()[-1].annotator == "local"

    def test_behind_a_proxy_with_its_own_name(self, app, tokens):
        page = client_of(app, base_url="https://study.example")
        form = {"token": tokens["ana"]}
        origin = {"Origin": "https://study.example"}
        assert page.post("/sign-in", data=form, headers=origin, follow_redirects=False).status_code == 303
        assert page.get("/").status_code == 200

    def test_removed_annotators_are_out_at_once(self, app, engine, tokens):
        client, page = program(app, tokens["ana"]), browser(app, tokens["ana"])
        assert page.get("/").status_code == 200
        engine.storage.remove_annotator("ana")
        assert client.get("/api/v1/me").status_code == page.get("/").status_code == 401


class TestSigningIn:
    def test_cookie_is_guarded(self, app, tokens):
        response = client_of(app).post("/sign-in", data={"token": tokens["ana"]}, follow_redirects=False)
        cookie = response.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie
        assert tokens["ana"] not in cookie and response.headers["location"] == "/"
        secure = client_of(app, base_url="https://localhost").post(
            "/sign-in", data={"token": tokens["ana"]}, follow_redirects=False
        )
        assert "Secure" in secure.headers["set-cookie"]

    def test_wrong_token(self, app, tokens):
        for said in ("afs_1_2", tokens["ana"][:-1], "", " "):
            response = client_of(app).post("/sign-in", data={"token": said})
            assert response.status_code == 401 and "set-cookie" not in response.headers
            assert "not known here" in response.text

    def test_sign_out_ends_the_session_and_gives_the_row_back(self, app, engine, tokens):
        page = browser(app, tokens["ana"])
        assert "P" in page.get("/").text and engine.position().pending
        cookies = dict(page.cookies)
        page.post("/sign-out", data={"csrf": csrf(page)})
        assert engine.position().pending == ()
        assert page.get("/").status_code == 401
        assert client_of(app, cookies=cookies).get("/").status_code == 401

    def test_whoever_is_removed_is_signed_out(self, app, engine, tokens):
        page = browser(app, tokens["ana"])
        assert page.get("/").status_code == 200
        engine.storage.remove_annotator("ana")
        assert page.get("/").status_code == 401
        assert page.get("/api/v1/study").status_code == 401

    def test_sign_ins_expire(self, app, engine, tokens):
        page = browser(app, tokens["ana"])
        (kept,) = engine.storage._sign_ins.values()
        engine.storage._sign_ins[kept.digest] = type(kept)(kept.digest, "ana", datetime.now(UTC) - timedelta(seconds=1))
        assert page.get("/").status_code == 401


class TestForgery:
    def test_forms_need_their_token(self, app, tokens):
        page = browser(app, tokens["ana"])
        asked = question(program(app, tokens["ana"]))
        for path in ("/answer", "/skip", "/undo", "/correct", "/sign-out"):
            form = {"question": asked["id"], "label": "ill", "row": asked["row"], "csrf": "0" * 64}
            for data in (form, {**form, "csrf": ""}, {k: v for k, v in form.items() if k != "csrf"}):
                response = page.post(path, data=data, follow_redirects=False)
                assert response.status_code == 403 and "load the page again" in response.text
        assert page.post("/answer", data={**form, "csrf": csrf(page)}, follow_redirects=False).status_code == 303

    def test_forms_need_it_on_an_open_server_as_well(self, app):
        asked = question(at_home(app))
        page = at_home(app, forms=True)
        assert page.post("/answer", data={"question": asked["id"], "label": "ill"}).status_code == 403
        assert page.post("/api/v1/questions").status_code == 403

    def test_api_with_a_cookie_needs_it(self, app, tokens):
        page = browser(app, tokens["ana"])
        assert page.post("/api/v1/questions").status_code == 403
        assert page.post("/api/v1/questions", headers={"X-CSRF-Token": csrf(page)}).status_code == 200
        assert page.get("/api/v1/study").status_code == 200

    @pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
    def test_other_sites(self, app, tokens, headers):
        page = browser(app, tokens["ana"])
        form = {"csrf": csrf(page)}
        assert page.post("/undo", data=form, headers=headers).status_code == 403
        assert page.post("/sign-in", data={"token": tokens["ben"]}, headers=headers).status_code == 403
        assert program(app, tokens["ana"]).post("/api/v1/questions", headers=headers).status_code == 403


ROWS: dict[str, Any] = {"id_column": "patient", "show_text": "note"}


class TestAnswers:
    def test_everything_the_page_does(self, app, tokens):
        client = program(app, tokens["ana"])
        first = question(client)
        assert first["cells"][0]["column"] == "age" and first["text"] is None and first["image"] is None
        answered = client.post("/api/v1/answers", json={"question": first["id"], "label": "ill", "next": True}).json()
        assert answered["answer"]["label"] == "ill" and answered["answer"]["row"] == first["row"]
        second = answered["next"]["questions"][0]
        assert second["row"] != first["row"]
        skipped = client.post("/api/v1/skips", json={"question": second["id"], "next": True}).json()
        assert skipped["answer"]["skipped"] is True
        taken = client.post("/api/v1/undo").json()
        assert taken["row"] == second["row"]
        assert question(client)["row"] == second["row"]
        changed = client.post("/api/v1/corrections", json={"row": first["row"], "label": "healthy"}).json()
        assert changed["label"] == "healthy" and changed["corrected"] is True
        assert client.delete("/api/v1/questions").status_code == 204
        assert [a["row"] for a in client.get("/api/v1/answers").json()] == [first["row"]]
        study = client.get("/api/v1/study").json()
        assert study["labels"] == 1 and study["annotators"][0]["name"] == "ana"
        assert study["selection"] == [] and study["arbitrary"] == "all labels so far are of one class ('healthy')"
        assert client.get("/api/v1/history").json() == []  # how an arbitrary choice settled would be arbitrary, too
        assert client.get("/api/v1/labels").text.startswith("row,label,annotator,time,kind,corrected_from,")
        assert client.get("/api/v1/selection").text.startswith("rank,feature,")
        report = client.get("/api/v1/report")
        assert report.headers["content-disposition"].startswith("attachment") and "<script" not in report.text

    def test_what_was_left_out_and_what_is_chance(self, table):
        with pytest.warns(LeftOutWarning, match="patient .*, note"):
            engine = create_engine(MemoryStorage(), str(table), k=2, random_state=0, strategy="afs")
        client = at_home(create_app(engine))
        study = client.get("/api/v1/study").json()
        unique = "nearly every row has a text of its own"
        assert [c["name"] for c in study["left_out"]] == ["patient", "note"] and study["left_out"][0]["why"] == unique
        assert study["selection"] == [] and study["arbitrary"] == "there is no label yet"
        assert "any ranking would be arbitrary" in client.get("/study").text
        engine.tell(Person("ana", Role.OWNER), [(0, 0), (1, 1)])
        assert [f["above_chance"] for f in client.get("/api/v1/study").json()["selection"]] == [False, False]
        page = client.get("/study").text
        assert f"Left out: patient ({unique}), note (free text" in page and page.count(">not above chance<") == 2
        assert "Not above chance: by chance alone" in page
        engine.tell(Person("ana", Role.OWNER), [(row, int(row % 2)) for row in range(2, 100)])  # the sex, in this table
        (best, other) = client.get("/api/v1/study").json()["selection"]
        assert best["feature"] == "sex" and best["above_chance"] and best["score"] > best["chance"]
        assert not other["above_chance"]
        assert client.get("/study").text.count(">not above chance<") == 1
        head, first, _ = client.get("/api/v1/selection").text.splitlines()
        assert head.endswith(",chance,above_chance") and first.endswith(",yes")
        engine.close()

    @pytest.mark.parametrize("strategy", ["assisted", "afs"])
    def test_what_people_want_to_know_besides(self, table, strategy):
        engine = create_engine(MemoryStorage(), str(table), k=2, random_state=0, strategy=strategy, **ROWS)
        client = at_home(create_app(engine))
        for n in (0, 40):
            engine.tell(Person("ana", Role.OWNER), [(row, int(row % 2)) for row in range(n)])  # the sex, in this table
            study, ahead, needed = (client.get(f"/api/v1/{of}").json() for of in ("study", "forecast", "curve"))
            page, more = client.get("/study").text, client.get("/study/outlook").text
            assert study["unit"] == ahead["unit"] == "nats" and ahead["labels"] == needed["labels"] == n
            assert (study["model_check"] is not None) == (strategy == "assisted") == ("Is the model any good" in page)
            for said in (ahead["sentence"], needed["sentence"]):
                assert str(escape(said[1:])) in more
        assert [p["n_features"] for p in needed["points"]] == [1, 2, 3] and needed["points"][0]["feature"] == "sex"
        assert needed["points"][0]["percent"] > 90 and not needed["points"][2]["chosen"]
        assert study["contest"][1:] in page
        points = client.get("/api/v1/history").json()
        assert (points[-1]["expected_gap"] is not None) == (strategy == "assisted")
        engine.close()

    def test_the_page_asks_again_while_any_part_of_it_is_old(self, table, monkeypatch):
        """The parts are computed one after the other, by another process: one may be old when the other is new."""
        engine = create_engine(MemoryStorage(), str(table), k=2, random_state=0, strategy="afs", **ROWS)
        kept = []

        async def late(on, part):
            found = await newest(on, part)
            if part == "forecast":
                kept.append(found)
                return kept[0]
            return found

        monkeypatch.setattr(pages, "newest", late)
        client = at_home(create_app(engine))
        assert "As of label" not in client.get("/study/outlook").text
        engine.tell(Person("ana", Role.OWNER), [(row, int(row % 2)) for row in range(40)])
        page = client.get("/study/outlook").text
        assert "As of label 0." in page and 'hx-trigger="load delay:4s"' in page
        engine.close()

    def test_several_questions_at_once(self, app, tokens):
        client = program(app, tokens["ana"])
        rows = [q["row"] for q in client.post("/api/v1/questions", json={"count": 3}).json()["questions"]]
        assert len(set(rows)) == 3
        again = client.post("/api/v1/questions", json={"count": 3}).json()["questions"]
        assert [q["row"] for q in again] == rows

    def test_answers_of_others_are_403(self, app, tokens):
        ana, ben, eva = (program(app, tokens[n]) for n in ("ana", "ben", "eva"))
        asked = question(ana)
        said = {"question": asked["id"], "label": "ill"}
        refused = ben.post("/api/v1/answers", json=said)
        assert refused.status_code == 403 and "'ana'" in refused.json()["message"]
        assert ana.post("/api/v1/answers", json=said).status_code == 200
        for path, body in (("corrections", {"row": asked["row"], "label": "healthy"}), ("undo", {"row": asked["row"]})):
            assert ben.post(f"/api/v1/{path}", json=body).status_code == 403
            assert eva.post(f"/api/v1/{path}", json=body).status_code == 200
        page = browser(app, tokens["ben"])
        eva.post("/api/v1/answers", json={"question": question(eva)["id"], "label": "ill"})
        form = {"row": asked["row"], "label": "ill", "csrf": csrf(page)}
        refused = page.post("/correct", data=form)
        assert refused.status_code == 403 and "only they or an owner" in refused.text

    def test_stale_leases_are_409(self, app, engine, tokens):
        client, page = program(app, tokens["ana"]), browser(app, tokens["ben"])
        asked, token = question(client), csrf(page)
        mine = engine.open_questions(Person("ben"))[0]
        engine.clock = lambda: datetime.now(UTC) + timedelta(seconds=601)
        for name in ("eva", "eve"):  # who asks now gets the rows of the two
            engine.ask(Person(name))
        refused = client.post("/api/v1/answers", json={"question": asked["id"], "label": "ill"})
        assert refused.status_code == 409 and "your time" in refused.json()["message"].lower()
        refused = page.post("/answer", data={"question": mine.id, "label": "ill", "csrf": token})
        assert refused.status_code == 409 and "answer the question that is shown now" in refused.text
        assert 'name="question"' in refused.text  # the next question is there already
        assert client.post("/api/v1/undo").status_code == 409

    def test_late_answers_count(self, app, engine, tokens):
        client = program(app, tokens["ana"])
        asked = question(client)
        engine.clock = lambda: datetime.now(UTC) + timedelta(seconds=601)
        said = {"question": asked["id"], "label": "ill"}
        assert client.post("/api/v1/answers", json=said).json()["answer"]["row"] == asked["row"]

    def test_nobody_leases_the_pool(self, app, tokens):
        held = program(app, tokens["ana"]).post("/api/v1/questions", json={"count": 100}).json()
        assert held["hold"] == len(held["questions"]) == 10

    def test_unknown_labels_and_rows_are_422(self, app, tokens):
        client = program(app, tokens["eva"])
        asked = question(client)
        for path, body in (
            ("answers", {"question": asked["id"], "label": "perhaps"}),
            ("answers", {"question": asked["id"], "label": ["ill"]}),
            ("answers", {"question": asked["id"], "label": "ill", "more": 1}),
            ("answers", {"question": "x", "label": "ill"}),
            ("corrections", {"row": "P999", "label": "ill"}),
            ("undo", {"row": "P999"}),
        ):
            refused = client.post(f"/api/v1/{path}", json=body)
            assert refused.status_code == 422 and refused.json()["message"]
        form = client.post("/api/v1/answers", data={"question": asked["id"], "label": "ill"})
        assert form.status_code == 422 and "application/json" in form.json()["message"]
        broken = client.post(
            "/api/v1/answers", content=b'{"label": "\xff', headers={"Content-Type": "application/json"}
        )
        assert broken.status_code == 400, broken.text

    @pytest.mark.parametrize("label", ["null", '""', "[5]", "{}", '["a"]', "NaN", "-Infinity", f'"{"x" * 201}"'])
    def test_what_is_no_label_is_refused_in_one_sentence(self, app, tokens, label):
        client = program(app, tokens["eva"])
        asked, kind = question(client), {"Content-Type": "application/json"}
        for path, about, advice in (
            ("answers", f'"question": {asked["id"]}', "cannot be labelled, send the question to POST /api/v1/skips"),
            ("corrections", f'"row": "{asked["row"]}"', "an answer is taken back with POST /api/v1/undo"),
        ):
            refused = client.post(f"/api/v1/{path}", content=f'{{{about}, "label": {label}}}', headers=kind)
            said = refused.json()["message"]
            assert refused.status_code == 422 and advice in said
            assert said.count("label: must be text of 1 to 200 characters, a finite number, true or false; ") == 1
            assert "valid" not in said and said.count(".") == 1

    def test_empty_text_is_no_label_for_a_program_nor_on_the_page(self, app, engine, tokens):
        client, page = program(app, tokens["eva"]), browser(app, tokens["ana"])
        refused = client.post("/api/v1/answers", json={"question": question(client)["id"], "label": " "})
        assert refused.status_code == 422
        assert "send the question to POST /api/v1/skips for a row that cannot be labelled" in refused.json()["message"]
        form = {"csrf": csrf(page), "question": found_in(page.get("/").text, r'name="question" value="(\d+)"')}
        for label in ({}, {"label": ""}, {"label": "  "}):
            refused = page.post("/answer", data={**form, **label})
            assert refused.status_code == 422 and "The label is missing" in refused.text
            assert "press &#39;Cannot tell&#39; at a row that cannot be labelled" in refused.text
        assert engine.position().told == ()

    def test_import_by_owners_only(self, app, tokens):
        content = "row,label\nP001,ill\nP002,healthy\n"
        ana, eva = program(app, tokens["ana"]), program(app, tokens["eva"])
        assert ana.post("/api/v1/labels", content=content).status_code == 403
        assert eva.post("/api/v1/labels", content=content).json() == {"new": 2, "total": 2}
        assert eva.post("/api/v1/labels", content=b"\xff\xfe").status_code == 422
        spreadsheet = "row;label\nP003;ill\nP004;healthy\n".encode("utf-16")
        assert eva.post("/api/v1/labels", content=spreadsheet).json() == {"new": 2, "total": 2}
        assert "P001,ill,eva," in eva.get("/api/v1/labels").text

    @pytest.mark.parametrize(("who", "status"), [("ana", 403), (None, 401), ("wrong", 401)])
    def test_import_is_refused_before_its_body_is_read(self, app, tokens, who, status):
        async def receive():
            raise AssertionError("the body was read")

        sent = []

        async def send(message):
            sent.append(message)

        size = 30 * 1024 * 1024
        headers = [(b"host", b"127.0.0.1"), (b"content-length", str(size).encode()), (b"content-type", b"text/csv")]
        if who is not None:
            headers.append((b"authorization", f"Bearer {tokens.get(who, 'afs_0_0')}".encode()))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/api/v1/labels",
            "raw_path": b"/api/v1/labels",
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        # A thread of its own: where the tests of pages ran before, this one has an event loop that never ends.
        with start_blocking_portal() as portal:
            portal.call(app, scope, receive, send)
        assert sent[0]["status"] == status
        assert b"owner" in sent[1]["body"] or b"token" in sent[1]["body"]

    def test_large_bodies_are_413(self, app, tokens):
        client, page = program(app, tokens["eva"]), browser(app, tokens["ana"])
        json = {"Content-Type": "application/json"}
        for response in (
            client.post("/api/v1/answers", content=b"x" * 100_000),
            client.post("/api/v1/answers", content=(b"x" * 1000 for _ in range(100)), headers=json),
            client.post("/api/v1/labels", content=(b"x" * 1_000_000 for _ in range(35))),
            client_of(app).post("/sign-in", data={"token": "x" * 100_000}),
            page.post("/answer", data={"label": "x" * 100_000}),
        ):
            assert response.status_code == 413 and "larger than" in response.text
        assert client.post("/api/v1/labels", content=b"row,label\n" + b"P001,ill\n" * 20_000).status_code == 200


class TestPages:
    def test_cells_are_text(self, app, engine, tokens):
        engine.storage.add_annotator(
            type(engine.storage.annotators()[0])("<i>x</i>", Role.ANNOTATOR, "k", "0" * 64, datetime.now(UTC))
        )
        page = browser(app, tokens["ana"])
        for path in ("/", "/study", "/nothing<script>"):
            text = page.get(path).text
            assert "<script>" not in text and "<b>of</b>" not in text
        assert "&lt;script&gt;alert(" in page.get("/").text

    def test_headers(self, app, tokens):
        page = browser(app, tokens["ana"])
        for path in ("/", "/study", "/sign-in", "/nothing", "/api/v1/study", "/static/app.css"):
            headers = page.get(path).headers
            assert headers["content-security-policy"] == POLICY and headers["x-content-type-options"] == "nosniff"
            assert ("cache-control" in headers) == (not path.startswith("/static/"))
        assert "unsafe" not in POLICY
        text = page.get("/").text + page.get("/study").text
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:|https?://", text)

    def test_works_without_scripts(self, app, engine, tokens):
        page = browser(app, tokens["ana"])
        for _ in range(3):
            text = page.get("/").text
            form = {"csrf": csrf(page), "question": found_in(text, r'name="question" value="(\d+)"')}
            done = page.post("/answer", data={**form, "label": "ill"}, follow_redirects=False)
            assert (done.status_code, done.headers["location"]) == (303, "/")
        assert len(engine.position().told) == 3
        page.post("/undo", data={"csrf": csrf(page)})
        assert len(engine.position().told) == 2

    def test_old_answers_are_changed_by_their_annotator_or_an_owner(self, app, engine, tokens):
        ana, ben = program(app, tokens["ana"]), program(app, tokens["ben"])
        rows = []
        for i in range(60):
            client = ben if i % 10 == 0 else ana
            asked = client.post("/api/v1/questions").json()["questions"]
            if not asked:
                break
            client.post("/api/v1/answers", json={"question": asked[0]["id"], "label": "ill"})
            rows.append((asked[0]["row"], "ben" if i % 10 == 0 else "ana"))
        first, of_ben = rows[1][0], rows[0][0]
        page, owner = browser(app, tokens["ana"]), browser(app, tokens["eva"])
        shown = page.get("/answers").text
        assert first in shown and of_ben not in shown and "Your answers" in shown
        form = {"csrf": csrf(page), "label": "healthy", "back": "?sheet=2"}
        done = page.post("/correct", data={**form, "row": first}, follow_redirects=False)
        assert done.status_code == 303 and done.headers["location"].startswith("/answers?sheet=2#answer-")
        assert page.post("/correct", data={**form, "row": of_ben}).status_code == 403
        assert page.post("/undo", data={"csrf": form["csrf"], "row": of_ben}).status_code == 403
        assert of_ben in owner.get("/answers?sheet=99").text  # the last sheet
        form["csrf"] = csrf(owner)
        assert owner.post("/correct", data={**form, "row": of_ben}).status_code == 200
        labels = {a["row"]: a["label"] for a in ana.get("/api/v1/answers").json()}
        assert labels[first] == labels[of_ben] == "healthy"
        taken = owner.post("/undo", data={"csrf": form["csrf"], "row": of_ben})
        assert taken.status_code == 200 and f"<b>{of_ben}</b>" in taken.text

    def test_fragments_for_htmx(self, app, tokens):
        page = browser(app, tokens["ana"])
        assert "<html" not in page.get("/", headers={"HX-Request": "true"}).text
        now = page.get("/study/now", headers={"HX-Request": "true"})
        assert "<html" not in now.text
        last = found_in(now.text, r'data-last="(\d+)"')
        assert page.get(f"/study/now?after={last}").status_code == 204
        out = client_of(app).post("/undo", headers={"HX-Request": "true"})
        assert out.status_code == 401 and out.headers["HX-Redirect"] == "/sign-in"

    def test_unknown_pages(self, app, tokens):
        page = browser(app, tokens["ana"])
        assert page.get("/nothing").status_code == 404
        assert "There is nothing at /api/v1/x." in page.get("/api/v1/x").json()["message"]
        assert page.put("/api/v1/study").status_code == 405

    def test_what_nobody_thought_of_is_a_page_and_a_line_in_the_log(self, app, engine, tokens, caplog, monkeypatch):
        page = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
        page.post("/sign-in", data={"token": tokens["ana"]})
        monkeypatch.setattr(engine, "open_questions", lambda who: 1 // 0)
        with caplog.at_level(logging.ERROR):
            answer = page.get("/")
        assert answer.status_code == 500 and "nothing that was acknowledged is lost" in answer.text
        assert "ZeroDivisionError" in caplog.text and "ZeroDivisionError" not in answer.text

    def test_nothing_secret_in_logs(self, app, tokens, caplog):
        with caplog.at_level(logging.DEBUG):
            page = browser(app, tokens["ana"])
            page.get("/")
            program(app, tokens["ben"] + "x").get("/api/v1/me")
        said = caplog.text + "".join(str(r.args) for r in caplog.records)
        secrets = [t.split("_", 2)[2] for t in tokens.values()] + list(dict(page.cookies).values())
        assert not any(secret in said for secret in secrets)

    def test_finished(self, app, engine, tokens):
        client = program(app, tokens["ana"])
        while questions := client.post("/api/v1/questions").json()["questions"]:
            client.post("/api/v1/answers", json={"question": questions[0]["id"], "label": "ill"})
        assert "the budget of 40 labels is used" in browser(app, tokens["ana"]).get("/").text

    def test_free_labels(self, table, add_annotator):
        engine = create_engine(MemoryStorage(), str(table), **{**OPTIONS, "classes": None, "show_text": "note"})
        page = at_home(create_app(engine))
        text = page.get("/").text
        form = {"csrf": csrf(page), "question": found_in(text, r'name="question" value="(\d+)"')}
        doubt = page.post("/answer", data={**form, "label": "unclear"}).text
        assert engine.classes() == () and "is a new class" in doubt and 'value="unclear"' in doubt
        page.post("/answer", data={**form, "label": "unclear", "confirmed": "unclear"})
        assert engine.classes() == ("unclear",)
        text = page.get("/").text
        form["question"] = found_in(text, r'name="question" value="(\d+)"')
        refused = page.post("/answer", data={**form, "label": "3.7"}).text
        asked = {"question": int(form["question"]), "label": 3.7}
        told = at_home(create_app(engine)).post("/api/v1/answers", json=asked)
        for said in (refused, told.json()["message"]):  # to whoever made the study, which has no Python in it
            assert "with a fraction" in said and "(--classes A,B,...)" in said and "(--label-edges 5,7.5,...)" in said
        assert 'value="unclear"' in page.get("/").text
        engine.close()


def served(table, **options):
    return create_engine(MemoryStorage(), str(table), **{**OPTIONS, "classes": None, **options})


class TestNumbers:
    """Labels that are numbers, whose ranges are the classes."""

    @pytest.fixture
    def engine(self, table):
        engine = served(table, label_edges=[5, 7.5])
        yield engine
        engine.close()

    def test_over_the_api(self, app):
        client = at_home(app)
        asked = client.post("/api/v1/questions").json()
        assert asked["label_edges"] == [5.0, 7.5] and not asked["free_text"]
        assert [(c["label"], c["keys"]) for c in asked["classes"]] == [
            ("below 5", []),
            ("5 to 7.5", []),
            ("7.5 and above", []),
        ]
        body = {"question": asked["questions"][0]["id"], "label": 7.5, "next": True}
        kept = client.post("/api/v1/answers", json=body).json()
        assert (kept["answer"]["label"], kept["answer"]["class_label"]) == (7.5, "7.5 and above")
        assert client.post("/api/v1/answers", json=body).json()["answer"] == kept["answer"]  # sent again
        row = kept["answer"]["row"]
        corrected = client.post("/api/v1/corrections", json={"row": row, "label": 6}).json()
        assert (corrected["label"], corrected["class_label"]) == (6, "5 to 7.5")
        question = kept["next"]["questions"][0]["id"]
        for label in ("ill", True, "1,234", 10**400):
            refused = client.post("/api/v1/answers", json={"question": question, "label": label})
            assert refused.status_code == 422 and "number" in refused.json()["message"]
        for label in ("NaN", "Infinity"):  # Python's JSON would take them
            said = f'{{"question": {question}, "label": {label}}}'
            kind = {"Content-Type": "application/json"}
            assert client.post("/api/v1/answers", content=said, headers=kind).status_code == 422
        skipped = client.post("/api/v1/skips", json={"question": question}).json()["answer"]
        assert (skipped["label"], skipped["class_label"]) == (None, None)
        assert {c["label"]: c["count"] for c in client.get("/api/v1/study").json()["classes"]}["5 to 7.5"] == 1
        assert client.get("/api/v1/labels").text.splitlines()[1].startswith(f"{row},6,")
        new = client.post(
            "/api/v1/labels", content=f"row,label\n{row},6.0\nP149,9.25\n", headers={"Content-Type": "text/csv"}
        )
        assert new.json() == {"new": 1, "total": 2}

    def test_a_page_without_scripts(self, app, engine):
        page = at_home(app, forms=True)
        text = page.get("/").text
        assert 'inputmode="decimal"' in text and "5 to 7.5" in text and "belongs to the class above it" in text
        form = {"csrf": csrf(page), "question": found_in(text, r'name="question" value="(\d+)"')}
        refused = page.post("/answer", data={**form, "label": "1,234"})
        assert refused.status_code == 422 and "write 1.234 or 1234" in refused.text
        done = page.post("/answer", data={**form, "label": "3,7"})
        assert "3.7</span> <small>below 5</small>" in done.text
        row = found_in(done.text, r'name="row" value="(P\d+)"')
        page.post("/correct", data={"csrf": form["csrf"], "row": row, "label": "12"})
        assert "12</span> <small>7.5 and above</small>" in page.get("/answers").text
        assert engine.position().told[0].label == "7.5 and above"


class TestManyClasses:
    NAMES = [f"kind {i} & more" for i in range(300)]

    def test_named(self, table):
        engine = served(table, classes=self.NAMES, budget=None)
        page = at_home(create_app(engine))
        text = page.get("/").text
        assert 'class="answer"' not in text and text.count("<option") == 300 and len(text) < 60_000
        assert "300 classes: type a part of the name" in text and "kind 7 &amp; more" in text
        form = {"csrf": csrf(page), "question": found_in(text, r'name="question" value="(\d+)"')}
        refused = page.post("/answer", data={**form, "label": "kind"})
        assert refused.status_code == 422 and "and 280 more." in refused.text
        done = page.post("/answer", data={**form, "label": "kind 299 & more"})
        assert "kind 299 &amp; more</span>" in done.text.replace("\n", "") and engine.classes() == tuple(self.NAMES)
        study = page.get("/study").text
        assert "kind 299 &amp; more: <b>1</b>" in study and "and 288 more classes" in study
        client = at_home(create_app(engine))
        asked = client.post("/api/v1/questions").json()
        assert len(asked["classes"]) == 300 and not any(c["keys"] for c in asked["classes"])
        assert len(client.get("/api/v1/study").json()["classes"]) == 300
        engine.close()

    def test_that_turn_up(self, table):
        engine = served(table, budget=None)
        engine.tell(Person("ana", Role.OWNER), list(enumerate(self.NAMES[:149])))
        page = at_home(create_app(engine))
        text = page.get("/").text
        assert "149 classes: type a part of the name, or a new label" in text
        form = {"csrf": csrf(page), "question": found_in(text, r'name="question" value="(\d+)"')}
        page.post("/answer", data={**form, "label": "quite new", "confirmed": "quite new"})
        assert engine.classes()[-1] == "quite new"
        listed = page.get("/answers?sheet=2").text
        assert listed[listed.index("<datalist") : listed.index("</datalist")].count("<option") == 150
        engine.close()

    def test_numbers_that_are_all_different_are_said_on_the_study_page(self, table):
        engine = served(table, budget=None)
        engine.tell(Person("ana", Role.OWNER), [(row, 2 * row) for row in range(20)])
        said = at_home(create_app(engine)).get("/study").text
        assert "<b>All 20 labels are different whole numbers" in said and "(--label-edges 5,7.5,...)" in said
        engine.close()


def test_database_is_away(table, add_annotator, caplog):
    with sqlite_url() as url:
        engine = create_engine(url, str(table), **OPTIONS)
        token = add_annotator(engine.storage, "ana")
        app = create_app(engine)
        page, client = browser(app, token), program(app, token)
        for old, new, status in (("activefs_annotators", "away", 503), ("away", "activefs_annotators", 200)):
            assert isinstance(engine.storage, SQLStorage)
            with engine.storage._connected(write=True) as connection:
                connection.execute(f"ALTER TABLE {old} RENAME TO {new}")
            for answer in (page.get("/"), page.get("/study"), page.get("/sign-in"), client.get("/api/v1/me")):
                assert answer.status_code == status
                assert ("try again in a moment" in answer.text) == (status == 503)
                assert "no such table" not in answer.text and url not in answer.text  # that is in the log
        assert "no such table" in caplog.text
        engine.close()


def test_vendored_files_are_what_they_were():
    folder = Path(activefs.web.__file__).parent / "static"
    lines = (folder / "SHA256SUMS").read_text().split("\n")[:-1]
    assert len(lines) == 3
    for line in lines:
        digest, name = line.split()
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert len(list((folder / "licences").iterdir())) == 2
