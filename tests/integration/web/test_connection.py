"""A lost connection: killed servers, paused servers, databases that are away. No answer is dropped or doubled."""

import pytest
from pages import enter, log, press, row, sign_in, study_in_browser
from platforms import go_on, needs_signals, pause
from playwright.sync_api import expect

from activefs import Study
from activefs.storages import Kind
from activefs.study import Person

LOST = "connection is lost"


def banner(page):
    return page.locator("#connection")


def wait_for_next(page, before):
    """Wait for another row than that of a question."""
    expect(page.locator("input[name=question]").first).not_to_have_value(before)


def question(page):
    return page.locator("input[name=question]").first.get_attribute("value")


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
def test_killed_and_restarted(table, add_annotator, new_page, viewport):
    with study_in_browser(table, add_annotator) as server:
        page = new_page(viewport=viewport)
        sign_in(page, server)
        press(page, "1")
        here, before = row(page), question(page)
        page.keyboard.press("n")
        page.keyboard.type("looks odd")
        page.keyboard.press("Escape")
        server.kill()
        page.keyboard.press("2")
        expect(banner(page)).to_contain_text(LOST)
        expect(banner(page)).to_contain_text(f"What you did for row {here} is kept here")
        page.keyboard.press("1")  # nothing else is sent meanwhile
        assert row(page) == here
        expect(page.locator("#note")).to_have_value("looks odd")
        server.start()
        wait_for_next(page, before)  # by itself
        expect(banner(page)).to_contain_text("Connected again")
        expect(banner(page)).to_have_text("")
        told = log(server, Kind.LABELLED)
        assert [e.label for e in told] == ["healthy", "ill"]
        assert told[-1].details is not None and told[-1].details["note"] == "looks odd"
        assert int(here[1:]) == told[-1].row
        press(page, "1")


@needs_signals
def test_paused_in_the_middle_of_an_answer(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        before = question(page)
        pause(server.pid)
        try:
            page.keyboard.press("2")
            expect(banner(page)).to_contain_text("The server has not answered for 10 seconds. Trying again")
        finally:
            go_on(server.pid)
        wait_for_next(page, before)
        expect(banner(page)).to_have_text("")
        press(page, "1")
        assert [e.label for e in log(server, Kind.LABELLED)] == ["ill", "healthy"]  # counted once


def test_an_answer_outlives_a_reload(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        here = row(page)
        server.kill()
        page.keyboard.press("2")
        expect(banner(page)).to_contain_text(LOST)
        server.start()
        page.goto(f"{server.base}/study")
        page.goto(server.base)
        expect(page.locator(".recent li").first).to_contain_text(here)
        assert [(e.label, e.row) for e in log(server, Kind.LABELLED)] == [("ill", int(here[1:]))]


def test_somebody_else_took_the_row_meanwhile(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, names=("ana", "ben"), classes=None) as server:
        with Study.open(server.url) as study:
            study.tell([0, 1], ["healthy", "ill"])
        page = new_page()
        sign_in(page, server)
        here, before = row(page), question(page)
        server.kill()
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.keyboard.type("I looked twice")
        page.keyboard.press("Escape"), page.keyboard.press("/")
        page.keyboard.type("ill")
        page.keyboard.press("Enter")
        expect(banner(page)).to_contain_text(LOST)
        with Study.open(server.url) as study:
            study.engine.release(Person("ana"))
            taken = study.engine.ask(Person("ben"))
            assert taken.row == int(here[1:])
        server.start()
        wait_for_next(page, before)
        expect(page.get_by_role("alert")).to_contain_text(f"Your time for row {here} was over")
        expect(page.locator(".typed-before")).to_contain_text(f"Your answer for row {here}, which was not kept: ill")
        expect(page.locator(".typed-before")).to_contain_text("I looked twice")
        assert row(page) != here and page.locator("#typed").input_value() == ""
        assert len(log(server, Kind.LABELLED)) == 2  # those from Python


def test_typed_text_stays_and_is_sent(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator, classes=None, label_edges=[5, 7.5]) as server:
        page = new_page()
        sign_in(page, server)
        before = question(page)
        page.keyboard.type("6.25")
        server.kill()
        page.keyboard.press("Enter")
        expect(banner(page)).to_contain_text(LOST)
        expect(page.locator("#typed")).to_have_value("6.25")
        server.start()
        wait_for_next(page, before)
        enter(page, "8")
        assert [e.label for e in log(server, Kind.LABELLED)] == [6.25, 8]


@needs_signals
def test_taking_back_is_never_done_twice(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        press(page, "1"), press(page, "2")
        pause(server.pid)
        try:
            page.keyboard.press("u")
            expect(banner(page)).to_contain_text("not answered for 10 seconds")
        finally:
            go_on(server.pid)
        expect(page.locator(".progress")).to_contain_text("1 of 60 labels")  # sent again by itself
        expect(banner(page)).to_have_text("")
        assert len(log(server, Kind.UNDONE)) == 1


def test_study_page(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        press(page, "1")
        page.goto(f"{server.base}/study")
        expect(page.locator("#now .big")).to_contain_text("1 of 60")
        server.kill()
        expect(banner(page)).to_contain_text(LOST)
        with Study.open(server.url) as study:
            study.tell([100], ["ill"])
        server.start()
        expect(page.locator("#now .big")).to_contain_text("2 of 60")
        expect(banner(page)).to_have_text("")


def test_label_page_that_nobody_touches(table, add_annotator, new_page):
    with study_in_browser(table, add_annotator) as server:
        page = new_page()
        sign_in(page, server)
        server.kill()
        expect(banner(page)).to_contain_text(LOST)
        server.start()
        expect(banner(page)).to_have_text("")
        press(page, "1")
