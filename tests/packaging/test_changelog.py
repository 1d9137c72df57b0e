"""The notes on changes become the change log: every one of them, below the heading of its kind."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import activefs

ROOT = Path(__file__).parents[2]
NOTES = sorted(set((ROOT / "changes").glob("*.md")) - {ROOT / "changes" / "README.md"})
KINDS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]["type"]
HEADINGS = {kind["directory"]: kind["name"] for kind in KINDS}


@pytest.fixture(scope="module")
def draft() -> str:
    command = [sys.executable, "-m", "towncrier", "build", "--draft"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, encoding="utf-8")
    return done.stdout


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_draft_is_of_this_version_and_breaking_changes_come_first(draft: str) -> None:
    assert re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", draft, re.MULTILINE) == [activefs.__version__]
    kinds = {path.name.split(".")[-2] for path in NOTES}
    assert re.findall("^### (.*)$", draft, re.MULTILINE) == [HEADINGS[kind] for kind in HEADINGS if kind in kinds]
    assert next(iter(HEADINGS)) == "break"


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name)
def test_every_paragraph_of_every_note_is_an_entry_below_its_kind(draft: str, note: Path) -> None:
    name, _, kind = note.stem.rpartition(".")
    assert name, f"{note.name} is not <name>.<kind>.md"
    assert kind in HEADINGS
    below = draft.partition(f"### {HEADINGS[kind]}\n")[2].partition("\n### ")[0]
    entries = {one_line(entry) for entry in re.split(r"^- ", below, flags=re.MULTILINE)}
    for paragraph in note.read_text(encoding="utf-8").strip().split("\n\n"):
        assert not paragraph.startswith("- "), f"{note.name}: the change log makes the bullets"
        assert one_line(paragraph) in entries


def test_links_of_the_change_log_lead_somewhere(draft: str) -> None:
    written = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", draft + written)]
    assert targets
    missing = [target for target in targets if "://" not in target and not (ROOT / target).exists()]
    assert missing == []


def test_the_change_log_has_what_was_released_and_nothing_else() -> None:
    written = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    before, mark, after = written.partition("<!-- towncrier release notes start -->")
    assert mark
    assert "`changes/`" in before  # where the notes on what is not released are
    released = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", after, re.MULTILINE)
    assert released[-1] == "0.1.0"
    assert ("dev" in activefs.__version__) == (activefs.__version__ not in released)
