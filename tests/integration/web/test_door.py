"""The way in: the address of the terminal, proxies, cookies, and a server below a path."""

import logging
import re
from typing import Any

import pytest
from at_home import at_home, enter
from fastapi.testclient import TestClient

from activefs.exceptions import InvalidInputError
from activefs.storages import MemoryStorage, Role
from activefs.study import create_engine
from activefs.web import create_app

OPTIONS: dict[str, Any] = {
    "k": 1,
    "classes": ["healthy", "ill"],
    "id_column": "patient",
    "show_text": "note",
    "random_state": 0,
}


@pytest.fixture
def new_engine(table):
    made = []

    def make(**options):
        made.append(create_engine(MemoryStorage(), str(table), **{**OPTIONS, **options}))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


def client_of(app, **options):
    return TestClient(app, **{"base_url": "http://127.0.0.1", **options})


class TestStartAddress:
    def test_lets_one_browser_in(self, new_engine):
        app = create_app(new_engine())
        door, announced = app.state.service.door, list[str]()
        door.announce = announced.append
        page, first = client_of(app), door.secret
        assert page.get("/").status_code == 401 and "activefs serve" in page.get("/").text
        assert "?start=" in page.get("/api/v1/study").json()["message"]
        for wrong in ("", "x", first[:-1], first + "x", "\u00ff"):
            refused = page.get("/", params={"start": wrong})
            assert refused.status_code == 401 and "set-cookie" not in refused.headers
            assert "not valid any more" in refused.text
        done = enter(page, first)
        assert done.headers["location"] == "/" and "HttpOnly" in done.headers["set-cookie"]
        assert page.get("/").status_code == 200
        assert announced == [door.secret] and door.secret != first
        assert client_of(app).get("/", params={"start": first}).status_code == 401
        assert page.get("/", params={"start": first}, follow_redirects=False).status_code == 303  # it is in already
        assert page.get("/", params={"start": door.secret}).status_code == 200 and announced == [door.secret]

    def test_is_nothing_but_the_start(self, new_engine):
        app = create_app(new_engine())
        secret = app.state.service.door.secret
        for path in ("/study", "/answers", "/api/v1/me", "/sign-in", "/static/app.css"):
            assert "set-cookie" not in client_of(app).get(path, params={"start": secret}).headers
        assert client_of(app).head("/", params={"start": secret}).status_code in (401, 405)
        assert client_of(app).post("/", params={"start": secret}).status_code == 405
        assert app.state.service.door.secret == secret

    def test_is_in_no_log(self, new_engine, caplog):
        app = create_app(new_engine())
        seen, secret = [], app.state.service.door.secret
        with caplog.at_level(logging.DEBUG):

            async def watched(scope, receive, send):
                await app(scope, receive, send)
                seen.append(scope["query_string"])

            with TestClient(watched, base_url="http://127.0.0.1") as page:
                page.get("/", params={"start": secret}, follow_redirects=False)
        assert seen[-1] == b""  # what logs requests after that has nothing to write down
        ours = [r.getMessage() for r in caplog.records if r.name != "httpx"]  # the browser may know it
        assert secret not in "".join(ours) and secret not in repr(app.state.service)

    def test_is_over_with_the_first_token(self, new_engine, add_annotator):
        engine = new_engine()
        app = create_app(engine)
        page = at_home(app)
        add_annotator(engine.storage, page.get("/api/v1/me").json()["name"])  # even of the same name
        assert page.get("/").status_code == 401
        other = client_of(app)
        assert other.get("/", params={"start": app.state.service.door.secret}).status_code == 401
        assert "personal token" in other.get("/").text

    def test_there_is_none_for_others(self, new_engine):
        app = create_app(new_engine(), local_only=False)
        assert client_of(app).get("/", params={"start": app.state.service.door.secret}).status_code == 401


class TestProxies:
    HEADERS = [
        {"X-Forwarded-For": "192.0.2.1"},
        {"x-forwarded-host": "study.example"},
        {"X-Forwarded-Proto": "https"},
        {"X-Forwarded-Prefix": "/studies"},
        {"Forwarded": "for=192.0.2.1"},
        {"X-Real-IP": "127.0.0.1"},
        {"Via": "1.1 proxy"},
    ]

    @pytest.mark.parametrize("headers", HEADERS)
    def test_are_refused_without_tokens(self, new_engine, add_annotator, headers):
        engine = new_engine()
        app = create_app(engine)
        page = at_home(app)
        for path in ("/", "/study", "/sign-in", "/static/app.css", f"/?start={app.state.service.door.secret}"):
            refused = page.get(path, headers=headers)
            assert refused.status_code == 403 and "through a proxy" in refused.text and "annotator add" in refused.text
        assert "through a proxy" in page.get("/api/v1/study", headers=headers).json()["message"]
        token = add_annotator(engine.storage, "ana")
        signed = {"Authorization": f"Bearer {token}", **headers}
        assert client_of(app).get("/api/v1/me", headers=signed).status_code == 200


class TestCookies:
    def test_two_studies_on_one_host_do_not_sign_each_other_out(self, new_engine, add_annotator):
        engines = [new_engine(), new_engine()]
        tokens = [add_annotator(engine.storage, "ana") for engine in engines]
        pages = [client_of(create_app(engine)) for engine in engines]
        jar = pages[0].cookies
        pages[1]._cookies = jar  # browsers send the cookies of a host to all its ports
        for page, token in zip(pages, tokens, strict=True):
            assert page.post("/sign-in", data={"token": token}, follow_redirects=False).status_code == 303
        assert len(jar) == 2
        assert [page.get("/").status_code for page in pages] == [200, 200]
        form = {"csrf": pages[0].get("/api/v1/me").headers["X-CSRF-Token"]}
        assert pages[0].post("/sign-out", data=form, follow_redirects=False).status_code == 303
        assert [page.get("/").status_code for page in pages] == [401, 200]

    def test_names_stay_over_restarts_and_differ_between_copies(self, table, tmp_path):
        from shutil import copy

        from activefs.study import open_engine

        names = []
        create_engine(tmp_path / "a.db", str(table), **OPTIONS).close()
        copy(tmp_path / "a.db", tmp_path / "b.db")
        for file in ("a.db", "a.db", "b.db"):
            engine = open_engine(tmp_path / file)
            names.append(create_app(engine).state.service.gates[0].cookie)
            engine.close()
        assert names[0] == names[1] != names[2]

    @pytest.mark.parametrize(
        ("root", "scheme", "start", "path"),
        [
            ("", "http", "activefs-", "/"),
            ("", "https", "__Host-activefs-", "/"),
            ("/studies", "http", "activefs-", "/studies/"),
            ("/studies", "https", "__Secure-activefs-", "/studies/"),
        ],
    )
    def test_are_held_to_their_place(self, new_engine, add_annotator, root, scheme, start, path):
        engine = new_engine()
        token = add_annotator(engine.storage, "ana")
        page = client_of(create_app(engine, root=root), base_url=f"{scheme}://study.example")
        done = page.post(f"{root}/sign-in", data={"token": token}, follow_redirects=False)
        cookie = done.headers["set-cookie"]
        assert cookie.startswith(start) and f"Path={path};" in f"{cookie};" and "SameSite=strict" in cookie
        assert ("Secure" in cookie.split("=", 1)[1]) == (scheme == "https") and "Domain" not in cookie
        assert page.get(f"{root}/").status_code == 200


class TestBelowAPath:
    @pytest.mark.parametrize("strips", [True, False])
    def test_everything_is_there(self, new_engine, add_annotator, strips):
        engine = new_engine()
        token = add_annotator(engine.storage, "eva", role=Role.OWNER)
        below = "" if strips else "/team/studies"
        page = client_of(create_app(engine, root="/team/studies"))
        done = page.post(f"{below}/sign-in", data={"token": token}, follow_redirects=False)
        assert done.headers["location"] == "/team/studies/"
        page.cookies = {c.name: c.value for c in page.cookies.jar}  # their path is that of the proxy
        for path in ("/", "/study", "/answers", "/sign-in", "/nothing"):
            text = page.get(f"{below}{path}").text
            addresses = re.findall(r'(?:href|src|action|hx-get|hx-post)="(/[^"]*)"', text)
            assert addresses and all(a.startswith("/team/studies/") for a in addresses)
        assert page.get(f"{below}/static/app.css").status_code == 200
        out = client_of(page.app).post(f"{below}/undo", headers={"HX-Request": "true"})
        assert out.headers["HX-Redirect"] == "/team/studies/sign-in"
        assert page.get(f"{below}/api/v1/openapi.json").json()["servers"] == [{"url": "/team/studies"}]
        assert page.get(f"{below}/api/v1/me").json()["name"] == "eva"
        big = page.post(f"{below}/api/v1/labels", content=b"x" * 100_000, headers={"Authorization": f"Bearer {token}"})
        assert big.status_code == 422  # more than other requests may have: it is known where this one goes
        form = {"csrf": page.get(f"{below}/api/v1/me").headers["X-CSRF-Token"]}
        assert page.post(f"{below}/undo", data=form).status_code == 409
        out = page.post(f"{below}/sign-out", data=form, follow_redirects=False)
        assert out.headers["location"] == "/team/studies/sign-in"
        if not strips:
            assert page.get("/team/studies").status_code == 401

    def test_the_start_address(self, new_engine):
        app = create_app(new_engine(), root="/studies")
        page = client_of(app)
        done = page.get("/studies/", params={"start": app.state.service.door.secret}, follow_redirects=False)
        assert done.headers["location"] == "/studies/" and page.get("/studies/").status_code == 200

    @pytest.mark.parametrize("root", ["/a b", "/../x", "//", "/x?y", "/<b>", "https://x/", "/study", "/api/v2"])
    def test_paths_that_cannot_be(self, new_engine, root):
        from activefs.web._paths import checked_root

        if root == "//":
            assert checked_root(root) == ""
            return
        with pytest.raises(InvalidInputError, match="like /studies"):
            create_app(new_engine(), root=checked_root(root))
