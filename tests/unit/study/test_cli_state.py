"""`activefs study pause|resume|archive|restore`."""

import io
import sys

import pytest

from activefs import Study
from activefs.cli import main
from activefs.storages import Kind, open_storage

MARKS = (Kind.PAUSED, Kind.RESUMED, Kind.ARCHIVED, Kind.RESTORED)


@pytest.fixture
def study(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i % 3},{i % 2}\n" for i in range(40)))
    Study.create("s.db", "t.csv", 1, classes=["x", "y"], strategy="random", random_state=0).close()
    return tmp_path


def said(capsys, *arguments):
    code = main(["study", *arguments])
    shown = capsys.readouterr()
    return code, " ".join((shown.out + shown.err).split())


def label(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("x\nq\n"))
    return said(capsys, "label", "s.db", "--annotator", "ana")


def marks():
    storage = open_storage("s.db")
    found = [event.kind for event in storage.events() if event.kind in MARKS]
    storage.close()
    return found


def test_pause_and_resume(study, monkeypatch, capsys):
    code, shown = said(capsys, "pause", "s.db")
    assert code == 0 and shown == "The study is paused: nobody gets new rows, until activefs study resume s.db."
    assert said(capsys, "pause", "s.db") == (code, shown) and marks() == [Kind.PAUSED]  # once is enough
    assert "the study is paused" in label(monkeypatch, capsys)[1]
    assert said(capsys, "resume", "s.db") == (0, "The study is open: rows are asked again.")
    assert "1 labels in the study" in label(monkeypatch, capsys)[1]


def test_archive_and_restore(study, monkeypatch, capsys):
    code, shown = said(capsys, "archive", "s.db")
    assert code == 0 and shown.endswith("nothing in it can be changed, until activefs study restore s.db.")
    assert "archived" in label(monkeypatch, capsys)[1]
    for move in ("pause", "resume", "archive"):
        code, shown = said(capsys, move, "s.db")
        assert code == 1 and "the study is archived" in shown and "restore" in shown
    assert said(capsys, "restore", "s.db") == (0, "The study is taken out of the archive.")
    assert marks() == [Kind.ARCHIVED, Kind.RESTORED]


def test_what_was_paused_is_paused_after_the_archive(study, capsys):
    for move in ("pause", "archive"):
        assert said(capsys, move, "s.db")[0] == 0
    code, shown = said(capsys, "restore", "s.db")
    assert code == 0 and "and paused, until activefs study resume s.db" in shown


@pytest.mark.parametrize("move", ["pause", "resume", "archive", "restore"])
def test_no_study(study, move, capsys):
    code, shown = said(capsys, move, "none.db")
    assert code != 0 and "none.db" in shown and "Traceback" not in shown
    assert not (study / "none.db").exists()
