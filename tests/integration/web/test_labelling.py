"""Labelling in a real Chromium: instructions, notes, free labels, keys that can be switched off, leases."""

import pytest
from pages import enter, log, press, row, sign_in, study_in_browser
from playwright.sync_api import expect

from activefs import Study
from activefs.storages import Kind

GUIDE = """# Who is ill?

Whoever *coughs*. <script>alert(1)</script> [more](https://example.org/x) ![](javascript:alert(1))
"""
LONG = "a name of a class that goes on and on " * 5
VIEWPORTS = [{"width": 1280, "height": 800}, {"width": 390, "height": 844}]


@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_instructions(table, add_annotator, new_page, viewport):
    said = {"ill": "Coughs, or has a temperature.", "healthy": "None of it."}
    with study_in_browser(table, add_annotator, instructions=GUIDE, class_descriptions=said) as server:
        page = new_page(viewport=viewport)
        sign_in(page, server)
        guide = page.locator(".prose")
        expect(guide).to_be_visible()  # at the first visit
        expect(guide.get_by_role("heading", name="Who is ill?")).to_be_visible()
        expect(guide).to_contain_text("<script>alert(1)</script>")
        link = guide.get_by_role("link", name="more")
        expect(link).to_have_attribute("rel", "noopener noreferrer")
        expect(page.get_by_role("button", name=f"ill {said['ill']}")).to_be_visible()
        page.keyboard.press("?")
        expect(guide).not_to_be_visible()
        page.reload()
        expect(guide).not_to_be_visible()  # as it was left
        page.keyboard.press("?")
        expect(guide).to_be_visible()
        press(page, "2")
        expect(guide).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert page.locator("h1").count() == 1


def test_note_and_flag_go_with_the_answer(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        page.keyboard.press("n")
        expect(page.get_by_label("Note on your answer")).to_be_focused()
        page.keyboard.type("1 of 2 images is blurred: fun, isn't it?")
        assert log(server, Kind.LABELLED) == []  # in the note, keys are letters
        page.keyboard.press("Escape")
        page.keyboard.press("f")
        press(page, "2")
        expect(page.get_by_role("checkbox", name="Flag")).not_to_be_checked()  # the next row begins anew
        expect(page.get_by_label("Note on your answer")).not_to_be_visible()
        expect(page.locator(".recent li").first).to_contain_text("flagged Note: 1 of 2 images is blurred")
        page.keyboard.press("n")
        page.keyboard.type("nothing to be seen")
        page.keyboard.press("Escape")
        press(page, "s")
        (told,) = log(server, Kind.LABELLED)
        (passed,) = log(server, Kind.SKIPPED)
        assert told.details == {"note": "1 of 2 images is blurred: fun, isn't it?", "flag": True}
        assert passed.details == {"note": "nothing to be seen"}


@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_free_labels(table, add_annotator, new_page, viewport):
    with study_in_browser(table, add_annotator, classes=None) as server:
        page = new_page(viewport=viewport)
        sign_in(page, server)
        first = row(page)
        page.keyboard.type("  healthy ")
        page.keyboard.press("Enter")
        doubt = page.get_by_role("group", name="‹healthy› is a new class")
        expect(doubt).to_be_visible()
        expect(doubt.get_by_role("button", name="Add it as a new class")).to_be_focused()
        expect(page.locator("#typed")).to_have_value("healthy")
        assert row(page) == first and log(server, Kind.LABELLED) == []
        press(page, "Enter")
        enter(page, "healthy")  # asked about once
        page.keyboard.type("Helthy")
        page.keyboard.press("Enter")
        expect(page.get_by_role("group", name="‹Helthy› is a new class. Similar:")).to_be_visible()
        expect(page.get_by_role("button", name="healthy", exact=True)).to_be_focused()
        press(page, "1")
        page.keyboard.type("e\u0301tat 1")  # digits and letters belong to the field
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Add it as a new class")).to_be_focused()
        press(page, "+")
        enter(page, "\u00e9tat 1")
        page.keyboard.press("Escape")
        expect(page.locator("#prompt")).to_be_focused()
        press(page, "s")
        page.keyboard.press("Escape"), page.keyboard.press("/")
        expect(page.locator("#typed")).to_be_focused()
        labels = [e.label for e in log(server, Kind.LABELLED)]
        assert labels == ["healthy", "healthy", "healthy", "\u00e9tat 1", "\u00e9tat 1"]


def test_a_correction_to_a_new_class_is_confirmed_as_well(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, classes=None) as server:
        page = new_page()
        with Study.open(server.url) as study:
            study.tell([100], ["healthy"])
        sign_in(page, server)
        first = row(page)
        enter(page, "healthy")
        other = page.get_by_label(f"Other answer for row {first}")
        other.fill("heathly")
        page.get_by_role("button", name=f"Row {first}: change").click()
        expect(page.get_by_role("group", name="‹heathly› is a new class")).to_be_visible()
        page.get_by_role("button", name="Add it as a new class").click()
        expect(page.locator("[data-notice]")).to_contain_text(f"Row {first} is now heathly")
        page.goto(f"{server.base}/answers")
        page.get_by_label(f"Other answer for row {first}").click()
        page.keyboard.type("heal")
        expect(page.locator(".matches.popup [role=option]").nth(1)).to_have_text("healthy")
        page.locator(".matches.popup [role=option]").nth(1).click()
        page.get_by_role("button", name=f"Row {first}: change").click()
        expect(page.get_by_role("status").filter(has_text=f"Row {first} is now healthy")).to_be_visible()
        assert [e.label for e in log(server, Kind.CORRECTED)] == ["heathly", "healthy"]


def test_long_names_are_clamped(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, classes=["short", LONG.strip()]) as server:
        page = new_page(viewport=VIEWPORTS[1])
        sign_in(page, server)
        name = page.locator(".answer .clamped").nth(1)
        assert name.evaluate("e => e.clientHeight < 5 * parseFloat(getComputedStyle(e).fontSize)")
        expect(name).to_have_attribute("title", LONG.strip())
        expect(page.get_by_role("button", name=LONG.strip()[:100])).to_be_visible()  # read out in full
        press(page, "2")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_one_long_word_leaves_the_study_page_as_wide_as_the_screen(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, classes=["short", "x" * 190]) as server:
        page = new_page(viewport=VIEWPORTS[1])
        sign_in(page, server)
        press(page, "2")
        page.goto(f"{server.base}/study")
        expect(page.locator(".count").nth(1)).to_contain_text("xxx…: 1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_last_row_of_one_annotator_is_not_the_last_of_the_study(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, names=("ana", "ben"), budget=2, overlap=1.0) as server:
        page = new_page()
        sign_in(page, server)
        press(page, "1")
        page.keyboard.press("1")
        expect(page.get_by_text("2 rows still await a second annotator, who has to be somebody else.")).to_be_visible()
        other = new_page()
        sign_in(other, server, "ben")
        press(other, "2")
        expect(other.locator(".progress")).to_contain_text("2 of 2 labels; you answered 1 row")


@pytest.mark.parametrize(("count", "typed"), [(12, False), (13, True), (60, True)])
def test_many_classes_have_a_search(table, add_annotator, new_page, count, typed):
    names = [f"kind {chr(65 + i % 26)}{i}" for i in range(count)]
    with study_in_browser(table, add_annotator, classes=names) as server:
        page = new_page(viewport=VIEWPORTS[1], has_touch=True)
        sign_in(page, server)
        expect(page.get_by_role("combobox", name="Class")).to_have_count(int(typed))
        if typed:
            page.locator("#typed").fill("kind L")
            page.locator("#matches [role=option]").first.tap()
        else:
            page.get_by_role("button", name="kind L11").tap()
        expect(page.locator(".recent li")).to_have_count(1)
        assert [e.label for e in log(server, Kind.LABELLED)] == ["kind L11"]


def test_all_keys_are_shown_and_can_be_switched_off(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, classes=["no", "yes"], instructions="Look.") as server:
        page = new_page()
        sign_in(page, server)
        press(page, "n")  # the class, which comes before the note
        shown = page.locator("main kbd, .guidance kbd").all_inner_texts()
        assert set(shown) >= {*"?1n2ysftu"}
        page.keyboard.press("t")
        expect(page.get_by_label("Note on your answer")).to_be_focused()
        page.keyboard.press("Escape")
        page.get_by_label("Single-key shortcuts").uncheck()
        expect(page.locator("main kbd:visible").filter(has_text="y")).to_have_count(0)
        here = row(page)
        for key in "12nysuf?t":
            page.keyboard.press(key)
        page.reload()
        assert row(page) == here and len(log(server, Kind.LABELLED)) == 1 and log(server, Kind.UNDONE) == []
        expect(page.get_by_label("Single-key shortcuts")).not_to_be_checked()  # it is remembered
        page.keyboard.press("y")
        page.get_by_role("button", name="yes", exact=True).click()
        expect(page.locator(".recent li")).to_have_count(2)
        page.get_by_label("Single-key shortcuts").check()
        press(page, "y")
        assert [e.label for e in log(server, Kind.LABELLED)] == ["no", "yes", "yes"]


def test_leases_are_renewed_while_somebody_is_at_the_row(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, lease=6.0) as server:
        page = new_page()
        sign_in(page, server)
        here = row(page)
        for _ in range(8):  # longer than a lease, with a hand on the mouse
            page.mouse.move(300, 300), page.mouse.move(310, 320)
            page.wait_for_timeout(1000)
        assert len(log(server, Kind.RENEWED)) >= 1
        with Study.open(server.url) as study:
            assert study.pending == (int(here[1:]),)
        lease = page.locator("#lease")
        expect(lease).to_contain_text("Nobody has moved here for a while")  # now nobody is
        expect(lease).to_contain_text("Your time for this row is over")
        press(page, "1")  # late, but nobody else has it
        assert [e.row for e in log(server, Kind.LABELLED)] == [int(here[1:])]


def test_whoever_watches_a_video_is_at_the_row(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, lease=6.0) as server:
        page = new_page()
        sign_in(page, server)
        page.evaluate("""() => {
            const video = document.querySelector("#work .row").appendChild(document.createElement("video"));
            setInterval(() => video.dispatchEvent(new Event("timeupdate")), 250);
        }""")
        page.wait_for_timeout(5000)
        assert len(log(server, Kind.RENEWED)) >= 1


def test_a_row_that_went_to_somebody_else(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, names=("ana", "ben"), lease=5.0) as server:
        page, other = new_page(), new_page()
        sign_in(page, server)
        here = row(page)
        expect(page.locator("#lease")).to_contain_text("Your time for this row is over")
        sign_in(other, server, "ben")
        assert row(other) == here
        page.mouse.move(300, 300), page.mouse.move(310, 320)
        expect(page.locator("#lease")).to_contain_text("has gone to somebody else")
