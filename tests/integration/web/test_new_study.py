"""What an owner of a server says about a new study, on the page and over the API, and how the file is read."""

import io
import json
import re
from html import unescape

import pytest
from catalogs import catalog_of
from fastapi.testclient import TestClient
from openpyxl import Workbook
from searched import found_in

from activefs import Study
from activefs.storages import Role
from activefs.web import create_hub

TABLE = "patient,age,sex,photo\n" + "".join(f"P{i:03d},{20 + i % 60},{'fm'[i % 2]},p{i}.png\n" for i in range(120))
SEMICOLONS = "patient;dose;sex;name\n" + "".join(f"P{i:03d};{i % 7},5;{'fm'[i % 2]};Jos\xe9 {i}\n" for i in range(120))
CARETS = SEMICOLONS.replace(",", ".").replace(";", "^")
CHOICES: dict[str, str | list[str]] = {
    "name": "heart",
    "title": "Heart",
    "k": "1",
    "budget": "20",
    "labels": "classes",
    "classes": "healthy, ill",
}
CHOICES |= {"id_column": "0", "show": ["1", "2"]}


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "studies"
    folder.mkdir()
    return folder


@pytest.fixture
def app(place):
    return create_hub(catalog_of(place), max_upload=2_000_000)


@pytest.fixture
def token(app, add_annotator):
    return add_annotator(app.state.service.gate.storage, "olga", role=Role.OWNER)


@pytest.fixture
def owner(app, token):
    client = TestClient(app, base_url="http://127.0.0.1")
    client.post("/sign-in", data={"token": token})
    client.csrf = client.get("/api/v1/me").headers["X-CSRF-Token"]
    return client


@pytest.fixture
def program(app, token):
    return TestClient(app, base_url="http://127.0.0.1", headers={"Authorization": f"Bearer {token}"})


def send(owner, content, name="patients.csv", **form):
    sent = owner.post(
        "/new", data={"csrf": owner.csrf, **form}, files={"table": (name, content)}, follow_redirects=False
    )
    return sent.headers["location"] if sent.status_code == 303 else sent


def say(owner, location, **form):
    return owner.post(location, data={**CHOICES, "csrf": owner.csrf, **form}, follow_redirects=False)


def notice(answer):
    return unescape(found_in(answer.text, r'role="alert">([^<]*)<'))


def settings_of(place, name="heart"):
    with Study.open(place / f"{name}.db") as study:
        return study.engine.settings


class TestSettings:
    def test_on_the_page(self, owner, place):
        location = send(owner, TABLE)
        said = {
            "instructions": "# Look\r\n\r\n<script>alert(1)</script> *first*",
            "descriptions": "ill: at least one: fever\n\n healthy :none of the signs",
            "overlap": "12,5 %",
            "hold": "3",
            "show_media": "3",
            "show": ["1", "2", "3"],
        }
        made = say(owner, location, **said)
        assert made.status_code == 303, notice(made)
        settings = settings_of(place)
        assert settings.instructions.text == "# Look\n\n<script>alert(1)</script> *first*"
        assert settings.class_descriptions == {"ill": "at least one: fever", "healthy": "none of the signs"}
        assert (settings.overlap, settings.hold) == (0.125, 3)
        assert settings.show_media == ("photo",) and settings.show == ("age", "sex")
        with Study.open(place / "heart.db") as study:
            assert study.pool.names == ("age", "sex")
        page = owner.get("/s/heart/").text
        assert "<h1>Look</h1>" in page or "Look</h" in page
        assert "<script>alert" not in page and "at least one: fever" in page and "p" in page

    def test_without_saying_anything_they_are_what_they_are_by_default(self, owner, place):
        location = send(owner, TABLE)
        proposed = owner.get(location).text
        assert re.search(r'name="overlap"[^>]* value="0"', proposed) and re.search(
            r'name="hold"[^>]* value="10"', proposed
        )
        assert say(owner, location, overlap="", hold="", instructions=" \r\n", descriptions="\n").status_code == 303
        settings = settings_of(place)
        assert (settings.overlap, settings.hold) == (0.0, 10)
        assert (settings.instructions, settings.class_descriptions, settings.show_media) == (None, None, None)

    def test_media_alone_may_be_shown(self, owner, place):
        assert say(owner, send(owner, TABLE), show=[], show_media="3").status_code == 303
        assert settings_of(place).show == ()

    def test_files_of_media_may_come_after_the_study(self, place, tmp_path, add_annotator):
        media = tmp_path / "media"
        media.mkdir()
        app = create_hub(catalog_of(place), media=media)
        token = add_annotator(app.state.service.gate.storage, "olga", role=Role.OWNER)
        client = TestClient(app, base_url="http://127.0.0.1", headers={"Authorization": f"Bearer {token}"})
        number = client.post("/api/v1/uploads", params={"name": "t.csv"}, content=TABLE).json()["id"]
        study = {"upload": number, "name": "heart", "k": 1, "id_column": "patient", "show_media": ["photo"]}
        assert client.post("/api/v1/studies", json=study).status_code == 201
        assert client.get("/s/heart/media/0/0").status_code == 404
        (media / "heart").mkdir()
        (media / "heart" / "p0.png").write_bytes(b"\x89PNG\r\n\x1a\n and so on")
        assert client.get("/s/heart/media/0/0").headers["content-type"] == "image/png"

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"overlap": "101"}, "from 0 to 100 percent"),
            ({"overlap": "a lot"}, "from 0 to 100 percent"),
            ({"overlap": "-1"}, "from 0 to 100 percent"),
            ({"hold": "0"}, "may hold must be a whole number"),
            ({"hold": "1001"}, "may hold must be a whole number"),
            ({"hold": "many"}, "may hold must be a whole number"),
            ({"descriptions": "ill is ill"}, "as in 'ill: at least one of the signs'"),
            ({"descriptions": "ill: a\nill: b"}, "described twice"),
            ({"descriptions": "sick: a"}, "'sick' is described, but is none of the classes"),
            ({"descriptions": "ill: " + "x" * 501}, "What a class means must be text of 1 to 500 printable characters"),
            ({"descriptions": "ill: a", "labels": "free"}, "name them (under 'Labels are')"),
            ({"instructions": "guide.md"}, "paste its text"),
            ({"instructions": "a\x00b"}, "control character"),
            ({"instructions": "x" * 200_001}, "at most 200,000 characters"),
            ({"show_media": "9"}, "no such column"),
        ],
    )
    def test_what_does_not_fit_is_said_and_what_was_typed_is_kept(self, owner, place, wrong, said):
        location = send(owner, TABLE)
        refused = say(owner, location, **{"instructions": "Read me.", "descriptions": "ill: a sign", **wrong})
        assert refused.status_code == 422 and said in notice(refused), notice(refused)
        assert len(notice(refused)) < 300
        text = unescape(refused.text)
        assert ("Read me." in text or "instructions" in wrong) and ("ill: a sign" in text or "descriptions" in wrong)
        for typed in wrong.values():
            assert typed in ("9", "free") or typed.replace("\x00", "") in text.replace("\x00", "")
        assert not list(place.glob("heart*"))

    def test_long_instructions_in_any_script(self, owner, program, place):
        text = "\u4e2d\U0001f600" * 100_000
        assert say(owner, send(owner, TABLE), instructions=text).status_code == 303
        assert settings_of(place).instructions.text == text
        number = program.post("/api/v1/uploads", params={"name": "t.csv"}, content=TABLE).json()["id"]
        study = {"upload": number, "name": "sugar", "k": 1, "instructions": text, "id_column": "patient"}
        assert program.post("/api/v1/studies", json=study).status_code == 201
        assert settings_of(place, "sugar").instructions.text == text
        assert say(owner, send(owner, TABLE), name="x", instructions="x" * 4_000_000).status_code == 413

    def test_over_the_api(self, program, place):
        number = program.post("/api/v1/uploads", params={"name": "t.csv"}, content=TABLE).json()["id"]
        study = {"upload": number, "name": "heart", "k": 1, "id_column": "patient", "classes": ["healthy", "ill"]}
        for wrong in (
            {"overlap": 1.5},
            {"overlap": "all"},
            {"hold": 0},
            {"show_media": ["none"]},
            {"show_media": "photo"},
            {"class_descriptions": {"sick": "a"}},
            {"class_descriptions": {"ill": ""}},
            {"instructions": " "},
            {"instructions": "guide.md"},
            {"instructions": "x" * 200_001},
        ):
            refused = program.post("/api/v1/studies", json={**study, **wrong})
            assert refused.status_code == 422 and refused.json()["message"].endswith("."), wrong
            assert "Path(" not in refused.json()["message"] and not list(place.glob("heart*"))
        said = {"overlap": 1, "hold": 2, "show_media": ["photo"], "class_descriptions": {"ill": "a sign"}}
        made = program.post("/api/v1/studies", json={**study, **said, "instructions": "*Look*"})
        assert made.status_code == 201, made.text
        settings = settings_of(place)
        assert (settings.overlap, settings.hold, settings.show_media) == (1.0, 2, ("photo",))
        assert settings.instructions.text == "*Look*" and settings.class_descriptions == {"ill": "a sign"}
        assert len(program.post("/s/heart/api/v1/questions", json={"count": 5}).json()["questions"]) == 2

    def test_bodies_of_new_studies_are_json(self, program, app, token):
        for content, kind in ((b"{", "application/json"), (b"\xff", "application/json"), (b"{}", "text/plain")):
            refused = program.post("/api/v1/studies", content=content, headers={"Content-Type": kind})
            assert refused.status_code == 422 and "JSON" in refused.json()["message"]
        missing = program.post("/api/v1/studies", json={"upload": "0", "name": "x"})
        assert missing.status_code == 422 and "k: " in missing.json()["message"]
        deep = program.post("/api/v1/studies", content=b"[" * 60_000, headers={"Content-Type": "application/json"})
        assert deep.status_code == 422
        stranger = TestClient(app, base_url="http://127.0.0.1")
        assert stranger.post("/api/v1/studies", content=b"{" * 10_000).status_code == 401


class TestHowItIsRead:
    def test_read_again_and_make_it_so(self, owner, place):
        location = send(owner, CARETS.encode("cp1252"))
        shown = owner.get(location).text
        assert "Not read as it should be?" in shown and "All was read as one column" in shown
        assert "'Between columns' says what is between them" in unescape(shown) and "sep=" not in shown
        again = say(owner, location, do="read", sep="^", title="My title", instructions="Read me.")
        assert again.status_code == 200 and "The table was read again." in again.text
        assert "120 rows, 4 columns" in again.text and "Read me." in again.text and 'value="My title"' in again.text
        assert "patients.csv was read with '^'" in unescape(again.text) and "table.csv" not in again.text
        assert len(re.findall(r'name="show" value="\d"[^>]* checked', again.text)) == 4  # chosen anew: others are there
        assert re.search(r'name="sep"[^>]* value="\^"', again.text)
        assert re.search(r'name="sep"[^>]* value="\^"', owner.get(location).text)
        made = say(owner, location, sep="^")
        assert made.status_code == 303, notice(made)
        dialect = settings_of(place).dialect
        assert (dialect.sep, dialect.decimal, dialect.encoding) == ("^", ".", "cp1252")

    def test_what_was_said_counts_when_the_study_is_made(self, owner, place):
        """Decimal points, where commas were found out."""
        location = send(owner, "a;b;c\n" + "".join(f"{i};{i % 9},{i % 5};{i % 3}\n" for i in range(100)))
        assert "found out: semicolon" in owner.get(location).text
        again = say(owner, location, do="read", sep="", decimal=".", encoding="latin-1", show=["0", "1"])
        assert re.search(r'<option value="\."[ ]?selected', again.text)
        assert len(re.findall(r'name="show" value="\d"[^>]* checked', again.text)) == 2  # columns are the same
        assert say(owner, location).status_code == 303
        dialect = settings_of(place).dialect
        assert (dialect.sep, dialect.decimal, dialect.encoding) == (";", ".", "latin-1")

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"encoding": "klingon"}, "'Encoding' must be the name of an encoding"),
            ({"encoding": "ascii"}, "say the encoding that the file has ('Encoding')"),
            ({"sep": ";;"}, "'Between columns' must be one character"),
            ({"sep": "a"}, "'Between columns' must be one character"),
            ({"decimal": "x"}, "'Decimal sign' must be"),
            ({"encoding": "utf-16"}, "no rows"),
        ],
    )
    def test_a_reading_that_fails_leaves_all_as_it_was(self, owner, place, wrong, said):
        location = send(owner, SEMICOLONS)
        before = owner.get(location).text.count("<tr>")
        refused = say(owner, location, do="read", title="Mine", **wrong)
        assert refused.status_code == 422 and said in notice(refused), notice(refused)
        assert "as it was read before" in notice(refused) and str(place) not in refused.text
        assert refused.text.count("<tr>") == before and 'value="Mine"' in refused.text
        assert "decimal" in wrong or f'value="{next(iter(wrong.values()))}"' in refused.text  # what was typed
        tried = unescape(found_in(refused.text, r'name="tried" value="([^"]*)"'))
        assert json.loads(tried).items() >= wrong.items()
        # Whoever goes on from there makes what the page shows.
        assert say(owner, location, tried=tried, **wrong).status_code == 303
        assert settings_of(place).dialect.sep == ";"

    def test_enter_in_a_field_reads_and_makes_nothing(self, owner, place):
        location = send(owner, TABLE)
        again = say(owner, location, sep="|")
        assert again.status_code == 200 and "120 rows, 1 columns" in again.text and not list(place.glob("heart*"))
        refused = say(owner, location, sep=";;", tried='{"sep": "tab"}')
        assert refused.status_code == 422 and "one character" in notice(refused)

    def test_a_form_of_another_reading_is_refused(self, owner, place):
        location = send(owner, SEMICOLONS)
        form = found_in(owner.get(location).text, r'name="readings" value="(\d+)"')
        assert say(owner, location, do="read", sep="|").status_code == 200
        stale = say(owner, location, readings=form, title="Mine")
        assert stale.status_code == 422 and "read anew in another window" in notice(stale) and "Mine" in stale.text
        assert not list(place.glob("heart*"))

    def test_what_is_found_out_wrongly_can_be_said_when_it_is_sent(self, owner, place):
        content = "a^b,c\n1^2,3\n4^5\n" * 1
        refused = send(owner, content)
        assert refused.status_code == 422 and "'Between columns' says another separator" in notice(refused)
        location = send(owner, content, sep="^")
        assert "2 rows, 2 columns" in owner.get(location).text
        refused = send(owner, content, sep=";;", encoding="<b>")
        assert refused.status_code == 422 and "must be" in notice(refused)
        assert 'value=";;"' in refused.text and 'value="&lt;b&gt;"' in refused.text
        assert len(list((place / ".activefs-uploads").iterdir())) == 1

    def test_sheets(self, owner, program, place):
        book = Workbook()
        book.active.title = "Notes <1>"
        book.active.append(["nothing", "much"])
        book.active.append([1, 2])
        sheet = book.create_sheet("Patients")
        for line in TABLE.splitlines():
            sheet.append(line.split(","))
        file = io.BytesIO()
        book.save(file)
        location = send(owner, file.getvalue(), "patients.xlsx")
        shown = owner.get(location).text
        assert "1 rows, 2 columns" in shown and "Notes &lt;1&gt;" in shown
        assert 'name="sep"' not in shown and '<option value="Patients">' in shown
        assert "120 rows, 4 columns" in say(owner, location, do="read", sheet="Patients").text
        assert say(owner, location, sheet="Patients").status_code == 303
        assert settings_of(place).dialect.sheet == "Patients"
        sent = program.post("/api/v1/uploads", params={"name": "t.xlsx"}, content=file.getvalue()).json()
        assert sent["sheets"] == ["Notes <1>", "Patients"] and sent["read_with"]["sheet"] == "Notes <1>"
        assert program.post(f"/api/v1/uploads/{sent['id']}/read", json={"sep": ";"}).status_code == 422
        assert program.post(f"/api/v1/uploads/{sent['id']}/read", json={"sheet": "Patients"}).json()["rows"] == 120

    def test_over_the_api(self, program, place):
        sent = program.post("/api/v1/uploads", params={"name": "t.csv"}, content=CARETS).json()
        assert (sent["n_columns"], sent["read_with"]["sep"]) == (1, ",")
        at = f"/api/v1/uploads/{sent['id']}"
        for wrong in ({"sep": ";;"}, {"encoding": "klingon"}, {"sheet": "a"}, {"sep": 1}, {"separator": "^"}):
            refused = program.post(f"{at}/read", json=wrong)
            assert refused.status_code == 422 and refused.json()["message"], wrong
            assert program.get(at).json() == sent
        again = program.post(f"{at}/read", json={"sep": "^"}).json()
        assert again["n_columns"] == 4 and again == program.get(at).json()
        assert again["read_with"] == {"sep": "^", "decimal": ".", "encoding": "utf-8", "sheet": None}
        study = {"upload": sent["id"], "name": "heart", "k": 1, "id_column": "patient", "show_text": "name"}
        assert program.post("/api/v1/studies", json=study).status_code == 201
        assert settings_of(place).dialect.sep == "^"
        assert program.post(f"{at}/read", json={}).status_code == 404

    def test_said_when_it_is_sent_over_the_api(self, program):
        asked = {"name": "t.csv", "sep": "^", "decimal": "."}
        sent = program.post("/api/v1/uploads", params=asked, content=CARETS)
        assert sent.status_code == 201 and sent.json()["n_columns"] == 4 and sent.json()["read_with"]["decimal"] == "."
        refused = program.post("/api/v1/uploads", params={**asked, "encoding": "klingon"}, content=SEMICOLONS)
        assert refused.status_code == 422 and "encoding must be" in refused.json()["message"].lower()
