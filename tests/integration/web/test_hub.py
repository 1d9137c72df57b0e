"""Several studies on one server, without a server: who sees what, and that no study keeps anybody from another."""

import gc
import re
import shutil
import sqlite3
import weakref
from contextlib import closing
from typing import Any

import pytest
from at_home import enter
from catalogs import catalog_of
from fastapi.testclient import TestClient
from platforms import link, needs_deleting

from activefs import Study
from activefs.cli import main
from activefs.storages import Role, Storage, open_storage
from activefs.web import create_hub

OPTIONS: dict[str, Any] = {
    "classes": ["yes", "no"],
    "strategy": "random",
    "random_state": 0,
    "budget": 30,
    "id_column": "patient",
}


@pytest.fixture
def folder(tmp_path, table):
    """A folder with two studies, and with what is none."""
    folder = tmp_path / "studies"
    folder.mkdir()
    for name in ("heart", "sugar"):
        Study.create(
            folder / f"{name}.db", table, 1, title=f"Study of <i>{name}</i>", show_text="note", **OPTIONS
        ).close()
    (folder / "notes.txt").write_text("nothing")
    (folder / "empty.db").touch()
    return folder


@pytest.fixture
def people(folder, add_annotator):
    tokens = {}
    for study, name, role in (
        ("heart", "ana", Role.ANNOTATOR),
        ("heart", "eva", Role.OWNER),
        ("sugar", "ben", Role.ANNOTATOR),
    ):
        storage = open_storage(folder / f"{study}.db")
        tokens[name] = add_annotator(storage, name, role=role)
        storage.close()
    owners = catalog_of(folder).people()
    tokens["olga"] = add_annotator(owners, "olga", role=Role.OWNER)
    owners.close()
    return tokens


def hub(folder, **options):
    return create_hub(catalog_of(folder), **options)


def client_of(app, **options):
    return TestClient(app, **{"base_url": "http://127.0.0.1", **options})


def program(app, token):
    return client_of(app, headers={"Authorization": f"Bearer {token}"})


def browser(app, token, path="/sign-in"):
    client = client_of(app)
    done = client.post(path, data={"token": token}, follow_redirects=False)
    assert done.status_code == 303, done.text
    return client, done.headers["location"]


def names(client):
    return [line["name"] for line in client.get("/api/v1/studies").json()]


class TestWhoSeesWhat:
    def test_an_owner_of_the_server_owns_all(self, folder, people):
        app = hub(folder)
        page, location = browser(app, people["olga"])
        assert location == "/" and names(page) == ["heart", "sugar"]
        text = page.get("/").text
        assert "Study of &lt;i&gt;heart" in text and "0 of 30 labels" in text and "notes" not in text
        for name in ("heart", "sugar"):
            assert page.get(f"/s/{name}/").status_code == 200
            assert page.get(f"/s/{name}/api/v1/me").json() == {"name": "olga", "role": "owner"}
            assert program(app, people["olga"]).get(f"/s/{name}/api/v1/me").json()["role"] == "owner"

    def test_annotators_see_their_studies_only(self, folder, people):
        app = hub(folder)
        page, location = browser(app, people["ana"])
        assert location == "/s/heart/" and page.get(location).status_code == 200
        assert names(page) == names(program(app, people["ana"])) == ["heart"]
        assert "sugar" not in page.get("/").text and "New study" not in page.get("/").text
        hidden = page.get("/s/sugar/")
        assert hidden.status_code == 401 and "Study of" not in hidden.text
        assert program(app, people["ana"]).get("/s/sugar/api/v1/study").status_code == 401
        assert page.get("/s/heart/api/v1/me").json() == {"name": "ana", "role": "annotator"}
        page.post("/sign-in", data={"token": people["ben"]})  # in the same browser, at the other study
        assert names(page) == ["heart", "sugar"]
        assert page.get("/s/heart/api/v1/me").json()["name"] == "ana"
        assert page.get("/s/sugar/api/v1/me").json()["name"] == "ben"

    def test_a_study_lets_its_people_and_the_owners_in(self, folder, people):
        app = hub(folder)
        for name in ("ana", "olga"):
            page, location = browser(app, people[name], "/s/heart/sign-in")
            assert location == "/s/heart/" and page.get(location).status_code == 200
        refused = client_of(app).post("/s/heart/sign-in", data={"token": people["ben"]})
        assert refused.status_code == 401

    def test_nobody_sees_nothing(self, folder, people):
        app = hub(folder)
        for client in (client_of(app), program(app, "afs_0_0"), client_of(app, cookies={"activefs-000000000000": "x"})):
            assert client.get("/").status_code == client.get("/api/v1/studies").status_code == 401
            assert "heart" not in client.get("/").text
        for token in ("", " ", "afs_1_2", people["ana"][:-1]):
            refused = client_of(app).post("/sign-in", data={"token": token})
            assert refused.status_code == 401 and "not known here" in refused.text

    def test_signing_out_of_one_study_or_of_all(self, folder, people):
        app = hub(folder)
        page, _ = browser(app, people["ana"])
        page.post("/sign-in", data={"token": people["ben"]})
        form = {"csrf": page.get("/s/heart/api/v1/me").headers["X-CSRF-Token"]}
        assert page.post("/s/heart/sign-out", data=form, follow_redirects=False).status_code == 303
        assert names(page) == ["sugar"]
        browser_again = page.post("/sign-in", data={"token": people["ana"]}, follow_redirects=False)
        assert browser_again.status_code == 303 and names(page) == ["heart", "sugar"]
        assert page.post("/sign-out", data={"csrf": "0"}).status_code == 403
        form = {"csrf": page.get("/api/v1/me").headers["X-CSRF-Token"]}
        assert page.post("/sign-out", data=form, follow_redirects=False).headers["location"] == "/sign-in"
        assert page.get("/").status_code == page.get("/s/sugar/").status_code == 401

    def test_without_tokens_the_address_of_the_terminal_opens_all(self, folder):
        app = hub(folder)
        page = client_of(app)
        assert page.get("/").status_code == page.get("/s/heart/").status_code == 401
        assert "?start=" in page.get("/s/heart/api/v1/me").json()["message"]
        enter(page, app.state.service.gate.door.secret)
        assert names(page) == ["heart", "sugar"]
        assert page.get("/s/sugar/").status_code == 200 and page.get("/s/sugar/api/v1/me").json()["role"] == "owner"
        for path in ("/", "/s/heart/", "/s/heart/api/v1/me"):
            assert page.get(path, headers={"X-Forwarded-For": "1.2.3.4"}).status_code == 403
            assert page.get(path, headers={"Host": "evil.example"}).status_code == 400

    def test_a_server_for_others_is_never_open(self, folder):
        app = hub(folder, local_only=False)
        page = client_of(app)
        assert page.get("/", params={"start": app.state.service.gate.door.secret}).status_code == 401


class TestStudiesComeAndGo:
    def test_a_server_that_is_gone_holds_no_study(self, folder, people):
        def storages():
            return [thing for thing in gc.get_objects() if issubclass(type(thing), Storage)]

        before = {id(storage) for storage in storages()}
        app = hub(folder)
        with client_of(app, headers={"Authorization": f"Bearer {people['olga']}"}) as page:
            for path in ("/health", "/s/heart/", "/s/heart/health"):
                assert page.get(path).status_code == 200
            opened = [weakref.ref(storage) for storage in storages() if id(storage) not in before]
        assert len(opened) == 2  # that of the owners, and the study's
        del app, page
        gc.collect()
        assert [storage() for storage in opened] == [None, None]

    @needs_deleting
    def test_new_files_appear_and_deleted_ones_disappear(self, folder, people, table):
        page, _ = browser(hub(folder), people["olga"])
        assert page.get("/s/heart/").status_code == 200
        Study.create(folder / "new one.db", table, 1, show_text="note", **OPTIONS).close()
        (new,) = set(names(page)) - {"heart", "sugar"}
        assert re.fullmatch(r"new-one-[0-9a-f]{4}", new) and page.get(f"/s/{new}/").status_code == 200
        for path in folder.glob("heart.db*"):
            path.unlink()
        assert "heart" not in names(page)
        gone = page.get("/s/heart/")
        assert gone.status_code == 404 and "no study" in gone.text
        assert page.get("/s/heart/api/v1/study").json()["status"] == 404
        assert not (folder / "heart.db").exists()  # looking for it has not made it
        shutil.copy(folder / "sugar.db", folder / "heart.db")
        assert page.get("/s/heart/api/v1/study").json()["title"] == "Study of <i>sugar</i>"

    def test_damaged_files_are_listed_and_keep_nobody_from_the_others(self, folder, people):
        (folder / "text.db").write_text("no database at all")
        content = (folder / "sugar.db").read_bytes()
        (folder / "half.db").write_bytes(content[: len(content) // 2])
        link(folder / "link.db", folder.parent / "elsewhere.db")
        shutil.copy(folder / "sugar.db", folder.parent / "elsewhere.db")
        app = hub(folder)
        page, _ = browser(app, people["olga"])
        lines = {line["name"]: line for line in page.get("/api/v1/studies").json()}
        assert set(lines) == {"heart", "sugar", "text", "half", "link"}
        for name in ("text", "half", "link"):
            assert lines[name]["problem"], name
            assert page.get(f"/s/{name}/").status_code == 503
            assert page.get(f"/s/{name}/api/v1/study").json()["status"] == 503
        assert "Cannot be opened" in page.get("/").text and "leads out of the folder" in page.get("/").text
        assert page.get("/s/heart/").status_code == 200
        ana, _ = browser(app, people["ana"])
        assert "text.db" not in ana.get("/").text

    def test_a_file_that_was_held_by_somebody_is_there_again(self, folder, people, monkeypatch):
        monkeypatch.setattr("activefs.catalog._folder._WAIT", 0.1)
        monkeypatch.setattr("activefs.catalog._folder._SOON", 0.0)
        page, _ = browser(hub(folder), people["olga"])
        shutil.copy(folder / "sugar.db", folder / "held.db")
        with closing(sqlite3.connect(folder / "held.db")) as other:
            other.execute("PRAGMA locking_mode=EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
            lines = {line["name"]: line["problem"] for line in page.get("/api/v1/studies").json()}
            assert "locked" in lines["held"] and page.get("/s/held/").status_code == 503
        lines = {line["name"]: line["problem"] for line in page.get("/api/v1/studies").json()}
        assert lines["held"] == "" and page.get("/s/held/").status_code == 200

    @needs_deleting
    def test_a_file_that_is_damaged_while_it_is_served(self, folder, people):
        app = hub(folder)
        page, _ = browser(app, people["olga"])
        assert page.get("/s/sugar/").status_code == page.get("/s/heart/").status_code == 200
        for path in folder.glob("sugar.db-*"):
            path.unlink()
        (folder / "sugar.db").write_bytes(b"garbage" * 5000)
        assert page.get("/s/sugar/").status_code == 503
        assert page.get("/s/heart/").status_code == 200 and "Cannot be opened" in page.get("/").text

    def test_a_folder_of_media_that_is_made_later(self, folder, people, tmp_path):
        (tmp_path / "photos.csv").write_text("photo,x\n" + "".join(f"{i}.png,{i % 2}\n" for i in range(20)))
        Study.create(folder / "rash.db", tmp_path / "photos.csv", 1, show_media=("photo",), budget=5).close()
        page, _ = browser(hub(folder, media=tmp_path / "media"), people["olga"])
        assert page.get("/s/rash/media/7/0").status_code == 404
        (tmp_path / "media" / "rash").mkdir(parents=True)
        (tmp_path / "media" / "rash" / "7.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        assert page.get("/s/rash/media/7/0").headers["content-type"] == "image/png"

    def test_a_table_that_is_gone(self, folder, people, table):
        page, _ = browser(hub(folder), people["olga"])
        table.unlink()
        missing = page.get("/s/heart/")
        assert missing.status_code == 422 and "not at" in missing.text
        assert names(page) == ["heart", "sugar"]

    @pytest.mark.parametrize(
        "name",
        [
            "%2e%2e",
            "..%2fheart",
            "heart.db",
            ".activefs-server",
            "a%00b",
            "heart%5c",
            "",
            "x" * 200,
            "<b>",
        ],
    )
    def test_names_that_are_none(self, folder, people, name):
        page, _ = browser(hub(folder), people["olga"])
        answer = page.get(f"/s/{name}/")
        assert answer.status_code == 404 and "<b>" not in answer.text
        assert sorted(
            path.name for path in folder.iterdir() if not path.name.startswith(".") and "-" not in path.name
        ) == [
            "empty.db",
            "heart.db",
            "notes.txt",
            "sugar.db",
        ]

    def test_an_address_without_its_slash(self, folder, people):
        page, _ = browser(hub(folder, root="/studies"), people["olga"], "/studies/sign-in")
        done = page.get("/studies/s/heart", follow_redirects=False)
        assert done.status_code == 307 and done.headers["location"] == "/studies/s/heart/"


class TestBelowAPath:
    @pytest.mark.parametrize("strips", [True, False])
    def test_every_address(self, folder, people, strips):
        below = "" if strips else "/studies"
        app = hub(folder, root="/studies")
        client = client_of(app)
        done = client.post(f"{below}/sign-in", data={"token": people["olga"]}, follow_redirects=False)
        assert done.headers["location"] == "/studies/" and "Path=/studies/;" in done.headers["set-cookie"]
        client.cookies = {c.name: c.value for c in client.cookies.jar}
        for path in ("/", "/s/heart/", "/s/heart/study", "/s/heart/nothing", "/nothing"):
            text = client.get(f"{below}{path}").text
            addresses = re.findall(r'(?:href|src|action|hx-get|hx-post)="(/[^"]*)"', text)
            assert addresses and all(a.startswith("/studies/") for a in addresses), addresses
        assert client.get(f"{below}/s/heart/static/app.css").status_code == 200
        servers = client.get(f"{below}/s/heart/api/v1/openapi.json").json()["servers"]
        assert servers == [{"url": "/studies/s/heart"}]
        assert client.get(f"{below}/api/v1/openapi.json").json()["servers"] == [{"url": "/studies"}]


class TestCommands:
    def test_owners(self, folder, capsys):
        assert main(["server", "owner", "list", str(folder)]) == 2
        assert "server owner add" in capsys.readouterr().err
        assert main(["server", "owner", "add", str(folder), "olga", "--link", "http://lab.example:8000/"]) == 0
        said = capsys.readouterr().out.split("\n")
        assert said[2] == f"http://lab.example:8000/join#{said[0]}"
        assert program(hub(folder), said[0]).get("/api/v1/me").json() == {"name": "olga", "owns_server": True}
        assert main(["server", "owner", "list", str(folder)]) == 0 and "olga" in capsys.readouterr().out
        assert main(["server", "owner", "remove", str(folder), "olga"]) == 0
        assert main(["server", "owner", "remove", str(folder), "olga"]) == 2
        assert program(hub(folder), said[0]).get("/api/v1/me").status_code == 401
        assert main(["server", "owner", "add", str(folder / "heart.db"), "olga"]) == 2
        assert main(["server", "owner", "add", str(folder), "olga", "--link", "nowhere"]) == 2

    def test_the_place_of_owners_is_no_study(self, folder, people, capsys):
        place = str(folder / ".activefs-server.db")
        for command in (["study", "status"], ["study", "annotator", "list"], ["serve"], ["study", "export"]):
            assert main([*command, place]) == 2
            assert "is no study" in capsys.readouterr().err

    def test_serving_a_folder(self, folder, capsys):
        assert main(["serve", str(folder), "--host", "0.0.0.0"]) == 2
        assert "activefs server owner add" in capsys.readouterr().err
        assert main(["serve", str(folder), "--data", "x.csv"]) == 2
        assert main(["serve", str(folder), "--tables", str(folder)]) == 2
        assert main(["serve", str(folder), "--root-path", "/s"]) == 2
        assert "like /studies" in capsys.readouterr().err
