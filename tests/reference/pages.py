"""Studies in a real Chromium: signing in, pressing keys, looking at the log."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from machines import PATIENCE, sqlite_url
from playwright.sync_api import Page, expect
from servers import Server, running

from activefs import Study
from activefs.storages import Event, Kind, Role, Storage, open_storage

expect.set_options(timeout=1000 * PATIENCE)

OPTIONS: dict[str, Any] = {
    "budget": 60,
    "classes": ["healthy", "ill"],
    "id_column": "patient",
    "show": ["age", "sex", "marker"],
    "show_text": "note",
    "random_state": 0,
    "when_certified": "continue",
    "title": "Heart study",
    "question": "Is this patient ill?",
}


class StudyServer(Server):
    """A server of one study that people label in a browser."""

    def __init__(self, url: str, storage: Storage, tokens: dict[str, str], **options: Any) -> None:
        super().__init__(url, **options)
        self.storage, self.tokens = storage, tokens


@contextmanager
def study_in_browser(
    table: Any,
    add_annotator: Callable[..., str],
    names: Sequence[str] = ("ana",),
    served_with: Mapping[str, Any] | None = None,
    **options: Any,
) -> Iterator[StudyServer]:
    with sqlite_url() as url:
        Study.create(url, table, **{"k": 2, **OPTIONS, **options}).close()
        storage = open_storage(url)
        roles = {name: Role.OWNER if name == "eva" else Role.ANNOTATOR for name in names}
        tokens = {name: add_annotator(storage, name, role=role) for name, role in roles.items()}
        with running(StudyServer(url, storage, tokens, **(served_with or {}))) as server:
            yield server
        storage.close()


def sign_in(page: Page, server: StudyServer, name: str = "ana") -> None:
    page.goto(server.base)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_label("Your personal token")).to_be_focused()
    page.keyboard.type(server.tokens[name])
    page.keyboard.press("Enter")
    page.wait_for_selector("#prompt")
    page.wait_for_load_state("load")  # keys mean something from now on


def row(page: Page) -> str:
    return page.locator(".row-name b").inner_text()


def press(page: Page, key: str) -> str:
    """Press a key and wait for the next row; returns its name."""
    before = page.locator("input[name=question]").first.get_attribute("value")
    page.keyboard.press(key)
    page.wait_for_function(
        "before => { const q = document.querySelector('input[name=question]'); return q && q.value !== before; }",
        arg=before,
    )
    return row(page)


def log(server: StudyServer, kind: Kind) -> list[Event]:
    return [e for e in server.storage.events() if e.kind is kind]


def enter(page: Page, text: str) -> str:
    """Type an answer and wait for the next row; returns its name."""
    expect(page.locator("#typed")).to_be_focused()
    page.keyboard.type(text)
    return press(page, "Enter")
