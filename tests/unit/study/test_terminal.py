"""`activefs study label`: instructions, notes, flags, and new classes, also in a real terminal."""

import io
import sys

import pytest
from platforms import needs_terminal
from terminals import Terminal

from activefs import Study
from activefs.cli import main
from activefs.storages import Kind

CREATE = ["study", "create", "s.db", "--data", "t.csv", "--k", "1", "--budget", "12", "--id", "id", "--seed", "1"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"P{i:03d},{i % 2},{i % 3},img/{i}.png" for i in range(60)]
    (tmp_path / "t.csv").write_text("id,a,b,photo\n" + "\n".join(lines) + "\n")
    (tmp_path / "guide.md").write_text("# Who is ill?\n\nWhoever **coughs**. \u202e [x](javascript:alert)\n")
    return tmp_path


def test_instructions_notes_flags_and_media(folder, monkeypatch, capsys):
    more = [
        "--classes",
        "healthy,ill",
        "--instructions",
        "guide.md",
        "--describe",
        "ill=coughs",
        "--show-media",
        "photo",
    ]
    assert main([*CREATE, *more]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("?\nn\nlook at page 2\nf\n1\nf\nf\n2\nn\ntoo dark\ns\nq\n"))
    assert main(["study", "label", "s.db", "--annotator", "ana"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Who is ill?") == 2  # at the first visit, and when it was asked for
    assert "\u202e" not in shown and "img/" in shown and "[2 or i] ill: coughs" in shown
    assert "[n] note" in shown and "[f] flag" in shown and "[?] instructions" in shown
    with Study.open("s.db") as study:
        events = [e for e in study.engine.storage.events() if e.kind in (Kind.LABELLED, Kind.SKIPPED)]
    assert [e.details for e in events] == [{"note": "look at page 2", "flag": True}, None, {"note": "too dark"}]
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(["study", "label", "s.db", "--annotator", "ana"]) == 0
    assert "Who is ill?" not in capsys.readouterr().out


def in_terminal(steps):
    """Label in a terminal: after each text that is shown, type something."""
    steps, seen = list(steps), 0
    with Terminal("study", "label", "s.db") as terminal:
        while terminal.is_open():
            if steps and (at := terminal.shown.find(steps[0][0].encode(), seen)) >= 0:
                seen = at + len(steps[0][0])
                terminal.type(steps.pop(0)[1].encode())
    return terminal.shown.decode(errors="replace")


@needs_terminal
def test_a_new_class_is_confirmed_once(folder):
    assert main(CREATE) == 0
    shown = in_terminal(
        [
            ("label: ", "healthy\n"),
            ("is a new class.", ""),
            ("type it again: ", "+\n"),
            ("label: ", "healthy\n"),
            ("label: ", "helthy\n"),
            ("Similar: [1] healthy", ""),
            ("type it again: ", "1\n"),
            ("label: ", "heathy\n"),
            ("type it again: ", "\n"),
            ("label: ", "ill\n"),
            ("type it again: ", "+\n"),
            ("label: ", "q\n"),
        ]
    )
    assert "Nothing needs to be saved" in shown, shown
    with Study.open("s.db") as study:
        assert study.labels == ["healthy", "healthy", "healthy", "ill"]
