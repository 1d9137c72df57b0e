"""What leaves a study: every format, joined with the table or not, and back again."""

import csv
import io
import json
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from activefs import Study
from activefs.cli import main
from activefs.exceptions import InvalidInputError, StudyMismatchError
from activefs.storages import Kind, MemoryStorage, Role
from activefs.study import Format, Person, export
from activefs.study.exports._spreadsheet import as_it_was, harmless

ANA, OWNER = Person("ana"), Person("eva", Role.OWNER)
NEW = ["corrected_from", "corrected_by", "corrected_at", "note", "flagged"]


def written(study, format="csv", **how):
    return b"".join(export(study.engine, Format(format), **how).pieces)


def as_parquet(study, **how):
    return pq.read_table(io.BytesIO(written(study, "parquet", **how)))


def as_lines(study, **how):
    return [json.loads(line) for line in written(study, "jsonl", **how).decode().splitlines()]


def as_records(study, **how):
    return list(csv.DictReader(io.StringIO(written(study, "csv", **how).decode(), newline="")))


def made(X=None, **options):
    X = np.random.default_rng(0).integers(0, 3, size=(40, 4)) if X is None else X
    usual: dict[str, Any] = {"classes": ["yes", "no"], "strategy": "random", "random_state": 0}
    return Study.create(MemoryStorage(), X, 1, **usual | options)


def filled(study, labels=("yes", "no", "yes")):
    """Answers with everything that can be said about them."""
    engine = study.engine
    engine.answer(ANA, engine.question(ANA).id, labels[0])
    engine.answer(ANA, engine.question(ANA).id, labels[1], note='not sure, "really"\nsee page 2', flag=True)
    engine.skip(ANA, engine.question(ANA).id, note="blurred")
    engine.skip(ANA, engine.question(ANA).id)
    engine.answer(ANA, engine.question(ANA).id, labels[2])
    first, *_ = list(engine.position().told)
    engine.correct(OWNER, first.row, labels[1])
    skipped = sorted(engine.position().skipped)[0]
    engine.correct(OWNER, skipped, labels[0])
    return study


class TestLabels:
    def test_a_csv_file_is_what_it_was_as_long_as_there_is_nothing_new_to_say(self):
        study = made()
        study.tell([3, 4], ["yes", "no"])
        study.skip(5)
        assert list(as_records(study)[0]) == ["row", "label", "annotator", "time", "kind"]

    def test_a_correction_is_not_the_answer_of_the_annotator(self):
        study = filled(made())
        first = as_records(study)[0]
        assert list(first) == ["row", "label", "annotator", "time", "kind", *NEW]
        assert (first["label"], first["annotator"]) == ("no", "ana")
        assert (first["corrected_from"], first["corrected_by"]) == ("yes", "eva")
        assert first["time"] < first["corrected_at"]

    @pytest.mark.parametrize("options", [{}, {"classes": None}])
    @pytest.mark.parametrize("how", [{}, {"spreadsheet_safe": True}, {"joined": True}])
    def test_everything_comes_back(self, options, how):
        study, other = filled(made(**options)), made(**options)
        assert other.import_csv(written(study, **how)) == 5
        assert as_lines(other) == as_lines(study)
        assert other.export_csv() == study.export_csv()
        one, two = study.engine, other.engine
        assert two.position().told == one.position().told and two.position().skipped == one.position().skipped
        assert other.ask() == study.ask()
        assert other.import_csv(written(study, **how)) == 0

    def test_what_json_lines_and_parquet_say_is_the_same(self):
        study = filled(made())
        lines, table = as_lines(study), as_parquet(study)
        assert table.column_names == list(lines[0]) == ["row", "label", "annotator", "time", "kind", *NEW]
        times = ("time", "corrected_at")
        for line, record in zip(lines, table.to_pylist(), strict=True):
            for name in times:
                said = line.pop(name)
                assert record.pop(name) == (None if said is None else datetime.fromisoformat(said))
            assert line == record
        assert table.schema.field("time").type == pa.timestamp("us", "UTC")
        assert table.schema.field("flagged").type == pa.bool_()
        about = table.schema.metadata
        assert about[b"activefs.title"] == b"study" and b"activefs.version" in about

    @pytest.mark.parametrize(
        ("options", "labels", "kind"),
        [
            ({"classes": ["a", "b"]}, ["a", "b"], pa.string()),
            ({"classes": [0, 1]}, [0, 1], pa.int64()),
            ({"classes": [0, 1]}, [], pa.int64()),
            ({"classes": [0, 0.5]}, [0, 0.5], pa.float64()),
            ({"classes": [True, False]}, [True, False], pa.bool_()),
            ({"classes": [0, "a"]}, [0, "a"], pa.string()),
            ({"classes": None, "label_edges": [1.5]}, [1, 2.25], pa.float64()),
            ({"classes": None}, [], pa.string()),
            ({"classes": None}, [3, 4], pa.int64()),
        ],
    )
    def test_type_of_labels(self, options, labels, kind):
        study = made(**options)
        study.tell(list(range(len(labels))), labels)
        table = as_parquet(study)
        assert table.schema.field("label").type == table.schema.field("corrected_from").type == kind
        expected = [str(label) for label in labels] if kind == pa.string() else labels
        assert table["label"].to_pylist() == expected
        assert [line["label"] for line in as_lines(study)] == labels

    def test_many_lines_come_in_pieces(self):
        study = made(np.random.default_rng(0).integers(0, 3, size=(5000, 3)))
        study.tell(np.arange(5000), ["yes", "no"] * 2500)
        assert len(list(export(study.engine, Format.CSV).pieces)) > 2
        assert as_parquet(study, joined=True).num_rows == len(as_lines(study)) == len(as_records(study)) == 5000


class TestJoined:
    def table(self, folder, name):
        frame = pd.DataFrame(
            {
                "id": ["007", "b;c", "@x+1", "d"],
                "size": [1.5, None, -3.25, 4.0],
                "day": pd.to_datetime(pd.Series(["2024-05-01", "2024-05-02", None, "2024-05-04"])),
                "note": ["a", "b", None, "line\nend"],
                "label": ["x", "y", "x", "y"],
                "count": [1, 2, 3, 4],
            }
        )
        path = folder / f"t.{name}"
        if name == "csv":
            frame.to_csv(path, index=False, sep=";", decimal=",")
        elif name == "jsonl":
            frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d")).to_json(path, orient="records", lines=True)
        elif name == "xlsx":
            frame.to_excel(path, index=False)
        else:
            getattr(frame, f"to_{name}")(path)
        return path

    @pytest.mark.parametrize("name", ["csv", "jsonl", "parquet", "feather", "xlsx"])
    @pytest.mark.parametrize("with_id", [True, False])
    def test_files(self, tmp_path, name, with_id):
        ignored = ["note", "size", "day", *(() if with_id else ("id",))]
        options: dict[str, Any] = {"ignore": ignored, "classes": ["yes", "no"], "random_state": 0}
        url, path = tmp_path / "s.db", self.table(tmp_path, name)
        with Study.create(url, path, 1, id_column="id" if with_id else None, strategy="random", **options) as study:
            study.tell([3, 0, 2], ["yes", "no", "no"])
            study.skip(1)
        with Study.open(url) as study:
            lines = as_lines(study, joined=True)
            assert [line["row"] for line in lines] == (["d", "007", "@x+1", "b;c"] if with_id else [3, 0, 2, 1])
            assert [line["label"] for line in lines] == ["yes", "no", "no", None]
            assert [line["table.label"] for line in lines] == ["y", "x", "x", "y"]
            assert [line["table.note"] for line in lines] == ["line\nend", "a", None, "b"]
            assert [line["size"] for line in lines] == [4.0, 1.5, -3.25, None]
            assert [line["day"] for line in lines] == ["2024-05-04", "2024-05-01", None, "2024-05-02"]
            assert [line["count"] for line in lines] == [4, 1, 3, 2]
            assert "id" in lines[0]
            table = as_parquet(study, joined=True)
            assert table.column_names == list(lines[0])
            assert table["size"].to_pylist() == [4.0, 1.5, -3.25, None]
            records = as_records(study, joined=True)
            assert list(records[0]) == [n for n in lines[0] if n not in NEW]
            assert (
                records[3]["size"] == "" and records[2]["size"] == "-3.25" and records[0]["table.note"] == "line\nend"
            )
            safe = as_records(study, joined=True, spreadsheet_safe=True)
            assert safe[2]["size"] == "-3.25" and safe[2]["id"] == "'@x+1"
            fresh = Study.create(tmp_path / "t.db", path, 1, id_column="id" if with_id else None, **options)
            assert fresh.import_csv(written(study, joined=True, spreadsheet_safe=True)) == 4
            assert as_lines(fresh) == as_lines(study)
            fresh.close()

    @pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "numpy", "list"])
    def test_tables_in_memory(self, kind):
        frame = pd.DataFrame({"a": [1, 2, 3] * 4, "b": [0.5, 1.5, 2.5] * 4})
        X = {
            "pandas": lambda: frame,
            "polars": lambda: pl.from_pandas(frame),
            "arrow": lambda: pa.Table.from_pandas(frame),
            "numpy": frame.to_numpy,
            "list": lambda: frame.to_numpy().tolist(),
        }[kind]()
        study = made(X)
        study.tell([4, 0], ["yes", "no"])
        lines = as_lines(study, joined=True)
        assert [list(line.values())[-2:] for line in lines] == [[2, 1.5], [1, 0.5]]

    def test_values_of_all_kinds(self):
        X = pa.table(
            {
                "f": pa.array([0.1, float("nan")] * 3, pa.float32()),
                "d": pa.array([date(2024, 5, 1), None] * 3),
                "t": pa.array([datetime(2024, 5, 1, 12, tzinfo=UTC), None] * 3),
                "ns": pa.array([1, None] * 3, pa.timestamp("ns")),
                "b": pa.array([True, None] * 3),
                "c": pa.array(["u", None] * 3).dictionary_encode(),
                "x": pa.array([0, 1] * 3),
            }
        )
        study = made(X, ignore=["f", "d", "t", "ns", "b", "c"])
        study.tell([0, 1], ["yes", "no"])
        first, second = as_lines(study, joined=True)
        assert [first[n] for n in X.column_names] == [
            0.1, "2024-05-01", "2024-05-01T12:00:00+00:00", "1970-01-01T00:00:00.000000001", True, "u", 0,
        ]  # fmt: skip
        assert [second[n] for n in X.column_names] == [None] * 6 + [1]
        assert [as_records(study, joined=True)[1][n] for n in X.column_names] == [""] * 6 + ["1"]
        assert as_parquet(study, joined=True).schema.field("t").type == pa.timestamp("us", "UTC")

    def test_what_parquet_has_no_type_for(self):
        months = pa.array([pa.MonthDayNano([i, 0, 0]) for i in range(6)], pa.month_day_nano_interval())
        study = made(pa.table({"x": [0, 1] * 3, "long": months}), ignore=["long"])
        study.tell(0, "yes")
        with pytest.raises(InvalidInputError, match=r"'long' of the table .* take CSV or JSON lines"):
            export(study.engine, Format.PARQUET, joined=True)
        assert as_lines(study, joined=True)[0]["long"]

    def test_another_table_is_refused(self, tmp_path):
        path = self.table(tmp_path, "csv")
        with Study.create(tmp_path / "s.db", path, 1, id_column="id", ignore=["note", "size", "day"]) as study:
            study.tell(0, 1)
            path.write_text(path.read_text().replace("1,5", "2,5"))
            with pytest.raises(StudyMismatchError, match="'size' with other values"):
                study.export(tmp_path / "out.csv", joined=True)
        assert not (tmp_path / "out.csv").exists()


class TestLog:
    def test_every_entry(self):
        study = filled(made())
        study.undo()
        study.ask()
        events = study.engine.storage.events()
        lines, table, records = as_lines(study, log=True), as_parquet(study, log=True), as_records(study, log=True)
        assert len(lines) == table.num_rows == len(records) == len(events)
        assert list(lines[0]) == table.column_names == list(records[0])
        for event, line, record in zip(events, lines, records, strict=True):
            assert (line["id"], line["kind"], line["row"]) == (event.id, event.kind.value, event.row)
            assert (line["annotator"], line["label"], line["about"]) == (event.annotator, event.label, event.about)
            assert line["details"] == event.details and datetime.fromisoformat(line["time"]) == event.time
            assert line["chance"] == (None if event.chance is None else event.chance.probability)
            assert record["details"] == ("" if event.details is None else json.dumps(event.details))
        assert any(line["chance"] for line in lines) and any(line["until"] for line in lines)
        assert table.schema.field("until").type == pa.timestamp("us", "UTC")
        assert table.schema.field("id").type == table.schema.field("about").type == pa.int64()

    def test_where_labels_come_from_and_the_study_as_a_whole(self):
        study = made()
        study.import_csv("row,label,annotator,time,kind\n3,yes,=ben,2024-05-01T12:00:00Z,answer\n")
        study.engine.pause(OWNER)
        first, second = as_lines(study, log=True)
        assert (first["origin_annotator"], first["origin_asked"]) == ("=ben", True)
        assert first["origin_time"] == "2024-05-01T12:00:00.000000Z"
        assert second["kind"] == Kind.PAUSED and second["row"] is None
        assert as_records(study, log=True, spreadsheet_safe=True)[0]["origin_annotator"] == "'=ben"

    def test_it_is_not_joined(self):
        with pytest.raises(InvalidInputError, match="one of the two"):
            written(made(), log=True, joined=True)


class TestSpreadsheets:
    @pytest.mark.parametrize(
        "cell",
        [
            "=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\tx", "\rx", "\nx", " =1", '"=1', "'=1", "\uff1d1+1",
            "\uff0b1", "\uff0d1", "\uff20x", "\u00a0=1", "\ufeff=1", "=cmd|' /C calc'!A0", "- a", "--5", "-5-",
            "-5\n+1", "+49 170",
        ],
    )  # fmt: skip
    def test_formulas(self, cell):
        assert harmless(cell).startswith("'") and as_it_was(harmless(cell)) == cell

    @pytest.mark.parametrize(
        "cell", ["-5", "+5", "-5.5", "-5,5", "-1e-5", "0", "ill", "a=b", "'tis", "", "a-b", "a;-5"]
    )
    def test_what_is_none_stays(self, cell):
        assert harmless(cell) == cell == as_it_was(cell)

    def test_a_file_that_is_cut_at_semicolons_or_lines(self):
        assert harmless("a;=1+1;b") == "a;'=1+1;b"
        assert harmless("a\n=1+1") == "a\n'=1+1"

    @given(st.text(st.sampled_from("=+-@\t\r\n;'\" 51,.eaé\uff1d\u00a0\ufeff"), max_size=12) | st.text(max_size=30))
    @example("a;'-5")
    @example("'\t'=x")
    @example("a;\n=1")
    def test_they_come_back(self, cell):
        safe = harmless(cell)
        assert as_it_was(safe) == cell
        # However a spreadsheet cuts it, no piece begins as a formula does, but for plain numbers.
        for piece in [safe, *safe.replace("\t", ";").replace("\r", ";").replace("\n", ";").split(";")]:
            begins = piece.lstrip(' \u00a0\ufeff"')[:1]
            assert begins not in set("=@\uff1d") and (begins not in set("+-") or harmless(piece) == piece)

    @pytest.mark.parametrize(
        "classes", [["=1+1", "'=1+1"], ["'ill", "ill"], ["-5", "'-5"], ["'", "''"], ["@a", "+b;=c"]]
    )
    @pytest.mark.parametrize("how", [{}, {"spreadsheet_safe": True}])
    def test_round_trip(self, classes, how):
        def study():
            X = pd.DataFrame({"id": [f"={i}" if i % 2 else f"'={i}" for i in range(20)], "a": [0, 1] * 10})
            return made(X, classes=classes, id_column="id")

        one, two = study(), study()
        for row in range(4):
            one.tell(row, classes[row % 2])
        text = written(one, **how)
        assert two.import_csv(text) == 4
        assert two.labels == one.labels and two.labelled.tolist() == one.labelled.tolist()
        assert written(two, **how) == text

    def test_free_labels(self):
        one, two = made(classes=None), made(classes=None)
        one.tell([0, 1, 2], ["=1", "'=1", "'x"])
        two.import_csv(written(one, spreadsheet_safe=True))
        assert two.labels == one.labels

    def test_only_csv(self):
        with pytest.raises(InvalidInputError, match="cells of CSV"):
            written(made(), "parquet", spreadsheet_safe=True)


class TestOverlap:
    BEN = Person("ben")

    def filled(self):
        """Rows that agree, differ, were settled, that a second annotator cannot tell; the last one waits for one."""
        study = made(overlap=1.0)
        engine = study.engine
        for said in (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", None), ("yes", "no")):
            engine.answer(ANA, engine.question(ANA).id, said[0])
            question = engine.question(self.BEN)
            if said[1] is None:
                engine.skip(self.BEN, question.id, note="no idea")
            else:
                engine.answer(self.BEN, question.id, said[1], flag=said[0] != said[1])
        rows = [a.row for a in engine.position().told]
        engine.correct(ANA, rows[2], "yes"), engine.correct(ANA, rows[2], "no")
        engine.settle(OWNER, rows[2], "yes")
        engine.answer(ANA, engine.question(ANA).id, "yes")
        return study, rows

    def test_one_line_per_row_with_the_label_that_counts(self):
        study, rows = self.filled()
        lines, table, records = as_lines(study), as_parquet(study), as_records(study)
        assert [line["row"] for line in lines][:5] == rows and len(lines) == len(records) == 6
        assert [line["label"] for line in lines] == ["yes", "yes", "yes", "no", "yes", "yes"]
        assert [line["first_label"] for line in lines] == ["yes", "yes", "no", "no", "yes", "yes"]
        assert [line["second_label"] for line in lines] == ["yes", "no", "yes", None, "no", None]
        assert [line["settled_by"] for line in lines] == [None, None, "eva", None, None, None]
        assert lines[3]["second_note"] == "no idea" and lines[1]["second_flagged"] is True
        assert table.column_names == list(lines[0]) == list(records[0])
        assert table["second_label"].to_pylist() == [line["second_label"] for line in lines]

    @pytest.mark.parametrize("how", [{}, {"spreadsheet_safe": True}, {"joined": True}])
    def test_everything_comes_back(self, how):
        study, _ = self.filled()
        other = made(overlap=1.0)
        assert other.import_csv(written(study, **how)) == 6
        assert as_lines(other) == as_lines(study)
        with study.engine.reading() as one, other.engine.reading() as two:
            assert one.position().told == two.position().told
            assert len(two.overlap.disagreements(two.told)) == 2
        assert other.engine.question(self.BEN).row == study.engine.question(self.BEN).row  # it waits for a second one
        assert other.import_csv(written(study, **how)) == 0


class TestImport:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("row,label,corrected_from\n3,yes,no\n", "line 2.*corrected_by"),
            ("row,label,corrected_from,corrected_by\n3,yes,perhaps,eva\n", "line 2.*perhaps"),
            ("row,label,corrected_by,corrected_at\n3,yes,eva,soon\n", "line 2.*2024-05-01"),
            ("row,label,flagged\n3,yes,perhaps\n", "line 2.*flagged must be true or false"),
            (f"row,label,note\n3,yes,{'x' * 2001}\n", "line 2.*at most 2,000"),
        ],
    )
    def test_all_or_nothing(self, content, said):
        study = made()
        with pytest.raises(InvalidInputError, match=said):
            study.import_csv(content)
        assert study.n_labels == 0


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        lines = ["patient,age,note", *(f"P{i:03d},{20 + i % 3},a" for i in range(30))]
        (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
        how = ["--k", "1", "--budget", "12", "--id", "patient", "--ignore", "note", "--strategy", "random"]
        assert main(["study", "create", "s.db", "--data", "table.csv", *how]) == 0
        (tmp_path / "in.csv").write_text("row,label\nP001,yes\nP002,=no\nP003,\n")
        assert main(["study", "import", "s.db", "in.csv"]) == 0
        return tmp_path

    def test_formats(self, folder, capsys):
        capsys.readouterr()
        for name in ("l.csv", "l.jsonl", "l.ndjson", "l.parquet", "l"):
            assert main(["study", "export", "s.db", name, "--joined"]) == 0
            assert f"Wrote 2 labels to {name}" in capsys.readouterr().out
        assert pd.read_parquet("l.parquet")["age"].tolist() == [21, 22, 20]
        assert pd.read_json("l.jsonl", lines=True).columns.tolist() == pd.read_parquet("l.parquet").columns.tolist()
        assert (folder / "l.jsonl").read_bytes() == (folder / "l.ndjson").read_bytes()
        assert (folder / "l.csv").read_bytes() == (folder / "l").read_bytes()
        assert pd.read_csv("l.csv")["table.note"].tolist() == ["a"] * 3

    def test_output(self, folder, capfdbinary):
        capfdbinary.readouterr()
        assert main(["study", "export", "s.db", "--format", "parquet"]) == 0
        assert pq.read_table(io.BytesIO(capfdbinary.readouterr().out)).num_rows == 3
        assert main(["study", "export", "s.db", "--format", "jsonl", "--log"]) == 0
        assert len(capfdbinary.readouterr().out.splitlines()) == 3
        assert main(["study", "export", "s.db", "--spreadsheet-safe"]) == 0
        assert b"P002,'=no," in capfdbinary.readouterr().out

    def test_log(self, folder, capsys):
        assert main(["study", "export", "s.db", "log.csv", "--log"]) == 0
        assert "Wrote 3 entries of the log to log.csv" in capsys.readouterr().out
        assert pd.read_csv("log.csv")["kind"].tolist() == ["imported"] * 3

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["l.xlsx"], "cannot be seen from '.xlsx'"),
            (["l.jsonl", "--spreadsheet-safe"], "cells of CSV"),
            (["l.csv", "--log", "--joined"], "one of the two"),
        ],
    )
    def test_refused(self, folder, capsys, arguments, said):
        assert main(["study", "export", "s.db", *arguments]) != 0
        assert said in " ".join(capsys.readouterr().err.split())
        assert not (folder / arguments[0]).exists()
