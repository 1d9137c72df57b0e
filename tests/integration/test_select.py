"""`activefs select` and `activefs datasets`, as a user runs them."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat
from sklearn.datasets import load_breast_cancer

from activefs.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    table = X.iloc[:, :6].copy()
    table["diagnosis"] = np.where(y == 0, "malignant", "benign <b>")
    table["patient"] = [f"P{i:04d}" for i in range(len(table))]
    table.to_csv(folder / "t.csv", index=False)
    table.to_csv(folder / "t.csv.gz", index=False)
    table.to_csv(folder / "t.tsv", index=False, sep="\t")
    table.to_parquet(folder / "t.parquet")
    savemat(folder / "t.mat", {"X": table.iloc[:, :6].to_numpy(), "Y": y.to_numpy()[:, None]})
    odd = table.assign(one="a", level=["x" if i % 9 else None for i in range(len(table))])
    odd.loc[[3, 4], "diagnosis"] = None
    odd.to_csv(folder / "odd.csv", index=False)
    (folder / "bad.parquet").write_bytes(b"PAR1 and so on")
    (folder / "bad.mat").write_bytes(b"nothing like MATLAB" * 20)
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (folder / "empty.csv").write_text("")
    (folder / "t.xlsx").write_text("")
    return folder


def run(folder: Path, name: str, out: Path, *more: str, label: str = "diagnosis") -> int:
    given = ["--k", "3", "--budget", "40", "--seeds", "2"]
    return main(["select", str(folder / name), "--label", label, "--out", str(out), *given, *more])


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.links += [str(v) for name, v in attributes if name in ("src", "href") and v]
        assert tag != "script"


def test_report_is_one_file_that_needs_no_network(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "t.csv", tmp_path, "--id", "patient") == 0
    told = capsys.readouterr().out
    assert "3 features for diagnosis" in told and "random labelling" in told and "report.html" in told
    page = (tmp_path / "report.html").read_text()
    parser = Links()
    parser.feed(page)
    assert len(parser.links) == 1 and parser.links[0].startswith("data:image/png;base64,")
    assert base64.b64decode(parser.links[0].split(",")[1]).startswith(b"\x89PNG")
    assert "http" not in page and "benign &lt;b&gt;" in page and "<b>benign" not in page
    assert len(re.findall(r"<td>P\d{4}</td>", page)) == 40  # rows by their ids
    chosen = pd.read_csv(tmp_path / "selection.csv")
    assert list(chosen.columns[:3]) == ["rank", "feature", "column"]
    assert len(chosen) == 3 and (chosen.lower <= chosen.mutual_information).all()
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_all_formats_hold_the_same_table(folder: Path, tmp_path: Path) -> None:
    cheap = ["--strategy", "afs", "--seeds", "1"]
    names = ("t.csv", "t.csv.gz", "t.tsv", "t.parquet")
    for name in names:
        assert run(folder, name, tmp_path / name, "--id", "patient", *cheap) == 0
    assert len({(tmp_path / name / "selection.csv").read_text() for name in names}) == 1
    assert run(folder, "t.mat", tmp_path / "mat", *cheap, label="Y") == 0
    mat = pd.read_csv(tmp_path / "mat" / "selection.csv")
    assert mat["column"].tolist() == pd.read_csv(tmp_path / "t.csv" / "selection.csv")["column"].tolist()


@pytest.mark.parametrize("strategy", ["random", "coreset", "dwus", "afs-nosg"])
def test_other_strategies(folder: Path, tmp_path: Path, strategy: str) -> None:
    assert run(folder, "t.csv", tmp_path, "--id", "patient", "--strategy", strategy) == 0
    assert strategy in (tmp_path / "report.html").read_text()


def test_rows_without_label_and_missing_values(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "odd.csv", tmp_path, "--id", "patient") == 2
    said = capsys.readouterr().err
    assert "'level'" in said and "--missing value" in said
    cheap = ["--strategy", "afs", "--seeds", "1"]
    assert run(folder, "odd.csv", tmp_path, "--id", "patient", "--missing", "value", *cheap) == 0
    said = capsys.readouterr().out
    assert "2 rows without a label" in said and "1 column with one value only" in said
    assert run(folder, "odd.csv", tmp_path, "--id", "patient", "--ignore", "level", "--ignore", "one", *cheap) == 0


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_classes_of_a_number(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    read = pd.read_csv(folder / "t.csv")
    if name == "t.parquet":  # there a number that is missing is NaN rather than nothing
        read.loc[:4, "mean radius"] = np.nan
        read.to_parquet(tmp_path / name)
    else:
        read.to_csv(tmp_path / name, index=False)
    more = ["--id", "patient", "--strategy", "afs", "--seeds", "1", "--label-edges", "12.5,15", "--json"]
    assert run(tmp_path, name, tmp_path / "out", *more, label="mean radius") == 0
    told = json.loads(capsys.readouterr().out)
    radius = read.set_index("patient")["mean radius"]
    low, high = int((radius < 12.5).sum()), int((radius >= 15).sum())
    middle = len(radius.dropna()) - low - high
    counts = {"below 12.5": low, "12.5 to 15": middle, "15 and above": high}
    assert {c["label"]: c["rows"] for c in told["classes"]} == counts
    for asked in told["asked"]:
        assert asked["label"] == radius[asked["row"]]
        expected = "below 12.5" if asked["label"] < 12.5 else "12.5 to 15" if asked["label"] < 15 else "15 and above"
        assert asked["class"] == expected
    assert told["notes"] == (["5 rows without a label were left out."] if name == "t.parquet" else [])
    first = told["asked"][0]
    assert f"<td>{first['label']} ({first['class']})</td>" in (tmp_path / "out" / "report.html").read_text()


def test_many_classes_and_numbers_that_are_all_different(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = pd.read_csv(folder / "t.csv").drop(columns=["patient", "diagnosis"])
    read["kind"] = [f"kind {i % 290}" for i in range(len(read))]
    read["count"] = np.arange(len(read)) % 290
    read["text id"] = [f"id {i}" for i in range(len(read))]
    read.to_csv(tmp_path / "many.csv", index=False)
    cheap = ["--strategy", "afs", "--seeds", "1", "--ignore"]
    assert run(tmp_path, "many.csv", tmp_path / "a", *cheap, "count,text id", label="kind") == 0
    assert "The label has" not in capsys.readouterr().out
    assert "and 278 more." in (tmp_path / "a" / "report.html").read_text()
    assert run(tmp_path, "many.csv", tmp_path / "b", *cheap, "kind,text id", label="count") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "Note: The label has 290 different whole numbers in 569 rows" in said and "with --label-edges 5,7.5,..." in said
    )
    assert run(tmp_path, "many.csv", tmp_path / "c", *cheap, "kind,count", label="text id") == 2
    said = capsys.readouterr().err
    assert "has 569 different values in 569 rows, while labels must be classes" in said
    assert "name another column as the label" in said and "--label-edges" not in said, "text is no number"


@pytest.mark.parametrize(
    ("name", "more", "label", "words"),
    [
        ("t.csv", ["--id", "patient"], "outcome", "no column 'outcome' for the label"),
        ("t.csv", ["--id", "nobody"], "diagnosis", "no column 'nobody' for the id"),
        ("t.csv", ["--id", "diagnosis"], "diagnosis", "both the label and the id"),
        (
            "t.csv",
            ["--k", "7"],
            "diagnosis",
            "patient (nearly every row has a text of its own), unless it is named in",
        ),
        ("t.csv", ["--id", "patient"], "mean radius", "with fractions (such as 17.99), while labels must be classes"),
        (
            "t.csv",
            ["--id", "patient"],
            "mean radius",
            "--classes A,B,..., or make classes of the number with --label-edges",
        ),
        (
            "t.csv",
            ["--id", "patient", "--label-edges", "9,8"],
            "mean radius",
            "--label-edges must be a list of ascending finite numbers, got [9, 8]; write it like --label-edges 5,7.5",
        ),
        (
            "t.csv",
            ["--id", "patient", "--label-edges", "0,5;1,5"],
            "mean radius",
            "finite numbers, got '0,5;1,5'; write it like --label-edges 5,7.5, with commas between numbers and points",
        ),
        (
            "t.csv",
            ["--id", "patient", "--label-edges", "nan"],
            "mean radius",
            "finite numbers, got 'nan'; write it like",
        ),
        (
            "t.csv",
            ["--id", "patient", "--label-edges", "1"],
            "mean radius",
            "all labels are of the class '1 and above'",
        ),
        ("t.csv", ["--id", "patient", "--label-edges", "1"], "diagnosis", "labels that are no numbers"),
        (
            "t.csv",
            ["--id", "patient", "--label-edges", "1", "--classes", "a,b"],
            "mean radius",
            "either --classes or --label",
        ),
        ("odd.csv", ["--id", "patient"], "one", "has only 'a'"),
        ("t.csv", ["--id", "patient", "--budget", "570"], "diagnosis", "of 570 labels is more than the 569 rows"),
        ("t.csv", ["--id", "patient", "--bins", "x=3"], "diagnosis", "--bins names a column that the table does not"),
        ("t.csv", ["--id", "patient", "--bins", "patient=3"], "diagnosis", "error: --bins names 'patient', which"),
        ("t.csv", ["--id", "patient", "--k", "7"], "diagnosis", "k=7 features are wanted"),
        (
            "t.csv",
            ["--id", "patient", "--budget", "many"],
            "diagnosis",
            "--budget must be a number above 0, got 'many'\n",
        ),
        ("t.csv", ["--id", "patient", "--k", "0"], "diagnosis", "--k must be a whole number of at least 1"),
        ("t.csv", ["--id", "patient", "--strategy", "magic"], "diagnosis", "unknown strategy 'magic'"),
        ("t.csv", ["--id", "patient", "--missing", "maybe"], "diagnosis", "--missing must be"),
        ("bad.parquet", [], "y", "cannot be read as parquet"),
        ("bad.mat", [], "y", "cannot be read as mat"),
        ("ragged.csv", [], "a", "cannot be read as csv"),
        ("empty.csv", [], "a", "cannot be read as csv"),
        ("t.xlsx", [], "a", "it is no workbook of Excel"),
        ("t.doc", [], "a", "must end with .csv"),
        ("none.csv", [], "a", "there is no file"),
        ("t.mat", [], "Z", "no variable 'Z'"),
    ],
)
def test_bad_input_is_told_in_a_line_or_two(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, more: list[str], label: str, words: str
) -> None:
    assert run(folder, name, tmp_path, *more, label=label) == 2
    said = capsys.readouterr().err
    assert words in said and len(said.splitlines()) <= 2
    assert not list(tmp_path.rglob("report.html"))


def test_datasets_are_listed_with_their_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "list"]) == 0
    told = capsys.readouterr().out
    for words in ("BASEHOCK", "1,993", "4,862", "MNIST35", "13,454", "ADULT"):
        assert words in told


def test_a_data_set_in_the_users_folder_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ACTIVEFS_DATA_DIR", str(tmp_path))
    (tmp_path / "RELATHE.mat").write_bytes(b"cut off")
    assert main(["datasets", "fetch", "relathe"]) == 1
    assert "damaged or another file" in capsys.readouterr().err
    assert main(["datasets", "fetch", "iris"]) == 2
    assert "there is no data set 'iris'" in capsys.readouterr().err
