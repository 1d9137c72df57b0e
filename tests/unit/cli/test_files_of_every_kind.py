"""`select`, `study create` and `study import` read files of every dialect, and a study goes on reading its own."""

import json
import shutil
from typing import Any

import numpy as np
import openpyxl
import pytest

from activefs import Study
from activefs.cli import main
from activefs.exceptions import InvalidInputError, StudyMismatchError
from activefs.storages import MemoryStorage
from activefs.study import open_engine

RNG = np.random.default_rng(0)
LEVELS = np.round(RNG.normal(2, 1, 90), 2)
ROWS = [
    (f"Nr. {i}", level, ["Köln", "Bonn; Süd"][i % 2], i % 3, "krank" if level > 2 else "gesund")
    for i, level in enumerate(LEVELS.tolist())
]
HEADER = ("Nummer", "Größe", "Ort", "Stufe", "Befund")


def text_file(path, sep=";", decimal=",", encoding="cp1252"):
    lines = [HEADER, *((a, str(b).replace(".", decimal), f'"{c}"', d, e) for a, b, c, d, e in ROWS)]
    path.write_bytes("".join(sep.join(map(str, line)) + "\r\n" for line in lines).encode(encoding))


def excel_file(path):
    book = openpyxl.Workbook()
    book.active.title = "Notizen"
    book.active.append(["nichts"])
    sheet = book.create_sheet("Daten")
    for row in (HEADER, *ROWS):
        sheet.append(row)
    book.save(path)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text_file(tmp_path / "t.csv")
    text_file(tmp_path / "plain.csv", ",", ".", "utf-8")
    return tmp_path


def select(name, *more):
    return main(
        ["select", name, "--label", "Befund", "--id", "Nummer", "--k", "1", "--budget", "20", "--seeds", "1", *more]
    )


def create(name, *more):
    command = ["study", "create", "s.db", "--data", name, "--id", "Nummer", "--ignore", "Befund", "--k", "1"]
    return main([*command, "--budget", "9", "--seed", "1", "--strategy", "random", *more])


class TestSelect:
    def test_a_german_spreadsheet_is_read_without_a_word(self, capsys):
        assert select("t.csv") == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "t.csv was read with semicolons between columns, decimal commas, encoding cp1252." in said
        assert select("t.csv", "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert select("plain.csv", "--json") == 0
        assert {**json.loads(capsys.readouterr().out), "notes": 0} == {**found, "notes": 0}

    def test_a_plain_file_needs_no_word(self, capsys):
        assert select("plain.csv") == 0
        assert "was read with" not in capsys.readouterr().out

    def test_everything_can_be_said(self, folder):
        text_file(folder / "odd.txt", "~", ",", "mac-roman")
        said = ["--sep", "~", "--decimal", ",", "--encoding", "mac-roman"]
        assert select("odd.txt", *said, "--ignore", "Größe,Ort") == 0
        text_file(folder / "tabs.txt", "\t", ".", "utf-16")
        for tab in ("tab", "\\t", "\t"):
            assert select("tabs.txt", "--sep", tab) == 0

    def test_sheets(self, folder, capsys):
        excel_file(folder / "t.xlsx")
        assert select("t.xlsx") == 2
        said = capsys.readouterr().err
        assert (
            "t.xlsx has 1 column, but no rows. t.xlsx was read from its sheet 'Notizen'; it has others: 'Daten'" in said
        )
        assert select("t.xlsx", "--sheet", "Daten") == 0
        assert select("t.xlsx", "--sheet", "Tabelle1") == 2
        assert "no sheet 'Tabelle1'; there are: 'Notizen', 'Daten'" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--sep", "ab"], "--sep must be one character"),
            (["--decimal", ";"], "--decimal must be '.' or ','"),
            (["--encoding", "utf-9"], "--encoding must be the name of an encoding"),
            (
                ["--encoding", "utf-8"],
                "line 1: byte 0xf6 is not utf-8: say the encoding that the file has (--encoding)",
            ),
            (["--sep", ","], "--sep says another separator"),
            (["--sheet", "a"], "sheet says how an Excel file is read, which t.csv is not"),
        ],
    )
    def test_what_cannot_be(self, capsys, more, said):
        assert select("t.csv", *more) == 2
        assert said in capsys.readouterr().err


class TestStudies:
    def test_a_study_keeps_how_its_file_is_read(self, folder, capsys):
        assert create("t.csv") == 0
        assert "t.csv was read with semicolons between columns, decimal commas, encoding cp1252." in (
            " ".join(capsys.readouterr().out.split())
        )
        settings = open_engine("s.db", at_once=False).settings
        assert (settings.sep, settings.decimal, settings.encoding, settings.sheet) == (";", ",", "cp1252", None)
        with Study.open("s.db") as study:
            row = study.ask()
            assert study.name_of(row) == f"Nr. {row}"
            assert dict(study.engine.table.cells(row))["Ort"] == ROWS[row][2]

    def test_it_is_the_study_of_the_plain_file(self, folder):
        fingerprints = set()
        excel_file(folder / "t.xlsx")
        for name, more in (("t.csv", {}), ("plain.csv", {}), ("t.xlsx", {"sheet": "Daten"})):
            options: dict[str, Any] = {
                "id_column": "Nummer",
                "ignore": ["Befund"],
                "random_state": 1,
                "strategy": "random",
                **more,
            }
            with Study.create(MemoryStorage(), name, 1, **options) as study:
                fingerprints.add(json.dumps(study.engine.table.fingerprint))
        assert len(fingerprints) == 1

    def test_on_another_machine(self, folder, capsys):
        assert create("t.csv", "--sep", ";", "--encoding", "latin-1") == 0
        other = folder / "other"
        other.mkdir()
        shutil.copy("s.db", other)
        shutil.move("t.csv", other)
        with Study.open(other / "s.db") as study:
            assert "Größe" in study.pool.names
        assert main(["study", "report", "s.db", "--data", "other/t.csv"]) == 0

    @pytest.mark.parametrize("name", ["plain.csv", "tabs.tsv", "t.xlsx"])
    def test_the_same_table_in_another_file(self, folder, name):
        assert create("t.csv") == 0
        text_file(folder / "tabs.tsv", "\t", ".", "utf-16")
        if name == "t.xlsx":
            book = openpyxl.Workbook()
            for row in (HEADER, *ROWS):
                book.active.append(row)
            book.save(folder / name)
        with Study.open("s.db", name) as study:
            assert study.pool.n_rows == 90

    def test_another_table_is_refused(self, folder):
        assert create("t.csv") == 0
        (folder / "x.csv").write_text((folder / "plain.csv").read_text().replace("Köln", "Kiel"))
        with pytest.raises(StudyMismatchError, match="'Ort' with other values"):
            Study.open("s.db", "x.csv")

    def test_the_columns_that_are_shown_are_those_of_the_dialect(self, folder):
        text_file(folder / "odd.txt", "~", ",", "utf-8")
        assert create("odd.txt", "--sep", "~", "--show", "Ort,Stufe") == 0
        assert open_engine("s.db", at_once=False).settings.show == ("Ort", "Stufe")

    def test_a_sheet(self, folder, capsys):
        excel_file(folder / "t.xlsx")
        assert create("t.xlsx", "--sheet", "Daten") == 0
        assert "t.xlsx was read with sheet 'Daten'." in capsys.readouterr().out
        with Study.open("s.db") as study:
            assert study.pool.n_rows == 90

    def test_settings_of_files_are_refused_elsewhere(self, folder):
        with pytest.raises(InvalidInputError, match="sep can be said of a file only"):
            Study.create(MemoryStorage(), np.eye(4, dtype=int), 1, sep=";")
        with pytest.raises(InvalidInputError, match="sheet says how an Excel file is read"):
            Study.create(MemoryStorage(), "t.csv", 1, sheet="x")
        assert not (folder / "s.db").exists()

    def test_a_study_of_a_release_that_knew_no_dialects(self, folder):
        # Quoted numbers with commas were text then, and are still for that study.
        lines = [f'{i},"{i % 7},5"' for i in range(40)]
        (folder / "old.csv").write_text("\n".join(["id,x", *lines]) + "\n")
        storage = MemoryStorage()
        options: dict[str, Any] = {"id_column": "id", "random_state": 0, "strategy": "random"}
        Study.create(storage, "old.csv", 1, decimal=".", **options).close()
        header = storage.header()
        for name in ("sep", "decimal", "encoding", "sheet"):
            assert isinstance(header.settings, dict)
            del header.settings[name]
        with Study.open(storage) as study:
            assert study.pool.encodings[0].values[0] == "0,5"


class TestLabels:
    LABELS = "row;label;annotator\nNr. 1;größer;Jürgen\nNr. 2;kleiner;Jürgen\n"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
    @pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
    def test_of_every_dialect(self, folder, capsys, sep, encoding):
        assert create("t.csv") == 0
        (folder / "labels.csv").write_bytes(self.LABELS.replace(";", sep).encode(encoding))
        assert main(["study", "import", "s.db", "labels.csv"]) == 0
        with Study.open("s.db") as study:
            assert study.labels == ["größer", "kleiner"]
            assert "Jürgen" in study.export_csv()

    def test_that_are_said(self, folder):
        assert create("t.csv") == 0
        (folder / "labels.csv").write_bytes("row~label\nNr. 1~größer\nNr. 2~x\n".encode("mac-roman"))
        assert main(["study", "import", "s.db", "labels.csv", "--sep", "~", "--encoding", "mac-roman"]) == 0
        with Study.open("s.db") as study:
            assert study.labels == ["größer", "x"]

    def test_numbers_with_commas(self, folder):
        assert create("t.csv", "--classes", "1.5,2") == 0
        (folder / "labels.csv").write_text("row;label\nNr. 1;1,5\nNr. 2;2\n")
        assert main(["study", "import", "s.db", "labels.csv"]) == 0
        with Study.open("s.db") as study:
            assert [str(label) for label in study.labels] == ["1.5", "2"]

    @staticmethod
    def study(**options):
        return Study.create(MemoryStorage(), "t.csv", 1, id_column="Nummer", strategy="random", **options)

    def test_classes_that_are_written_with_commas(self, folder):
        with self.study(classes=["1,5", "2"]) as study:
            assert study.import_csv("row;label\nNr. 1;1,5\nNr. 2;2\n") == 2
            assert study.labels == ["1,5", "2"]

    @pytest.mark.parametrize(
        ("content", "options", "labels"),
        [
            ("row;label\nNr. 1;1.234,5\nNr. 2;7,25\nNr. 3;12\n", {}, [1234.5, 7.25, 12]),
            ("row;label\nNr. 1;1,234\nNr. 2;2,000\n", {"decimal": ","}, [1.234, 2.0]),
            ('row,label\nNr. 1,"7,5"\nNr. 2,8.5\n', {}, [7.5, 8.5]),
        ],
    )
    def test_numbers_of_which_classes_are_made(self, folder, content, options, labels):
        with self.study(label_edges=[2, 10]) as study, self.study(label_edges=[2, 10]) as other:
            study.import_csv(content, **options)
            other.import_csv(study.export_csv())
            assert study.labels == other.labels == labels

    def test_numbers_that_may_mean_two_are_asked_for_again(self, folder):
        with self.study(label_edges=[2, 10]) as study:
            with pytest.raises(InvalidInputError, match=r"line 2 of the file: '1,234' may mean two numbers"):
                study.import_csv("row;label\nNr. 1;1,234\nNr. 2;2,000\n")
            assert study.n_labels == 0

    def test_an_export_comes_back_as_it_was(self, folder):
        labels = ["1,5", "a;b", 'so "so"', "2,25"]
        options: dict[str, Any] = {"id_column": "Nummer", "ignore": ["Befund"], "random_state": 1, "strategy": "random"}
        options["classes"] = labels  # else numbers with decimals are taken for measurements
        with Study.create(MemoryStorage(), "t.csv", 1, **options) as study:
            study.tell(range(4), labels)
            content = study.export_csv()
        for given in (content, content.encode(), content.encode("utf-16")):
            with Study.create(MemoryStorage(), "t.csv", 1, **options) as other:
                assert other.import_csv(given) == 4
                assert other.labels == labels

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("row;label\nNr. 1;a\n\nNr. 999;b\n", "line 4 of the file"),
            ("row;label\nNr. 1;a\nNr. 2\n", "line 3 of the file has another number of cells"),
            ("sep=;\nrow;label\nNr. 1;a\nNr. 2\n", "line 4 of the file has another number of cells"),
            ('row;label\nNr. 1;"a\n', "a quote is opened in line 2 and never closed"),
            ('row;label\nNr. 1;"a"b\n', "(line 2)"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_line(self, folder, capsys, content, said):
        assert create("t.csv") == 0
        (folder / "labels.csv").write_text(content)
        assert main(["study", "import", "s.db", "labels.csv"]) == 2
        assert said in capsys.readouterr().err
        with Study.open("s.db") as study:
            assert study.n_labels == 0
