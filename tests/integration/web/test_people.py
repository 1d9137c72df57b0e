"""Inviting people and sending them away, pausing and archiving, on the page and over the API."""

import html
from typing import Any

import pytest
from at_home import at_home
from catalogs import catalog_of
from fastapi.testclient import TestClient
from searched import found_in

from activefs import Study
from activefs.storages import Kind, MemoryStorage, Role, open_storage
from activefs.study import create_engine
from activefs.web import create_app, create_hub

OPTIONS: dict[str, Any] = {
    "k": 1,
    "classes": ["healthy", "ill"],
    "id_column": "patient",
    "show_text": "note",
    "random_state": 0,
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
    return {"ana": add_annotator(engine.storage, "ana"), "eva": add_annotator(engine.storage, "eva", role=Role.OWNER)}


def client_of(app, token=None, **options):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return TestClient(app, **{"base_url": "http://127.0.0.1", "headers": headers, **options})


def signed_in(app, token, root=""):
    client = client_of(app)
    assert client.post(f"{root}/sign-in", data={"token": token}, follow_redirects=False).status_code == 303
    client.csrf = client.get(f"{root}/api/v1/me").headers["X-CSRF-Token"]
    return client


def link_in(page):
    return html.unescape(found_in(page.text, r'id="link" readonly value="([^"]*)"'))


class TestInviting:
    def test_a_link_signs_in(self, app, tokens, engine):
        eva = signed_in(app, tokens["eva"])
        done = eva.post("/manage/invite", data={"name": "Bén & <i>co</i>", "csrf": eva.csrf})
        assert done.status_code == 200 and "<i>co" not in done.text
        base, _, token = link_in(done).partition("#")
        assert base == "http://127.0.0.1/join" and token not in str(done.url)
        joining = client_of(app).get("/join")
        assert joining.status_code == 200 and "join.js" in joining.text and "data-at-once" in joining.text
        ben = signed_in(app, token)
        assert ben.get("/api/v1/me").json() == {"name": "Bén & <i>co</i>", "role": "annotator"}
        assert "data-at-once" not in ben.get("/join").text  # somebody is signed in: they are asked first
        assert token not in eva.get("/manage").text  # it was shown once
        again = eva.post("/manage/invite", data={"name": "Bén & <i>co</i>", "csrf": eva.csrf})
        assert "works no more" in again.text and ben.get("/").status_code == 401
        assert eva.post("/manage/remove", data={"name": "Bén & <i>co</i>", "csrf": eva.csrf}).status_code == 200
        assert [a.name for a in engine.storage.annotators()] == ["ana", "eva"]

    def test_what_is_refused(self, app, tokens, engine):
        eva, ana = signed_in(app, tokens["eva"]), signed_in(app, tokens["ana"])
        for name in ("", " ", "x" * 201, "a\x00b", "eva"):
            assert eva.post("/manage/invite", data={"name": name, "csrf": eva.csrf}).status_code == 422, name
        assert eva.post("/manage/invite", data={"name": "ben", "role": "king", "csrf": eva.csrf}).status_code == 422
        assert eva.post("/manage/remove", data={"name": "eva", "csrf": eva.csrf}).status_code == 403
        assert eva.post("/manage/remove", data={"name": "nobody", "csrf": eva.csrf}).status_code == 422
        for path in ("invite", "remove", "pause", "archive"):
            assert eva.post(f"/manage/{path}", data={"name": "ben", "csrf": "0"}).status_code == 403
            assert ana.post(f"/manage/{path}", data={"name": "ben", "csrf": ana.csrf}).status_code == 403
        assert ana.get("/manage").status_code == 403 and "Manage" not in ana.get("/answers").text
        assert [a.name for a in engine.storage.annotators()] == ["ana", "eva"]

    def test_the_first_is_yourself(self, app, engine):
        page = at_home(app, forms=True)
        token = page.get("/api/v1/me").headers["X-CSRF-Token"]
        assert "begin with yourself" in page.get("/manage").text
        refused = page.post("/manage/invite", data={"name": "ana", "csrf": token})
        assert refused.status_code == 422 and "yourself as an owner first" in refused.text
        assert engine.storage.annotators() == []
        done = page.post("/manage/invite", data={"name": "eva", "role": "owner", "csrf": token})
        assert done.status_code == 200 and page.get("/api/v1/me").json() == {"name": "eva", "role": "owner"}
        csrf = found_in(done.text, r'name="csrf" value="([0-9a-f]+)"')  # of the new sign-in: the page goes on
        assert page.post("/manage/invite", data={"name": "ana", "csrf": csrf}).status_code == 200
        assert client_of(app, link_in(done).partition("#")[2]).get("/api/v1/me").json()["name"] == "eva"

    def test_over_the_api(self, app, tokens):
        eva, ana = client_of(app, tokens["eva"]), client_of(app, tokens["ana"])
        assert ana.get("/api/v1/annotators").status_code == 403
        assert ana.post("/api/v1/annotators", json={"name": "ben"}).status_code == 403
        made = eva.post("/api/v1/annotators", json={"name": "ben/x", "role": "owner"})
        assert made.status_code == 201 and made.json()["link"].endswith(f"/join#{made.json()['token']}")
        assert client_of(app, made.json()["token"]).get("/api/v1/me").json() == {"name": "ben/x", "role": "owner"}
        assert [p["name"] for p in eva.get("/api/v1/annotators").json()] == ["ana", "ben/x", "eva"]
        assert ana.delete("/api/v1/annotators/ben/x").status_code == 403
        assert eva.delete("/api/v1/annotators/ben/x").status_code == 204
        assert eva.delete("/api/v1/annotators/eva").status_code == 403
        assert eva.delete("/api/v1/annotators/ben/x").status_code == 422

    def test_whoever_is_removed_gives_the_row_back(self, app, tokens, engine):
        ana = signed_in(app, tokens["ana"])
        assert ana.get("/").status_code == 200 and engine.position().pending
        assert client_of(app, tokens["eva"]).delete("/api/v1/annotators/ana").status_code == 204
        assert ana.get("/").status_code == 401 and not engine.position().pending


class TestPausing:
    def test_nobody_gets_new_rows(self, app, tokens, engine):
        eva, ana = signed_in(app, tokens["eva"]), client_of(app, tokens["ana"])
        held = ana.post("/api/v1/questions").json()["questions"][0]
        assert eva.post("/manage/pause", data={"csrf": eva.csrf}).status_code == 200
        assert "The study is paused" in eva.get("/").text and ">paused<" in eva.get("/study").text
        assert "you can answer this row" in signed_in(app, tokens["ana"]).get("/").text
        assert ana.post("/api/v1/answers", json={"question": held["id"], "label": "ill"}).status_code == 200
        asked = ana.post("/api/v1/questions").json()
        assert asked["questions"] == [] and "paused" in asked["reason"] and not asked["finished"]
        assert ana.get("/api/v1/study").json()["paused"] is True
        assert ana.post("/api/v1/state/resume").status_code == 403
        assert client_of(app, tokens["eva"]).post("/api/v1/state/resume").json() == {"paused": False, "archived": False}
        assert ana.post("/api/v1/questions").json()["questions"]
        assert [e.kind for e in engine.storage.events() if e.row < 0] == [Kind.PAUSED, Kind.RESUMED]

    def test_archived_is_read_only(self, app, tokens, engine):
        eva, ana = signed_in(app, tokens["eva"]), client_of(app, tokens["ana"])
        held = ana.post("/api/v1/questions").json()["questions"][0]
        eva.post("/manage/archive", data={"csrf": eva.csrf})
        assert "The study is archived" in eva.get("/").text and ">archived<" in eva.get("/study").text
        refused = ana.post("/api/v1/answers", json={"question": held["id"], "label": "ill"})
        assert refused.status_code == 403 and "archived" in refused.json()["message"]
        again = ana.post("/api/v1/questions").json()
        assert again["questions"] == [] and "archived" in again["reason"], "what cannot be answered is not asked"
        assert "The study is archived" in signed_in(app, tokens["ana"]).get("/").text
        imported = client_of(app, tokens["eva"]).post("/api/v1/labels", content="row,label\nP001,ill\n")
        assert imported.status_code == 403
        for path in ("/study", "/answers", "/manage", "/api/v1/labels", "/api/v1/selection"):
            assert eva.get(path).status_code == 200
        out = signed_in(app, tokens["ana"])
        assert out.post("/sign-out", data={"csrf": out.csrf}, follow_redirects=False).status_code == 303
        assert (
            eva.post("/manage/remove", data={"name": "ana", "csrf": eva.csrf}, follow_redirects=False).status_code
            == 303
        )
        assert eva.post("/manage/restore", data={"csrf": eva.csrf}).status_code == 200
        assert "The study is open" in eva.get("/manage").text
        assert eva.post("/manage/nonsense", data={"csrf": eva.csrf}).status_code == 422


class TestOwnersOfAServer:
    @pytest.fixture
    def folder(self, tmp_path, table):
        folder = tmp_path / "studies"
        folder.mkdir()
        Study.create(folder / "heart.db", table, **OPTIONS).close()
        return folder

    def test_invite_at_the_server_and_at_a_study(self, folder):
        app = create_hub(catalog_of(folder), root="/lab")
        page = client_of(app)
        secret = app.state.service.gate.door.secret
        assert page.get("/lab/", params={"start": secret}).status_code == 200
        csrf = page.get("/lab/api/v1/me").headers["X-CSRF-Token"]
        assert "begin with yourself" in page.get("/lab/people").text
        first = page.post("/lab/people/invite", data={"name": "olga", "csrf": csrf})
        assert link_in(first).startswith("http://127.0.0.1/lab/join#afs_")
        assert page.get("/lab/api/v1/me").json() == {"name": "olga", "owns_server": True}
        csrf = found_in(first.text, r'name="csrf" value="([0-9a-f]+)"')
        other = page.post("/lab/people/invite", data={"name": "otto", "csrf": csrf})
        otto = signed_in(app, link_in(other).partition("#")[2], "/lab")
        assert otto.get("/lab/s/heart/api/v1/me").json() == {"name": "otto", "role": "owner"}
        at_study = page.post("/lab/s/heart/manage/invite", data={"name": "ana", "csrf": csrf})
        link = link_in(at_study)
        assert link.startswith("http://127.0.0.1/lab/s/heart/join#")
        taken = page.post("/lab/s/heart/manage/invite", data={"name": "otto", "csrf": csrf})
        assert taken.status_code == 422 and "owns this server" in taken.text
        ana = signed_in(app, link.partition("#")[2], "/lab/s/heart")
        assert ana.get("/lab/people").status_code == 403 and ana.get("/lab/new").status_code == 403
        assert "People" not in ana.get("/lab/").text and "heart" in ana.get("/lab/").text
        assert page.post("/lab/people/remove", data={"name": "otto", "csrf": csrf}).status_code == 200
        assert otto.get("/lab/").status_code == otto.get("/lab/s/heart/").status_code == 401
        assert page.post("/lab/people/remove", data={"name": "olga", "csrf": csrf}).status_code == 403

    def test_archived_studies_are_listed_apart(self, folder, add_annotator):
        app = create_hub(catalog_of(folder))
        token = add_annotator(app.state.service.gate.storage, "olga", role=Role.OWNER)
        olga = client_of(app, token)
        assert olga.post("/s/heart/api/v1/state/pause").status_code == 200
        assert olga.get("/api/v1/studies").json()[0]["state"] == "paused"
        assert olga.post("/s/heart/api/v1/state/archive").status_code == 200
        assert olga.get("/api/v1/studies").json()[0]["state"] == "archived"
        assert "<h2>Archived</h2>" in olga.get("/").text
        owners = olga.post("/api/v1/owners", json={"name": "otto"})
        assert owners.status_code == 201 and [p["name"] for p in olga.get("/api/v1/owners").json()] == ["olga", "otto"]
        assert olga.delete("/api/v1/owners/otto").status_code == 204

    def test_removing_all_people_of_a_study_opens_it_to_nobody(self, folder, add_annotator):
        storage = open_storage(folder / "heart.db")
        add_annotator(storage, "ana")
        app = create_hub(catalog_of(folder))
        add_annotator(app.state.service.gate.storage, "olga", role=Role.OWNER)
        storage.remove_annotator("ana")
        storage.close()
        assert client_of(app).get("/s/heart/").status_code == 401
