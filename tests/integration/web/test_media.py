"""Images, sound and videos of rows: shown beside the cells, and no way out of their folder."""

import os
import sys
import wave
from typing import Any

import pytest
from at_home import at_home
from fastapi.testclient import TestClient
from pages import press, sign_in, study_in_browser
from PIL import Image
from platforms import link
from playwright.sync_api import expect

from activefs.exceptions import InvalidInputError
from activefs.storages import MemoryStorage
from activefs.study import below, create_engine
from activefs.web import create_app

WAV = "sound.wav"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'


@pytest.fixture
def media(tmp_path):
    """A folder of media, and a secret beside it."""
    folder = tmp_path / "media"
    (folder / "deep").mkdir(parents=True)
    Image.new("RGB", (60, 40), "teal").save(folder / "one.png")
    Image.new("RGB", (60, 40), "teal").save(folder / "deep" / "ünï code.JPG")
    with wave.open(str(folder / WAV), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(40_000))
    (folder / "image.svg").write_text(SVG)
    (folder / "page.html").write_text("<script>alert(1)</script>")
    (folder / "page.png").write_text("<script>alert(1)</script>")
    (folder / "empty.png").write_bytes(b"")
    Image.new("RGB", (9, 9)).save(tmp_path / "secret.png")
    link(folder / "out.png", tmp_path / "secret.png")
    link(folder / "up", tmp_path)
    link(folder / "inside.png", folder / "one.png")
    link(folder / "loop.png", folder / "loop.png")
    if sys.platform != "win32":
        os.mkfifo(folder / "pipe.png")
    (folder / "folder.png").mkdir()
    return folder


GOOD = ["one.png", "deep/ünï code.JPG", "./one.png", "inside.png", WAV, "image.svg"]
BAD = [
    "../secret.png", "deep/../../secret.png", "/etc/passwd", "//etc/passwd", "/dev/zero", "out.png", "up/secret.png",
    "loop.png", "pipe.png", "folder.png", "page.html", "page.png", "empty.png", "gone.png", "..\\secret.png",
    "C:\\secret.png", "C:secret.png", "\\\\host\\share\\x.png", "one.png\\", "x" * 5000 + ".png", "a/" * 600 + "x.png",
    "file:///etc/passwd", "data:image/png;base64,AAAA", "javascript:alert(1)//x.png", "%2e%2e/secret.png",
    "..%2fsecret.png",
    "~/secret.png", ".", "deep", "deep/", "one.png/", "one.png/../../secret.png", "ftp://host/x.png",
    "http://user:pass@host/x.png", "https://", "http://[half/x.png", "https://a b/x.png",
    "https://x;script-src */y.png",
]  # fmt: skip


def client(media, tmp_path, names, **options):
    lines = [f'{i},{i % 2},{i % 3},"{name}"' for i, name in enumerate(names * (1 + 40 // len(names)))]
    (tmp_path / "t.csv").write_text("id,a,b,photo\n" + "\n".join(lines) + "\n")
    settings = {"k": 1, "id_column": "id", "classes": ["yes", "no"], "show_media": ["photo"], "random_state": 0}
    engine = create_engine(MemoryStorage(), str(tmp_path / "t.csv"), **{**settings, **options})
    return at_home(create_app(engine, media=media)), engine


def test_files_that_may_be_shown(media, tmp_path):
    page, engine = client(media, tmp_path, GOOD)
    assert engine.table.pool.n_features == 2  # the column is no feature
    kinds = ["image/png", "image/jpeg", "image/png", "image/png", "audio/wav", "image/svg+xml"]
    for row, kind in enumerate(kinds):
        sent = page.get(f"/media/{row}/0")
        assert sent.status_code == 200 and sent.headers["content-type"] == kind
        assert (
            "sandbox" in sent.headers["content-security-policy"] and sent.headers["x-content-type-options"] == "nosniff"
        )
        assert "default-src 'none'" in sent.headers["content-security-policy"]
        assert sent.headers["cache-control"].startswith("private")
    part = page.get("/media/4/0", headers={"Range": "bytes=10-19"})
    assert (
        part.status_code == 206 and len(part.content) == 10 and part.headers["content-range"].startswith("bytes 10-19/")
    )
    assert page.get("/media/4/0", headers={"Range": "bytes=99999999-"}).status_code == 416
    assert page.head("/media/4/0").headers["content-length"] == str((media / WAV).stat().st_size)
    engine.close()


@pytest.mark.parametrize(("written", "kept"), [("\u00fc.png", "u\u0308.png"), ("u\u0308.png", "\u00fc.png")])
def test_accents_may_be_written_in_either_way(tmp_path, written, kept):
    (tmp_path / kept).write_bytes(b"")
    found = below(tmp_path, written)
    assert found is not None and found.samefile(tmp_path / kept)
    assert below(tmp_path, f"../{tmp_path.name}/{written}") is None


@pytest.mark.parametrize("name", BAD)
def test_everything_else_is_not_there(media, tmp_path, name):
    page, engine = client(media, tmp_path, [name])
    assert engine.table.media_hosts == frozenset()
    assert page.get("/media/0/0").status_code == 404
    shown = page.get("/").text
    assert "<img" not in shown.replace('<img src="/static/icon.svg"', "") and "Traceback" not in shown
    assert "or is not what its name says." in shown or "This is no image, sound or video" in shown
    engine.close()


def test_nothing_but_what_rows_name_is_sent(media, tmp_path):
    page, engine = client(media, tmp_path, ["one.png"])
    for path in (
        "0/1",
        "-1/0",
        "99999/0",
        "0/-1",
        "x/0",
        "0/x",
        "0/0/..",
        "..%2f..%2fsecret.png/0",
        "0/../../secret.png",
    ):
        assert page.get(f"/media/{path}").status_code in (404, 422)
    stranger = TestClient(page.app, base_url="http://127.0.0.1")
    assert stranger.get("/media/0/0").status_code == 401
    (media / "one.png").unlink()
    assert page.get("/media/0/0").status_code == 404
    engine.close()


def test_policy_allows_the_hosts_that_occur(media, tmp_path):
    names = ["one.png", "https://pictures.example:8443/a.png", "http://Other.example/b"]
    page, engine = client(media, tmp_path, names)
    policy = page.get("/").headers["content-security-policy"]
    hosts = "http://other.example https://pictures.example:8443"
    assert f"img-src 'self' data: {hosts};" in policy and policy.endswith(f"media-src 'self' {hosts}")
    assert "script-src 'self';" in policy and "example" not in page.get("/study").headers["content-security-policy"]
    engine.close()
    many, engine = client(media, tmp_path, [f"https://h{i}.example/a.png" for i in range(11)])
    assert "img-src 'self' data: https: http:;" in many.get("/").headers["content-security-policy"]
    engine.close()


def test_rest_says_where_they_are(media, tmp_path):
    page, engine = client(media, tmp_path, ["one.png"])
    (asked,) = page.post("/api/v1/questions").json()["questions"]
    (medium,) = asked["media"]
    assert medium["kind"] == "image" and medium["column"] == "photo" and page.get(medium["url"]).status_code == 200
    engine.close()


def test_without_a_folder_names_are_text_and_owners_get_a_hint(media, tmp_path):
    page, engine = client(None, tmp_path, ["one.png"])
    text = page.get("/").text
    assert 'class="file-name">one.png' in text and "--media DIR" in text
    assert page.get("/media/0/0").status_code == 404
    engine.close()


def test_columns_that_are_not_there(media, tmp_path):
    with pytest.raises(InvalidInputError, match="no column 'film'"):
        client(media, tmp_path, ["one.png"], show_media=["film"])


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
def test_in_the_browser(media, tmp_path, add_annotator, new_page, viewport):
    names = ["one.png", "deep/ünï code.JPG", "gone.png", "image.svg"]
    lines = [f"{i},{i % 2},{i % 3},{name},{WAV}" for i, name in enumerate(names * 20)]
    (tmp_path / "t.csv").write_text("patient,a,b,photo,sound\n" + "\n".join(lines) + "\n")
    options: dict[str, Any] = {"show_media": ["photo", "sound"], "show": ["a"], "show_text": None}
    with study_in_browser(tmp_path / "t.csv", add_annotator, served_with={"media": media}, **options) as server:
        page = new_page(viewport=viewport)
        dialogs = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        sign_in(page, server)
        seen = set()
        for i in range(12):
            sound = page.locator("audio[data-medium]")
            expect(sound).to_be_visible()
            page.wait_for_function("() => document.querySelector('audio').readyState >= 1")
            name = names[int(page.locator(".row-name b").inner_text()) % 4]
            seen.add(name)
            if name == "gone.png":
                expect(page.locator(".missing")).to_contain_text("gone.png This file is missing")
            else:
                page.wait_for_function("() => document.querySelector('img[data-medium]').naturalWidth > 0")
                expect(page.locator(".medium.loading")).to_have_count(0)
            press(page, "12"[i % 2])
        assert seen == set(names)
        while page.locator("[data-enlarge]").count() == 0:
            press(page, "1")
        page.locator("[data-enlarge]").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        before = page.locator("input[name=question]").first.get_attribute("value")
        page.keyboard.press("1")  # nothing is answered behind it
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.locator("input[name=question]").first.get_attribute("value") == before
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        page.goto(f"{server.base}/answers")
        expect(page.locator(".reviewed audio").first).to_be_visible()
        assert dialogs == []


def test_an_address_that_leads_nowhere(tmp_path, add_annotator, new_page):
    lines = [f"{i},{i % 2},{i % 3},http://127.0.0.1:9/{i}" for i in range(40)]
    (tmp_path / "t.csv").write_text("patient,a,b,photo\n" + "\n".join(lines) + "\n")
    options: dict[str, Any] = {"show_media": ["photo"], "show": ["a"], "show_text": None}
    with study_in_browser(tmp_path / "t.csv", add_annotator, **options) as server:
        page = new_page()
        sign_in(page, server)
        expect(page.locator(".missing")).to_contain_text("This image cannot be loaded.")
        press(page, "1")
        expect(page.locator(".missing")).to_contain_text("This image cannot be loaded.")
