"""README is read at the package index too: short, and its links lead somewhere from there."""

from __future__ import annotations

import re

import pytest
from tools.snippets import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\]\(([^)\s]+)\)", README)
SITE = "https://activefs.readthedocs.io/en/stable/"
REPOSITORY = "https://github.com/activefs/activefs/blob/main/"
FILES = "https://raw.githubusercontent.com/activefs/activefs/main/"


def test_length():
    assert len(README.splitlines()) <= 120


def test_there_are_links_and_a_picture():
    assert len(LINKS) > 10 and any(link.startswith(FILES) for link in LINKS)


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_links_lead_to_what_is_here(link):
    address = link.partition("#")[0]
    if address.startswith(SITE):
        page = address.removeprefix(SITE) or "index.html"
        sources = [ROOT / "docs" / page.replace(".html", ending) for ending in (".md", ".rst", ".ipynb")]
        made = page.startswith("gallery/") and (ROOT / "examples" / page[8:].replace(".html", ".py")).exists()
        generated = page in ("gallery/index.html", "reference/commands.html", "reference/rest.html")
        assert made or generated or any(source.exists() for source in sources)
    elif address.startswith((REPOSITORY, FILES)):
        assert (ROOT / address.removeprefix(REPOSITORY).removeprefix(FILES)).is_file()
    else:
        pytest.fail("only pages and files of the project can be checked")
