"""The page Answers: rows, filters, corrections with old and new, decisions."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from at_home import at_home
from fastapi.testclient import TestClient
from pages import OPTIONS, log, press, row, sign_in, study_in_browser
from playwright.sync_api import expect
from searched import found_in

from activefs.storages import Kind, MemoryStorage, Role
from activefs.study import Filter, Person, create_engine, review
from activefs.web import create_app

ANA, BEN, EVA = Person("ana"), Person("ben"), Person("eva", Role.OWNER)


@pytest.fixture
def engine(table):
    engine = create_engine(MemoryStorage(), str(table), k=1, **{**OPTIONS, "overlap": 1.0})
    yield engine
    engine.close()


def answered(engine):
    """Six answers of ana, of which ben repeats two, one of them otherwise; eva corrects one."""
    rows = []
    for i in range(6):
        asked = engine.ask(ANA)
        rows.append(asked.row)
        if i == 5:
            engine.skip(ANA, asked.id, note="cannot <b>read</b> it")
        else:
            engine.answer(
                ANA, asked.id, "ill" if i % 2 else "healthy", flag=i == 3, note="see page 2" if i == 4 else None
            )
    for _ in range(2):
        asked = engine.ask(BEN)
        engine.answer(BEN, asked.id, "ill")
    engine.correct(EVA, rows[4], "ill")
    return rows


def test_filters(engine):
    rows = answered(engine)

    def found(**wanted):
        return [(answer.row, answer.annotator) for answer in review(engine, Filter(**wanted))]

    assert len(found()) == 8
    assert found(kind="skipped") == [(rows[5], "ana")] and found(kind="flagged") == [(rows[3], "ana")]
    assert found(kind="corrected") == [(rows[4], "ana")]
    assert found(kind="noted") == [(rows[5], "ana"), (rows[4], "ana")]
    assert found(annotator="ben", label="ill") == found(annotator="ben") and len(found(annotator="ben")) == 2
    assert {row for row, _ in found(kind="disagreed")} < {row for row, _ in found(annotator="ben")}
    assert len(found(kind="disagreed")) == 2 and len(found(kind="labelled")) == 7
    name = engine.names.of(rows[0])
    assert {row for row, _ in found(row=name.lower())} == {rows[0]}
    assert found(row="no such row") == [] == found(label="nonsense")
    assert found(label="healthy", kind="skipped") == []
    engine.settle(EVA, rows[0], "ill")
    assert found(kind="corrected") == [(rows[4], "ana"), (rows[0], "ana")], "what an owner decided otherwise about, too"


def test_rest_has_the_same_filters(engine, add_annotator):
    rows = answered(engine)
    client = TestClient(create_app(engine), base_url="http://127.0.0.1")
    client.headers["Authorization"] = f"Bearer {add_annotator(engine.storage, 'eva', role=Role.OWNER)}"
    (corrected,) = client.get("/api/v1/answers?kind=corrected").json()
    assert corrected["row"] == engine.names.of(rows[4]) and corrected["label"] == "ill"
    assert corrected["correction"]["label"] == "healthy" and corrected["correction"]["annotator"] == "eva"
    assert len(client.get("/api/v1/answers?annotator=ben&label=ill&limit=1").json()) == 1
    assert client.get("/api/v1/answers?kind=nonsense").status_code == 422


def test_without_scripts(engine, add_annotator):
    rows = answered(engine)
    tokens = {
        name: add_annotator(engine.storage, name, role=role)
        for name, role in (("ana", Role.ANNOTATOR), ("eva", Role.OWNER))
    }
    page = TestClient(create_app(engine), base_url="http://127.0.0.1")
    page.post("/sign-in", data={"token": tokens["eva"]})
    text = page.get("/answers").text
    assert text.count('class="reviewed"') == 8 and "cannot &lt;b&gt;read&lt;/b&gt; it" in text
    assert "&lt;script&gt;alert(" in text and "corrected by eva" in text and "<del" in text
    name = engine.names.of(rows[3])
    form = {"csrf": found_in(text, r'name="csrf" value="([0-9a-f]+)"'), "row": name, "label": "healthy"}
    done = page.post("/correct", data={**form, "back": "kind=flagged&annotator=ana"}, follow_redirects=False)
    assert done.status_code == 303
    assert re.fullmatch(r"/answers\?annotator=ana&kind=flagged#answer-\d+", done.headers["location"])
    text = page.get(done.headers["location"]).text
    assert text.count('class="reviewed"') == 1 and "corrected by eva" in text
    wrong = page.post("/correct", data={**form, "label": "nonsense", "back": "kind=flagged"})
    assert wrong.status_code == 422 and "none of the classes" in wrong.text and text.count('class="reviewed"') == 1
    for strange in ("kind=<script>", "sheet=99999999999", "sheet=-1", "row=%00", "label=" + "x" * 5000, "a=b&" * 50):
        assert page.get(f"/answers?{strange}").status_code == 200
    page.post("/sign-out", data={"csrf": form["csrf"]})
    page.post("/sign-in", data={"token": tokens["ana"]})
    own = page.get("/answers?annotator=ben").text
    assert own.count('class="reviewed"') == 6 and "ben" not in own  # annotators see what they said themselves


def test_many_answers_have_sheets_that_keep_their_filter(table):
    engine = create_engine(MemoryStorage(), str(table), k=1, **{**OPTIONS, "budget": None})
    engine.tell(EVA, [(row, "ill" if row % 3 else "healthy") for row in range(150)])
    page = at_home(create_app(engine))
    text = page.get("/answers?label=ill&sheet=2").text
    assert "2 of 2" in text and 'href="/answers?label=ill"' in text and text.count('class="reviewed"') == 50
    assert "3 of 3" in page.get("/answers?sheet=77").text  # the last one
    engine.close()


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
def test_in_the_browser(table, add_annotator, new_page, viewport):
    with study_in_browser(table, add_annotator, names=("ana", "eva")) as server:
        page = new_page(viewport=viewport, timezone_id="America/New_York", locale="en-US")
        sign_in(page, server)
        names = [row(page)]
        for _ in range(29):
            names.append(press(page, "1"))
        page.keyboard.press("n")
        page.keyboard.type("odd one")
        page.keyboard.press("Escape"), page.keyboard.press("f")
        expect(page.get_by_role("checkbox", name="Flag")).to_be_checked()
        press(page, "2")
        owner = new_page(viewport=viewport, timezone_id="America/New_York", locale="en-US")
        sign_in(owner, server, "eva")
        owner.goto(f"{server.base}/answers")
        items = owner.locator(".reviewed")
        expect(items).to_have_count(30)
        expect(items.first).to_contain_text("odd one")
        expect(items.first).to_contain_text("flagged")
        expect(items.first.locator(".row-cells")).to_contain_text("marker")
        name = items.first.locator(".row-cells dt").last
        wide = name.evaluate("e => e.clientWidth")
        beside_a_long_value = name.evaluate("""e => {
            const value = e.nextElementSibling, before = value.textContent;
            value.textContent = 'a long text '.repeat(200);
            const wide = e.clientWidth;
            value.textContent = before;
            return wide;
        }""")
        assert beside_a_long_value == wide
        moment = items.first.locator("time").first
        expect(moment).to_have_attribute("title", re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$"))
        expect(moment).to_have_text(re.compile(r"[AP]M$"))
        told = log(server, Kind.LABELLED)[-1].time
        assert str((told.hour - 5) % 12 or 12) in moment.inner_text()  # winter in New York
        there = items.nth(20)
        there.scroll_into_view_if_needed()
        before = owner.evaluate("window.scrollY")
        there.get_by_role("button", name="change to ill").evaluate("button => button.click()")  # without scrolling
        expect(owner.get_by_role("status").filter(has_text="is now ill")).to_be_visible()
        expect(items.nth(20)).to_contain_text("healthy → ill")
        expect(items.nth(20)).to_contain_text("corrected by eva")
        assert abs(owner.evaluate("window.scrollY") - before) < 120  # back in the same place
        owner.get_by_label("Only").select_option("corrected")
        owner.get_by_role("button", name="Show").click()
        expect(items).to_have_count(1)
        owner.get_by_role("link", name="Show all").click()
        owner.get_by_label("Row", exact=True).fill(names[3].lower())
        owner.keyboard.press("Enter")
        expect(items).to_have_count(1)
        expect(items).to_contain_text(names[3])
        items.get_by_role("button", name="take back").click()
        expect(owner.locator(".row-name b")).to_have_text(names[3])
        assert owner.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_lost_connection_on_the_list(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        press(page, "1")
        page.goto(f"{server.base}/answers")
        server.kill()
        page.get_by_role("button", name="change to ill").click()
        expect(page.locator("#connection")).to_contain_text("connection is lost")
        server.start()
        expect(page.locator(".reviewed")).to_contain_text("healthy → ill")
        assert [e.label for e in log(server, Kind.CORRECTED)] == ["ill"]


def test_notes_flags_and_leases_over_rest(table, add_annotator):
    engine = create_engine(MemoryStorage(), str(table), k=1, **{**OPTIONS, "hold": 3})
    client = TestClient(create_app(engine), base_url="http://127.0.0.1")
    client.headers["Authorization"] = f"Bearer {add_annotator(engine.storage, 'ana')}"
    asked = client.post("/api/v1/questions", json={"count": 50}).json()
    assert len(asked["questions"]) == asked["hold"] == 3
    first, second = asked["questions"][0]["id"], asked["questions"][1]["id"]
    said = client.post(
        "/api/v1/answers", json={"question": first, "label": "ill", "note": " odd ", "flag": True}
    ).json()
    assert said["answer"]["note"] == "odd" and said["answer"]["flagged"]
    passed = client.post("/api/v1/skips", json={"question": second, "note": "blurred"}).json()
    assert passed["answer"]["note"] == "blurred" and not passed["answer"]["flagged"]
    assert client.post("/api/v1/answers", json={"question": first, "label": "ill", "note": 3}).status_code == 422
    left = client.post(f"/api/v1/questions/{asked['questions'][2]['id']}/renew").json()
    assert 0 < left["seconds"] <= left["lease"] == 600
    assert client.post(f"/api/v1/questions/{first}/renew").status_code == 409
    assert client.post("/api/v1/questions/999/renew").status_code == 409
    assert client.post("/api/v1/questions/0/renew").status_code == 422
    engine.close()


def test_nobody_leases_the_pool_by_many_requests_or_by_taking_back(table, add_annotator):
    engine = create_engine(MemoryStorage(), str(table), k=1, **{**OPTIONS, "hold": 3})
    client = TestClient(create_app(engine), base_url="http://127.0.0.1")
    client.headers["Authorization"] = f"Bearer {add_annotator(engine.storage, 'ana')}"
    for _ in range(6):
        asked = client.post("/api/v1/questions").json()["questions"][0]
        client.post("/api/v1/answers", json={"question": asked["id"], "label": "ill"})
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: client.post("/api/v1/questions", json={"count": 10}), range(16)))
    assert len(engine.open_questions(ANA)) == 3
    for _ in range(6):
        taken = client.post("/api/v1/undo").json()
        assert len(engine.open_questions(ANA)) == 3
        assert engine.names.of(engine.open_questions(ANA)[0].row) == taken["row"]
    engine.close()
