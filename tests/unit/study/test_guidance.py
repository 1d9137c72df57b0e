"""Instructions and descriptions of classes: what is kept, and what is refused with which sentence."""

import os
import sys

import pytest
from platforms import link

from activefs import Study
from activefs.cli import main
from activefs.exceptions import InvalidInputError
from activefs.storages import MemoryStorage
from activefs.study._guidance import MOST_IMAGES, MOST_TEXT

CREATE = ["study", "create", "s.db", "--data", "table.csv", "--k", "1", "--budget", "9"]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"P{i},{i % 2},{i % 3}\n" for i in range(60))
    (tmp_path / "table.csv").write_text("patient,a,b\n" + rows)
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "rash.png").write_bytes(PNG)
    (tmp_path / "guide" / "no picture.png").write_bytes(b"<html>")
    (tmp_path / "secret.png").write_bytes(PNG)
    return tmp_path


def create(**options):
    settings = {"k": 1, "id_column": "patient", "classes": ["healthy", "ill"], "random_state": 0, **options}
    return Study.create(MemoryStorage(), "table.csv", **settings)


def test_text_and_images_are_kept_in_the_study(folder):
    path = folder / "guide" / "guide.md"
    path.write_bytes(
        "\ufeff# Ill\r\n![a rash](rash.png), ![again](rash.png) ![far](https://far.example/x.png)\r\n".encode()
    )
    assert main([*CREATE, "--instructions", "guide/guide.md"]) == 0
    path.unlink()
    (folder / "guide" / "rash.png").unlink()
    with Study.open("s.db") as study:
        kept = study.engine.settings.instructions
    assert kept.text.startswith("# Ill\n![a rash]")
    assert [name for name, _ in kept.images] == ["rash.png"]
    assert kept.images[0][1].startswith("data:image/png;base64,iVBORw0KGgo")


def test_python_takes_text_and_paths(folder):
    (folder / "guide.md").write_text("from a file")
    assert create(instructions="*text*").engine.settings.instructions.text == "*text*"
    assert create(instructions=folder / "guide.md").engine.settings.instructions.text == "from a file"
    with pytest.raises(InvalidInputError, match=r"if that is a file, give Path\('guide.md'\)"):
        create(instructions="guide.md")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", "not written in UTF-8"),
        (b"caf\xe9", "see byte 3"),
        (b"", "not empty"),
        (b"  \n", "not empty"),
        (b"a\x00b", "control character"),
        (b"a\x1b[2J", "control character"),
        (b"x" * (MOST_TEXT + 1), "at most 200,000 characters"),
        (b"\xc3\xa9" * (3 * MOST_TEXT), "at most 200,000 characters"),
        (b"![](../secret.png)", "no file below its folder"),
        (b"![](../guide/rash.png)", "no file below its folder"),
        (b"![](/etc/hostname.png)", "no file below its folder"),
        (b"![](gone.png)", "no file below its folder"),
        (b"![](out.png)", "no file below its folder"),
        (b"![](pipe.png)", "no file below its folder"),
        (b"![](no%20picture.png)", "no PNG, JPEG, GIF or WebP"),
        (b"![](guide.md)", "no PNG, JPEG, GIF or WebP"),
        (b"![](huge.png)", "more than 2 MB"),
    ],
)
def test_bad_files_are_refused_with_a_sentence_and_nothing_is_made(folder, content, sentence, capsys):
    (folder / "guide" / "guide.md").write_bytes(content)
    link(folder / "guide" / "out.png", folder / "secret.png")
    if sys.platform != "win32":
        os.mkfifo(folder / "guide" / "pipe.png")
    (folder / "guide" / "huge.png").write_bytes(PNG + bytes(MOST_IMAGES))
    assert main([*CREATE, "--instructions", "guide/guide.md"]) == 2
    said = capsys.readouterr().err
    assert sentence in said and "Traceback" not in said and said.count("\n") <= 4
    assert not (folder / "s.db").exists()


@pytest.mark.parametrize("name", ["missing.md", "guide", "/dev/zero", ""])
def test_missing_files(folder, name, capsys):
    assert main([*CREATE, "--instructions", name]) == 2
    assert "there is no file" in capsys.readouterr().err and not (folder / "s.db").exists()


def test_descriptions(folder, capsys):
    more = ["--describe", "ill = coughs, has a temperature = 39", "--describe", "healthy=none of it"]
    base = ["study", "create", "s.db", "--data", "table.csv", "--k", "1", "--budget", "9", "--classes", "healthy,ill"]
    assert main([*base, *more]) == 0
    with Study.open("s.db") as study:
        assert study.engine.settings.class_descriptions == {
            "ill": "coughs, has a temperature = 39",
            "healthy": "none of it",
        }
    for wrong, sentence in (
        (["--describe", "well=x"], "'well' is described, but is none of the classes: 'healthy', 'ill'"),
        (["--describe", "ill"], "write CLASS=TEXT, got 'ill'"),
        (["--describe", "ill="], "must be a mapping"),
        (["--describe", "ill=a", "--describe", "ill=b"], "described twice"),
    ):
        assert main([*base[:2], "t.db", *base[3:], *wrong]) == 2
        assert sentence in " ".join(capsys.readouterr().err.split()) and not (folder / "t.db").exists()
    with pytest.raises(InvalidInputError, match="known from the start"):
        create(classes=None, class_descriptions={"ill": "coughs"})
    numbers = create(classes=None, label_edges=[5], class_descriptions={"below 5": "fine"})
    assert numbers.engine.settings.class_descriptions == {"below 5": "fine"}
    assert create(classes=[0, 1], class_descriptions={1: "ill"}).engine.settings.class_descriptions == {"1": "ill"}
