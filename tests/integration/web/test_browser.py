"""The pages in a real Chromium."""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pages import enter, log, press, row, sign_in, study_in_browser
from playwright.sync_api import expect

from activefs import Study, datasets
from activefs.exceptions import DataSetError
from activefs.storages import Kind
from activefs.storages._sql import SQLStorage


def test_label_undo_skip_by_keyboard(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        assert "activefs" in page.title() and server.tokens["ana"] not in page.url
        seen = [row(page)]
        for i in range(10):
            seen.append(press(page, "12hi"[i % 4]))
        assert len(set(seen)) == 11
        labels = [e.label for e in log(server, Kind.LABELLED)]
        assert labels == ["healthy", "ill", "healthy", "ill"] * 2 + ["healthy", "ill"]
        expect(page.locator(".progress")).to_contain_text("10 of 60 labels")
        expect(page.locator("#prompt")).to_be_focused()
        assert press(page, "u") == seen[9]  # the last answer, to be given again
        expect(page.locator("[data-notice]")).to_contain_text("Took back")
        expect(page.locator("#said")).to_contain_text(seen[9])
        assert press(page, "1") == seen[10]  # and on with the row that waited
        press(page, "s")
        expect(page.locator("[data-notice]")).to_contain_text("Skipped row")
        assert [e.row for e in log(server, Kind.SKIPPED)] == [int(seen[10][1:])]
        here = row(page)
        page.keyboard.press("x")  # means nothing
        page.keyboard.press("Control+1")
        press(page, "2")  # what the others had done would come before this
        last = log(server, Kind.LABELLED)[-1]
        assert (last.row, last.label) == (int(here[1:]), "ill") and len(log(server, Kind.LABELLED)) == 12


def test_reload_in_the_middle_and_sign_out(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        press(page, "1")
        here = row(page)
        page.reload()
        assert row(page) == here
        press(page, "2")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        page.goto(server.base)
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        with Study.open(server.url) as study:
            assert study.n_labels == 2 and study.pending == ()


def test_two_annotators_at_once(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, names=("ana", "ben")) as server:
        pages = {name: new_page() for name in ("ana", "ben")}
        for name, page in pages.items():
            sign_in(page, server, name)
        for _ in range(5):
            assert row(pages["ana"]) != row(pages["ben"])
            for page in pages.values():
                press(page, "1")
        rows = [e.row for e in log(server, Kind.LABELLED)]
        assert len(rows) == len(set(rows)) == 10
        pages["ana"].goto(f"{server.base}/study")
        people = pages["ana"].locator("table.people tbody tr")
        expect(people).to_have_count(2)
        expect(people.first).to_contain_text("5")


def test_click_correct_and_wrong_token(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page(viewport={"width": 390, "height": 800})
        page.goto(server.base)
        page.get_by_label("Your personal token").fill("afs_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("not known here")
        sign_in(page, server)
        first = row(page)
        page.get_by_role("button", name="ill", exact=True).click()
        expect(page.locator(".recent li")).to_contain_text(first)
        page.get_by_role("button", name="change to healthy").click()
        expect(page.locator("[data-notice]")).to_contain_text(f"Row {first} is now healthy")
        assert [e.kind for e in server.storage.events()][-1] is Kind.CORRECTED
        page.get_by_role("link", name="Answers").click()
        page.get_by_role("button", name="change to ill").click()
        expect(page.locator(".sheet li")).to_contain_text("ill (changed, and back)")
        assert page.evaluate("document.documentElement.scrollWidth") == 390  # nothing sticks out on a phone
        page.get_by_role("button", name="take back").click()
        expect(page.locator(".row-name b")).to_have_text(first)


def test_cells_are_shown_as_text(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page, complaints = new_page(), []

        def complain(dialog):
            complaints.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", complain)
        sign_in(page, server)
        expect(page.locator(".text")).to_contain_text("<script>alert(")
        page.wait_for_load_state("load")
        assert complaints == [], "a cell was run as a script"


def test_expired_lease(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, lease=3600.0) as server:
        page = new_page()
        sign_in(page, server)
        here = row(page)
        server.put_clock_forward(3601.0)
        press(page, "1")  # late, but nobody else wanted it
        assert [e.annotator for e in log(server, Kind.LABELLED)] == ["ana"] and row(page) != here


def test_database_is_away_for_a_moment(table, add_annotator, new_page):
    def rename(old, new):
        assert isinstance(server.storage, SQLStorage)
        with server.storage._connected(write=True) as connection:
            connection.execute(f"ALTER TABLE {old} RENAME TO {new}")

    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        here = row(page)
        rename("activefs_events", "away")
        page.keyboard.press("2")
        expect(page.locator("#connection")).to_contain_text("cannot do that just now")
        assert row(page) == here
        rename("away", "activefs_events")
        expect(page.locator(".recent li")).to_contain_text(here)  # sent again by itself
        assert [e.label for e in log(server, Kind.LABELLED)] == ["ill"]


def test_keys_in_quick_succession_never_load_the_page_anew(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        loads = []
        page.on("load", lambda _: loads.append(page.url))
        # A key in the very moment in which the next row appears.
        page.evaluate(
            """() => new MutationObserver(() => {
                if (window.pressed === 20) return;
                window.pressed = (window.pressed || 0) + 1;
                const key = "12"[window.pressed % 2];
                document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
            }).observe(document.getElementById("content"), {childList: true})"""
        )
        page.keyboard.press("1")
        expect(page.locator(".progress")).to_contain_text("21 of 60 labels")
        assert loads == []
        rows = [e.row for e in log(server, Kind.LABELLED)]
        assert len(rows) == len(set(rows)) == 21


NUMBERS: dict[str, Any] = {"classes": None, "label_edges": [5, 7.5], "question": "Which value was measured?"}


def test_numbers_by_keyboard(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, **NUMBERS) as server:
        page = new_page()
        sign_in(page, server)
        field, falls_into = page.get_by_label("Number", exact=True), page.locator("#falls-into")
        for said, where in (
            ("4.99", "below 5"),
            ("5", "5 to 7.5"),
            ("7,5", "7.5 and above"),
            ("-3", "below 5"),
            ("1e2", "7.5 and above"),
        ):
            field.fill(said)  # shown before it is sent
            expect(falls_into).to_have_text(f"falls into: {where}")
            expect(page.locator(".ranges .here")).to_have_text(where)
        for said, problem in (("1,234", "write 1.234 or 1234"), ("ill", "no number")):
            field.fill(said)
            expect(falls_into).to_contain_text(problem)
            expect(page.locator(".ranges .here")).to_have_count(0)
            page.keyboard.press("Enter")  # the browser does not let it go
        field.fill("")
        first = row(page)
        enter(page, "4,5")
        expect(page.locator("#said")).to_contain_text(row(page))
        expect(page.locator(".recent li").first).to_contain_text(f"{first} 4.5 below 5")
        second = row(page)
        enter(page, "12")
        assert press(page, "u") == second  # no letter is part of a number
        expect(page.locator("[data-notice]")).to_contain_text("Took back")
        press(page, "s")
        expect(page.locator("[data-notice]")).to_contain_text("Skipped row")
        page.keyboard.type("8")
        page.keyboard.press("s")  # in the middle of a number it is a slip
        expect(field).to_have_value("8s")
        other = page.get_by_label(f"Other number for row {first}")
        other.fill("6,25")
        page.get_by_role("button", name=f"Row {first}: change").click()
        expect(page.locator("[data-notice]")).to_contain_text(f"Row {first} is now 6.25 (5 to 7.5)")
        assert [e.label for e in log(server, Kind.LABELLED)] == [4.5, 12]
        assert [e.label for e in log(server, Kind.CORRECTED)] == [6.25]
        page.get_by_role("link", name="Study").click()
        expect(page.locator("#now")).to_contain_text("5 to 7.5: 1")


KINDS = [f"{size} {animal} {i}" for i in range(50) for size in ("small", "large") for animal in ("cat", "dog", "emu")]


def test_one_of_three_hundred_classes(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, classes=KINDS, budget=300) as server:
        page = new_page(viewport={"width": 390, "height": 780})
        sign_in(page, server)
        options = page.locator("#matches [role=option]")
        chosen = page.locator("#matches [aria-selected=true]")
        expect(page.get_by_role("combobox", name="Class")).to_be_focused()
        expect(options).to_have_count(300)
        expect(chosen).to_have_count(0)
        page.keyboard.type("EMU 4")
        expect(options).to_have_count(22)  # 4 and 40 to 49, small and large
        expect(chosen).to_have_text("small emu 4")
        page.keyboard.press("ArrowDown")
        expect(chosen).to_have_text("large emu 4")
        page.keyboard.press("ArrowUp"), page.keyboard.press("ArrowUp")  # around the end
        expect(chosen).to_have_text("large emu 49")
        press(page, "Enter")
        enter(page, "small dog 7")
        page.keyboard.type("zebra")
        expect(page.locator("#matches")).to_have_text("No class fits.")
        page.keyboard.press("Escape")
        expect(page.locator("#prompt")).to_be_focused()
        press(page, "s")
        page.keyboard.type("cat 31")
        before = page.locator("input[name=question]").first.get_attribute("value")
        options.get_by_text("large cat 31").click()
        expect(page.locator("input[name=question]").first).not_to_have_value(before)
        assert [e.label for e in log(server, Kind.LABELLED)] == ["large emu 49", "small dog 7", "large cat 31"]
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, "nothing sticks out on a phone"


def test_classes_that_turn_up_become_many(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, classes=None) as server:
        with Study.open(server.url) as study:
            study.tell(list(range(13)), [f"kind {chr(97 + i)}" for i in range(13)])
        page = new_page()
        sign_in(page, server)
        enter(page, "kind c")
        page.keyboard.type("kind")
        expect(page.locator("#matches [aria-selected=true]")).to_have_text("New label: kind")
        page.keyboard.press("ArrowDown")
        press(page, "Enter")
        page.keyboard.type("quite new")
        page.keyboard.press("Enter")
        expect(page.get_by_role("group", name="is a new class")).to_be_visible()
        press(page, "+")
        assert [e.label for e in log(server, Kind.LABELLED)][13:] == ["kind c", "kind a", "quite new"]


def test_study_page_is_live(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, names=("ana", "eva")) as server:
        page, other = new_page(), new_page()
        sign_in(page, server)
        for key in "1212":
            press(page, key)
        sign_in(other, server, "eva")
        other.get_by_role("link", name="Study").click()
        expect(other.locator("#chart canvas")).to_be_visible()
        expect(other.locator("#chart-said")).to_contain_text("been on top since label")
        expect(other.locator("table.places tbody tr")).to_have_count(2)
        expect(other.locator("#forecast")).to_contain_text("Too few labels to say: 4 so far")
        expect(other.locator("#needed")).to_contain_text("Too few labels to say")
        expect(other.locator("#model-check")).to_contain_text("Is the model any good here? Too few rows to say")
        press(page, "1")
        expect(other.locator("#now .big")).to_contain_text("5 of 60 labels")
        for name, start in (("Labels (CSV)", "row,label"), ("Chosen features", "rank,"), ("Report", "<!doctype html>")):
            with other.expect_download() as download:
                other.get_by_role("link", name=name).click()
            assert download.value.path().read_text().startswith(start)


def test_what_people_want_to_know_besides(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        page.goto(f"{server.base}/study")
        expect(page.locator("#now")).to_contain_text("any ranking would be arbitrary")
        expect(page.locator("table.places")).to_have_count(0)
        with Study.open(server.url) as study:  # the page learns of it by itself
            rows = [i for i in range(46) if i not in study.pending]
            study.tell(rows, ["ill" if i % 2 else "healthy" for i in rows])  # the sex, in this table
        expect(page.locator("table.places tbody tr")).to_have_count(2)
        expect(page.locator("#model-check")).to_contain_text(re.compile(r"the model is right in \d+% \(\d+% to \d+%\)"))
        expect(page.locator("#forecast")).to_contain_text(re.compile("expected to lack|not foreseeable", re.I))
        expect(page.locator("#needed")).to_contain_text(re.compile(r"The 2 features tell \d+% \(.*of what all columns"))
        for chart in ("#gap-chart", "#curve-chart"):
            expect(page.locator(f"{chart} canvas")).to_be_visible()
            assert len(page.locator(chart).get_attribute("aria-label")) > 40
        page.get_by_text("What each of them tells").click()
        expect(page.locator("table.needed tbody tr")).to_have_count(3)
        page.set_viewport_size({"width": 390, "height": 844})
        # Nothing sticks out on a phone; charts are drawn anew a moment after the window has changed.
        page.wait_for_function("document.documentElement.scrollWidth <= 390")


def test_until_finished(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, budget=3) as server:
        page = new_page()
        sign_in(page, server)
        press(page, "1"), press(page, "2")
        page.keyboard.press("1")
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        page.keyboard.press("u")
        expect(page.get_by_role("heading", name="Is this patient ill?")).to_be_visible()


def test_waits_for_others(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, names=("ana", "ben"), budget=2) as server:
        first, second = new_page(), new_page()
        sign_in(first, server, "ana")
        sign_in(second, server, "ben")
        first.keyboard.press("1")
        expect(first.get_by_role("heading", name="Nothing to do for a moment")).to_be_visible()
        second.keyboard.press("1")
        expect(first.get_by_role("heading", name="Thank you")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "options", "answer"),
    [
        *((path, {}, "1") for path in ("/", "/study", "/answers", "/sign-in")),
        *((path, NUMBERS, "7") for path in ("/", "/answers")),
        *((path, {"classes": KINDS, "budget": 300}, "small cat 3") for path in ("/", "/answers")),
    ],
)
def test_reachable_and_named_for_screen_readers(table, add_annotator, new_page, path, options, answer):
    with study_in_browser(table, add_annotator, **options) as server:
        page = new_page()
        if path != "/sign-in":
            sign_in(page, server)
            enter(page, answer) if options else press(page, answer)
        page.goto(server.base + path)
        assert page.locator("h1").count() == 1 and page.locator("main").count() == 1
        assert page.locator("html").get_attribute("lang") == "en"
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('button, a, input:not([type=hidden]), select, img')]
                .filter(e => !(e.labels && e.labels.length) && !e.getAttribute('aria-label')
                    && !e.textContent.trim() && e.getAttribute('alt') === null).map(e => e.outerHTML)"""
        )
        assert nameless == []
        reached = set()
        page.evaluate(
            """() => { window.wanted = [...document.querySelectorAll(
                'button, a[href], select, textarea, summary, input:not([type=hidden]), [tabindex="0"]'
            )].filter(e => e.checkVisibility()); }"""
        )
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("window.wanted.indexOf(document.activeElement)"))
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none" or page.evaluate("document.activeElement === document.body")
        assert set(range(page.evaluate("window.wanted.length"))) <= reached


def _three_or_five(path):
    """MNIST 3 against 5 if it is on this machine, else a random table of the same size."""
    present = {info.name for info in datasets.available() if info.present}
    try:
        if "MNIST35" not in present:
            raise DataSetError("not here")
        pixels = datasets.load("MNIST35")
        full = np.zeros((len(pixels.X), 784), dtype=np.uint8)
        full[:, pixels.columns] = pixels.X
        labels, name = pixels.y.astype(int), "MNIST 3v5"
    except DataSetError:
        rng = np.random.default_rng(0)
        labels = rng.integers(0, 2, 13_454)
        full = (rng.integers(0, 6, (13_454, 784)) + 3 * labels[:, None] * rng.integers(0, 2, 784)).astype(np.uint8)
        name = "a random table of the size of MNIST 3v5"
    pq.write_table(pa.table({f"pixel {i // 28},{i % 28}": full[:, i] for i in range(784)}), path)
    return labels, name


_WATCH = """() => {
    window.times = [];
    let pressed = 0;
    document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
    new MutationObserver(() => {
        const row = document.querySelector('.row-name b');
        if (pressed && row && row.textContent !== window.last) {
            const image = document.querySelector('.picture');
            const start = pressed;
            pressed = 0;
            window.last = row.textContent;
            image.decode().then(() => requestAnimationFrame(() => window.times.push(performance.now() - start)));
        }
    }).observe(document.getElementById('content'), {childList: true, subtree: true});
    window.last = document.querySelector('.row-name b').textContent;
}"""


@pytest.mark.long
def test_time_from_key_to_next_row(tmp_path, add_annotator, new_page, record_property):
    labels, name = _three_or_five(tmp_path / "digits.parquet")
    options: dict[str, Any] = {
        "k": 20,
        "budget": 200,
        "classes": ["3", "5"],
        "show_image": "28x28",
        "show": None,
        "show_text": None,
    }
    with study_in_browser(tmp_path / "digits.parquet", add_annotator, **{**options, "id_column": None}) as server:
        page = new_page()
        sign_in(page, server)
        page.evaluate(_WATCH)
        for i in range(20):
            page.wait_for_timeout(400)  # somebody looks at the picture
            press(page, "35"[labels[int(row(page))]])
            page.wait_for_function("count => window.times.length === count", arg=i + 1)  # the next one is there
        times = page.evaluate("window.times")
        median, p95 = np.percentile(times, [50, 95])
        record_property(
            "measured", f"key to next row, {name}, k=20, in Chromium: median {median:.0f} ms, p95 {p95:.0f} ms"
        )
        assert re.match("data:image/png", page.locator(".picture").get_attribute("src"))
