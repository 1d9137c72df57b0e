"""What people type at commands: odd names, odd values, and what they are told."""

import json
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from platforms import needs_bash, needs_colons

from activefs import Study
from activefs.cli import main

MODEL = "sklearn.linear_model.LogisticRegression"


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table with odd names of columns, in the folder where we are."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=60), rng.integers(0, 3, 60)
    lines = [f"{x:.4f},{x + 1:.4f},{v},{i % 7},{v > 0}" for i, (x, v) in enumerate(zip(a, b, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(["a=b, age ,c,note,y", *lines]) + "\n")
    return tmp_path


def select(*more):
    common = ["--label", "y", "--k", "1", "--budget", "8", "--seeds", "1", "--strategy", "random"]
    return main(["select", "t.csv", *common, *more])


def create(name, *more, budget="20"):
    common = ["--data", "t.csv", "--k", "1", "--budget", budget, "--strategy", "random", "--seed", "0"]
    return main(["study", "create", name, *common, "--ignore", "y", *more])


class TestColumns:
    def test_names_with_equals_signs_and_spaces(self, table):
        assert select("--bins", "a=b=4", "--bins", "age=3", "--json") == 0, "outer spaces of a csv do not count"
        assert create("s.db", "--bins", "a=b=4", "--binning", "age=quantile") == 0
        assert Study.open("s.db").pool.cardinalities.tolist() == [4, 10, 3, 7]
        pq.write_table(pa.table({" age ": range(40), "y": [0, 1] * 20}), "t.parquet")
        common = ["--data", "t.parquet", "--k", "1", "--budget", "9", "--ignore", "y"]
        assert main(["study", "create", "p.db", *common, "--bins", " age =3"]) == 0, "other files are read as they are"

    def test_several_to_ignore(self, table, capsys):
        assert create("s.db", "--ignore", "note,c") == 0 and "2 features" in capsys.readouterr().out
        assert select("--ignore", "note,c", "--json") == 0
        assert json.loads(capsys.readouterr().out)["features"] == 2

    @pytest.mark.parametrize("given", ["=4", "  =4"])
    def test_no_name(self, table, capsys, given):
        assert select("--bins", given) == 2 and "COLUMN=VALUE" in capsys.readouterr().err


class TestLabels:
    """`select` reads labels as everybody else does."""

    @pytest.mark.parametrize(
        ("labels", "classes"),
        [(["a", "b", "a "], "a,b"), (["e\u0301", "b", "\u00e9"], "\u00e9,b"), (["true", "false", "true"], "False,True"),
         (["1", "0", "1"], "0,1")],
    )  # fmt: skip
    def test_written_alike_is_one_class(self, tmp_path, monkeypatch, capsys, labels, classes):
        monkeypatch.chdir(tmp_path)
        rows = [f"{i % 3},{i % 2},{labels[i % 3]}" for i in range(60)]
        (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
        for more in ((), ("--classes", classes)):
            assert select("--json", *more) == 0, capsys.readouterr().err
            counts = [one["rows"] for one in json.loads(capsys.readouterr().out)["classes"]]
            assert sorted(counts) == [20, 40]

    def test_others_are_named(self, table, capsys):
        assert select("--classes", "yes,no") == 2
        assert "none of the classes: 'yes', 'no'" in capsys.readouterr().err


class TestModel:
    @pytest.mark.parametrize(
        ("given", "told"),
        [
            (f"{MODEL}(zz=1)", "model cannot be made: .*zz"),
            (f"{MODEL}(C='abc')", "model cannot be used: .*C"),
            (f"{MODEL}(C=abc)", "with plain values"),
            (f"{MODEL}(0.5)", "with plain values"),
            (f"{MODEL}(C=0.5", "with plain values"),
            ("sklearn.linear_model.Nothing", "no classifier"),
            ("os.system", "no classifier"),
        ],
    )
    def test_what_cannot_be_is_told_before_there_is_a_study(self, table, capsys, given, told):
        assert create("s.db", "--model", given) == 2
        error = capsys.readouterr().err
        assert re.search(told, error) and error.startswith("error: ") and "Traceback" not in error
        assert not (table / "s.db").exists()

    def test_parameters_of_every_plain_kind(self, table):
        given = "sklearn.neural_network.MLPClassifier(hidden_layer_sizes=(10, 5), solver='lbfgs', shuffle=False)"
        assert create("s.db", "--model", given, "--estimator", "assisted") == 0
        model = Study.open("s.db").engine.settings.session_options["model"]
        assert tuple(model.hidden_layer_sizes) == (10, 5) and model.shuffle is False


class TestWords:
    @pytest.mark.parametrize("none", ["none", "None"])
    def test_none_where_it_is_offered(self, table, capsys, none):
        assert create("s.db", "--jobs", none, budget=none) == 0
        out = capsys.readouterr().out
        assert "1 wanted." in out

    @needs_colons
    def test_paths_are_printed_as_they_are(self, table, capsys):
        assert create(":heart:.db") == 0 and select("--out", ":smile:") == 0
        out = capsys.readouterr().out
        assert "activefs serve :heart:.db" in out and "Report: :smile:/report.html" in out

    def test_long_names_are_not_cut(self, table, capsys, monkeypatch):
        name = "systolic_blood_pressure_at_the_second_visit_of_the_patient"
        (table / "t.csv").write_text((table / "t.csv").read_text().replace("note", name))
        monkeypatch.setenv("COLUMNS", "60")
        assert select("--ignore", "a=b", "--ignore", " age ", "--ignore", "c") == 0
        cells = [line.split("\u2502")[2].strip() for line in capsys.readouterr().out.splitlines() if "\u2502" in line]
        assert name in "".join(cells)

    @pytest.mark.parametrize("command", [["select"], ["study", "create"]])
    def test_help_names_flags_and_defaults_whole(self, capsys, monkeypatch, command):
        monkeypatch.setenv("COLUMNS", "80")
        assert main([*command, "--help"]) == 0
        out = " ".join(re.sub(r"[\u2502\u256d\u256e\u256f\u2570\u2500]", " ", capsys.readouterr().out).split())
        assert "--stop-when-gap-below" in out and "\u2026" not in out and "(default: assisted)" in out
        assert ("(default: continue)" in out) == (command == ["select"])

    @needs_bash
    def test_a_closed_output(self, table):
        command = [sys.executable, "-m", "activefs", "select", "t.csv", "--label", "y", "--k", "1", "--budget", "5"]
        shell = " ".join([*command, "--seeds", "1", "--strategy", "random", ">&-"])
        done = subprocess.run(shell, shell=True, capture_output=True, text=True)
        assert "Traceback" not in done.stderr and (table / "activefs-select" / "report.html").exists()
