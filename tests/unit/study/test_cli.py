import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from platforms import needs_terminal
from terminals import Terminal

from activefs import Study
from activefs.cli import main
from activefs.storages import open_storage
from activefs.study._keys import class_keys
from activefs.study._tokens import find_annotator


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["patient,age,sex,marker,note"]
    for i in range(120):
        lines.append(f"P{i:03d},{20 + (i * 7) % 50},{'fm'[i % 2]},{i % 3},[bold]note {i}[/bold] of a long text")
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


CREATE = ["study", "create", "s.db", "--data", "table.csv", "--k", "1", "--budget", "12", "--id", "patient"]
OPTIONS = ["--classes", "healthy,ill", "--show", "age,sex", "--show-text", "note", "--seed", "1"]


def created(*more):
    assert main([*CREATE, *OPTIONS, *more]) == 0


def typed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_study_from_start_to_end(folder, monkeypatch, capsys):
    created()
    assert "activefs serve s.db" in capsys.readouterr().out
    typed(monkeypatch, "1\n2\nh\ni\ns\nu\n?\n1\nq\n")
    assert main(["study", "label", "s.db", "--annotator", "ana"]) == 0
    out = capsys.readouterr().out
    assert "[bold]note" in out  # cells are text, not markup
    assert "means nothing here" in out and "Taken back" in out and "5 labels in the study" in out
    assert main(["study", "status", "s.db"]) == 0
    out = capsys.readouterr().out
    assert (
        "5 of 12 labels used (healthy: 3, ill: 2)" in out and "too few labels to say: 5 so far" in out and "ana" in out
    )
    assert main(["study", "status", "s.db", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_labels"] == 5
    assert main(["study", "undo", "s.db"]) == 0
    assert "answered by ana" in capsys.readouterr().out
    assert main(["study", "export", "s.db", "labels.csv"]) == 0
    assert main(["study", "report", "s.db", "out.html"]) == 0
    assert "<h1>table</h1>" in (folder / "out.html").read_text()
    with Study.open("s.db") as study:
        assert study.n_labels == 4 and study.pending == ()


def test_import_of_an_export_is_the_same_study(folder, monkeypatch, capsys):
    created()
    typed(monkeypatch, "1\n2\ns\n2\n1\nq\n")
    main(["study", "label", "s.db"])
    main(["study", "export", "s.db", "labels.csv"])
    capsys.readouterr()
    assert main([*CREATE[:2], "t.db", *CREATE[3:], *OPTIONS]) == 0
    assert main(["study", "import", "t.db", "labels.csv"]) == 0
    assert "Imported 5 of 5" in capsys.readouterr().out
    assert main(["study", "export", "t.db"]) == 0
    assert capsys.readouterr().out == (folder / "labels.csv").read_text()
    with Study.open("s.db") as one, Study.open("t.db") as two:
        assert one.ask() == two.ask()


def test_labels_without_classes(folder, monkeypatch, capsys):
    assert main([*CREATE, "--show-text", "note", "--seed", "1"]) == 0
    typed(monkeypatch, "ill\nhealthy\n1\ns\n\nq\n")
    assert main(["study", "label", "s.db"]) == 0
    with Study.open("s.db") as study:
        assert study.labels == ["ill", "healthy", "ill"]


def test_a_label_is_that_class_however_it_is_typed(folder, monkeypatch, capsys):
    assert main([*CREATE, "--show-text", "note", "--seed", "1", "--classes", "\u00e9t\u00e9,b, c d"]) == 0
    typed(monkeypatch, "e\u0301te\u0301\n\u00e9t\u00e9\n c d \nq\n")
    assert main(["study", "label", "s.db"]) == 0
    assert "means nothing" not in capsys.readouterr().out
    with Study.open("s.db") as study:
        assert study.labels == ["\u00e9t\u00e9", "\u00e9t\u00e9", "c d"]


def test_a_digit_that_is_a_class_means_that_class(folder, monkeypatch, capsys):
    assert main([*CREATE, "--show-text", "note", "--seed", "1", "--classes", ",".join(map(str, range(11)))]) == 0
    typed(monkeypatch, "1\n0\n9\n10\n11\nq\n")
    assert main(["study", "label", "s.db"]) == 0
    out = capsys.readouterr().out
    assert "[1] 1 " in out and "'11' means nothing" in out and "[type a label]" in out
    with Study.open("s.db") as study:
        assert study.labels == [1, 0, 9, 10]


def test_numbers_are_typed_and_their_class_is_shown(folder, monkeypatch, capsys):
    assert main([*CREATE, "--show-text", "note", "--seed", "1", "--label-edges", "-0.5,3.5"]) == 0
    typed(monkeypatch, "1\n3,5\nill\n1,234\ns\nu\n-7.25\nq\n")
    assert main(["study", "label", "s.db"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Which number belongs to this row?" in out and "[type a number]" in out
    assert "below -0.5 -0.5 to 3.5 3.5 and above" in out and "[1]" not in out
    assert "1: -0.5 to 3.5" in out and "3.5: 3.5 and above" in out and "-7.25: below -0.5" in out
    assert "must be a finite number" in out and "write 1.234 or 1234" in out
    with Study.open("s.db") as study:
        assert study.labels == [1, 3.5, -7.25]
    assert main(["study", "status", "s.db"]) == 0
    assert "(below -0.5: 1, -0.5 to 3.5: 1, 3.5 and above: 1)" in capsys.readouterr().out
    assert main(["study", "export", "s.db", "labels.csv"]) == 0
    assert (
        main([*CREATE[:2], "t.db", *CREATE[3:], "--show-text", "note", "--seed", "1", "--label-edges", "-0.5,3.5"]) == 0
    )
    assert main(["study", "import", "t.db", "labels.csv"]) == 0
    with Study.open("s.db") as one, Study.open("t.db") as two:
        assert one.labels == two.labels and one.ask() == two.ask()


def test_measurements_without_label_edges(folder, monkeypatch, capsys):
    assert main([*CREATE[:-4], "--budget", "40", "--id", "patient", "--ignore", "note", "--seed", "1"]) == 0
    typed(monkeypatch, "3.7\n" + "".join(f"{100 * (i + 1)}\n" for i in range(20)) + "q\n")
    assert main(["study", "label", "s.db"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "'3.7' is a number with a fraction" in out and "(--label-edges 5,7.5,...)" in out
    note = "Note: all 5 labels are different whole numbers"
    assert out.count("Note: all") == 1 and out.index("label 5 of 40") < out.index(note) < out.index("label 6 of 40")
    assert "(--classes A,B,...)" in out[out.index(note) : out.index("label 6 of 40")]
    assert main(["study", "status", "s.db"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Note: all 20 labels are different whole numbers" in said and "and 8 more classes)" in said


def test_many_classes_are_typed(folder, monkeypatch, capsys):
    names = [
        f"{size} {animal} {i}" for i in range(50) for size in ("small", "large") for animal in ("cat", "dog", "emu")
    ]
    more = ["--budget", "300", "--id", "patient", "--ignore", "note", "--seed", "1", "--classes", ",".join(names)]
    assert main([*CREATE[:-4], *more]) == 0
    typed(monkeypatch, "1\nsmall cat\nzebra\nlarge emu 49\nlarge EMU 4\nq\n")
    assert main(["study", "label", "s.db"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "... 288 more [type a label]" in out and "[1]" not in out
    assert "'small cat' is no class; it is in: small cat 0, small cat 1" in out and "and 38 more" in out
    assert "'zebra' is in none of the 300 classes" in out
    assert "'large EMU 4' is no class; it is in: large emu 4, large emu 40" in out
    with Study.open("s.db") as study:
        assert study.labels == ["large emu 49"]


def test_until_the_budget_is_used(folder, monkeypatch, capsys):
    created("--continue-when-certified")
    typed(monkeypatch, "1\n2\n" * 10)
    assert main(["study", "label", "s.db"]) == 0
    assert "Finished: the budget of 12 labels is used" in capsys.readouterr().out


@needs_terminal
def test_one_key_in_a_real_terminal(folder):
    created()
    keys = [b"1", b"2", b"u", b"1", b"q"]
    typed = 0
    with Terminal("study", "label", "s.db") as terminal:
        while terminal.is_open():
            # What is typed before the row is there is dropped on purpose.
            if terminal.waits_for_a_key() and terminal.shown.count(b"stop") > typed < len(keys):
                terminal.type(keys[typed])
                typed += 1
    assert b"Nothing needs to be saved" in terminal.shown, terminal.shown.decode()
    with Study.open("s.db") as study:
        assert study.labels == ["healthy", "healthy"]


def test_annotators(folder, capsys):
    created()
    capsys.readouterr()
    assert main(["study", "annotator", "add", "s.db", "ana"]) == 0
    first = capsys.readouterr().out.strip()
    assert main(["study", "annotator", "add", "s.db", "ana", "--owner"]) == 0
    captured = capsys.readouterr()
    second = captured.out.strip()
    assert "works no more" in captured.err
    storage = open_storage("s.db")
    (ana,) = storage.annotators()
    assert ana.role == "owner"
    assert find_annotator([ana], first) is None and find_annotator([ana], second) == ana
    content = (folder / "s.db").read_bytes() + (folder / "s.db-wal").read_bytes()
    assert second.encode() not in content and second.split("_", 2)[2].encode() not in content
    assert main(["study", "annotator", "list", "s.db"]) == 0
    assert "ana" in capsys.readouterr().out
    assert main(["study", "annotator", "remove", "s.db", "ana"]) == 0
    assert main(["study", "annotator", "remove", "s.db", "ana"]) == 2
    assert main(["study", "annotator", "add", "s.db", "a\nb"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["study", "status", "none.db"], "there is no study at none.db"),
        (["study", "label", "table.csv"], "no study"),
        (["study", "import", "s.db", "none.csv"], "none.csv cannot be read"),
        (["study", "undo", "s.db", "--row", "P999"], "no row with the id 'P999'"),
        (CREATE + OPTIONS, "there is a study at s.db already"),
        (["study", "create", "t.db", "--data", "none.csv", "--k", "1", "--budget", "5"], "no file none.csv"),
        (["study", "create", "t.db", "--data", "table.csv", "--k", "4", "--budget", "5"], "named in --binning COLUMN"),
        (
            ["study", "create", "t.db", *CREATE[3:], *OPTIONS, "--bins", "patient=3"],
            "error: --bins names 'patient', which",
        ),
        (["serve", "s.db", "--host", "0.0.0.0"], "this machine only"),
        (["study", "status", "s.db", "--data", "other.csv"], "rows instead of"),
        (["study", "status", "redis://x"], "cannot be kept at redis:"),
        (["study", "create", "memory:", *CREATE[3:], *OPTIONS], "would end with this command"),
        (["study", "status", "s.db", "--data", "narrow.csv"], "columns 'sex', 'marker', 'note' missing"),
    ],
)
def test_errors_are_sentences(folder, capsys, arguments, said):
    created()
    (folder / "narrow.csv").write_text("patient,age\nP000,20\n")
    (folder / "other.csv").write_text("".join((folder / "table.csv").read_text().splitlines(True)[:60]))
    capsys.readouterr()
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert said in err and "Traceback" not in err
    assert not (folder / "t.db").exists()


def test_nothing_to_take_back(folder, capsys):
    created()
    assert main(["study", "undo", "s.db"]) == 1
    assert "no answer to take back" in capsys.readouterr().err


def test_without_extras_the_message_names_them(folder):
    created()
    code = "import sys; sys.modules['{0}'] = None\nfrom activefs.cli import main\nsys.exit(main({1!r}))"
    for module, arguments, extra in (
        ("fastapi", ["serve", "s.db"], "activefs[web]"),
        ("sqlalchemy", ["study", "create", "t.db", *CREATE[3:], *OPTIONS], "activefs[sql]"),
    ):
        done = subprocess.run([sys.executable, "-c", code.format(module, arguments)], capture_output=True, text=True)
        assert done.returncode == 1 and f"pip install '{extra}'" in done.stderr, done.stderr


def test_cells_cannot_steer_the_terminal(folder, monkeypatch, capsys):
    lines = ["id,\x1b]0;title\x07column,b", *(f"\x1b[2J{i},x\x9b2J{i % 3},{i % 2}" for i in range(40))]
    (folder / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = ["--data", "table.csv", "--k", "1", "--budget", "5", "--id", "id", "--classes", "a,b", "--seed", "1"]
    assert main(["study", "create", "s.db", *arguments]) == 0
    typed(monkeypatch, "a\nb\nu\nq\n")
    assert main(["study", "label", "s.db"]) == main(["study", "status", "s.db"]) == main(["study", "undo", "s.db"]) == 0
    out = capsys.readouterr().out
    assert "\N{REPLACEMENT CHARACTER}" in out and not any(c in out for c in "\x1b\x07\x9b")


def test_budget_of_costs(folder, monkeypatch, capsys):
    lines = ["a,b,price", *(f"{i % 3},{i % 2},{1.25 + i % 4}" for i in range(40))]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    arguments = ["--data", "table.csv", "--k", "1", "--budget", "12.5", "--cost", "price", "--classes", "x,y"]
    assert main(["study", "create", "s.db", *arguments, "--seed", "1"]) == 0
    assert "12.5 to spend" in capsys.readouterr().out
    typed(monkeypatch, "x\ny\nq\n")
    assert main(["study", "label", "s.db"]) == main(["study", "status", "s.db"]) == 0
    out = capsys.readouterr().out
    with Study.open("s.db") as study:
        spent = sum(1.25 + row % 4 for row in study.labelled)
        assert study.status().cost == spent
    assert f"2 labels, which cost {spent:g} of 12.5" in out
    assert (
        main(["study", "create", "t.db", *arguments[:6], "--ignore", "price", "--classes", "x,y"]) == 2
    )  # no half labels


@pytest.mark.parametrize("arguments", [["status"], ["export"], ["undo", "--row", "x"], ["label"], ["report"]])
def test_a_table_that_is_gone_is_asked_for_as_commands_take_it(tmp_path, monkeypatch, capsys, arguments):
    made_by_an_old_release = Path(__file__).parents[2] / "golden" / "study-0.1" / "study.db"
    shutil.copy(made_by_an_old_release, tmp_path / "s.db")
    monkeypatch.chdir(tmp_path)
    assert main(["study", arguments[0], "s.db", *arguments[1:]]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "the table of the study is not at /data/patients.csv any more" in said
    assert "say where it is (--data FILE)" in said


def test_keys():
    assert class_keys(["3", "5"]) == [("3",), ("5",)]
    assert class_keys(["s", "t"]) == [("1",), ("2", "t")]
    assert class_keys([f"class {i}" for i in range(12)])[8:10] == [("9",), ()]
    assert class_keys([0, 1]) == [("0",), ("1",)]
    assert class_keys([]) == []
    assert class_keys(range(11)) == [*((str(i),) for i in range(10)), ()]
    assert class_keys(["no", "1", "yes"]) == [("2", "n"), ("1",), ("3", "y")]
    assert class_keys(["a", "A"]) == [("1",), ("2",)]
