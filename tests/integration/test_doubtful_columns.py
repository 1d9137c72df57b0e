"""`select` and `study create` say which column of a file may have been meant otherwise, and so does Python."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from activefs import ActiveFeatureSelector, Pool, Session
from activefs.cli import main
from activefs.exceptions import DoubtfulColumnWarning, InvalidInputError
from activefs.study import Study, StudySettings
from activefs.study._table import StudyTable
from activefs.tables import open_labelled, open_unlabelled

RNG = np.random.default_rng(3)
ROWS = [f"{age},{RNG.integers(3)},{'ill' if age > 45 else 'well'}" for age in RNG.integers(18, 80, 60)]
SAID = "Column 'age' is taken as text because of 'unknown' in line 9; all other values are numbers."


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A cell of sixty that is no number."""
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["age,z,label", *ROWS[:7], "unknown,1,ill", *ROWS[7:]]) + "\n")
    return path


def create(tmp_path: Path, table: Path, *more: str) -> list[str]:
    return ["study", "create", str(tmp_path / "s.db"), "--data", str(table), "--k", "1", "--budget", "9", *more]


def test_select_says_it(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["select", str(table), "--label", "label", "--k", "1", "--budget", "20", "--seeds", "1"]
    assert main([*command, "--strategy", "random", "--out", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Note: {SAID}" in said and "(--missing value then makes" in said
    assert "because of &#39;unknown&#39; in line 9" in (tmp_path / "report.html").read_text()
    assert main([*command, "--strategy", "random", "--out", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"][0].startswith(SAID)


def test_study_create_says_it(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(create(tmp_path, table, "--show", "age,z")) == 0
    said = capsys.readouterr()
    assert " ".join(said.out.split()).count(f"Note: {SAID}") == 1 and "--missing value" in said.out
    assert "Warning" not in said.err


@pytest.mark.parametrize("role", ["--ignore", "--show-text"])
def test_what_is_no_feature_is_not_said(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], role: str
) -> None:
    assert main(create(tmp_path, table, role, "age")) == 0
    assert "age" not in capsys.readouterr().out


def test_python_warns(table: Path, tmp_path: Path) -> None:
    with pytest.warns(DoubtfulColumnWarning, match="because of 'unknown' in line 9") as caught:
        open_unlabelled(table)
    assert caught[0].filename == __file__
    with pytest.warns(DoubtfulColumnWarning, match=r"missing='value'") as caught:
        Study.create(tmp_path / "s.db", table, k=1).close()
    assert caught[0].filename == __file__
    assert open_labelled(table, "label").notes[0].startswith(SAID)
    Study.create(tmp_path / "by_position.db", table, k=1, ignore=[0]).close()
    Study.open(tmp_path / "s.db").close()  # nothing is said again


def test_codes_keep_their_zeros_in_a_study(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("pid,a\n" + "".join(f"{i:04},{i % 3}\n" for i in range(30)))
    with Study.create(tmp_path / "s.db", path, k=1, id_column="pid") as study:
        assert study.name_of(7) == "0007"


def test_a_study_of_release_0_1_reads_its_file_as_it_did(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("pid, a,\n" + "".join(f"{i:04},{'?' if i % 3 else ' x'},\n" for i in range(30)))
    settings = StudySettings.checked({"k": 1, "id_column": "pid", "decimal": ".", "missing": "value"})
    table = StudyTable(path, replace(settings, rules=1))
    assert table.names == ("pid", " a", "") and table.ids is not None and table.ids[7] == 7
    assert table.cells(0) == [(" a", " x"), ("", "missing")] and table.cells(1)[0] == (" a", "?")


# --- columns with another role ---


@pytest.mark.parametrize(
    ("said", "role"),
    [
        (["--categorical", "z,label"], "--categorical names 'label', which is the label and no feature"),
        (["--bins", "label=3"], "--bins names 'label', which is the label and no feature"),
        (["--ignore", "patient"], "--ignore names 'patient', which is the id and no feature"),
    ],
)
def test_the_label_and_the_id_are_no_features(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], said: list[str], role: str
) -> None:
    lines = table.read_text().splitlines()
    table.write_text("\n".join([f"patient,{lines[0]}", *(f"p{i},{line}" for i, line in enumerate(lines[1:]))]) + "\n")
    command = ["select", str(table), "--label", "label", "--id", "patient", "--k", "1", "--budget", "20"]
    assert main([*command, "--out", str(tmp_path), *said]) == 2
    assert role in " ".join(capsys.readouterr().err.split())


# --- separators that nobody guesses ---


def test_a_file_of_one_column_asks_for_the_separator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["age^z^label", *(row.replace(",", "^") for row in ROWS)]) + "\n")
    hint = "All was read as one column: if there are more, {} says what is between them."
    with pytest.raises(InvalidInputError, match=r"there is no column 'label' .*sep=\.\.\. says what is between them"):
        open_labelled(path, "label")
    assert main(["select", str(path), "--label", "label", "--k", "1", "--budget", "20"]) == 2
    assert hint.format("--sep") in " ".join(capsys.readouterr().err.split())
    assert main(create(tmp_path, path, "--id", "age")) == 2
    assert hint.format("--sep") in " ".join(capsys.readouterr().err.split())
    assert main(create(tmp_path, path)) == 0
    assert hint.format("--sep") in " ".join(capsys.readouterr().out.split())
    (tmp_path / "s.db").unlink()
    assert main(create(tmp_path, path, "--sep", "^", "--id", "age")) == 2, "ages are no ids"
    assert "one column" not in capsys.readouterr().err


def test_a_file_of_one_column_of_which_nothing_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["age^z", *(f"{i}^{i % 3}" for i in range(60))]) + "\n")
    assert main(create(tmp_path, path)) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "no column is left to choose from" in said and "--sep says what is between them" in said


OPENERS: dict[str, Callable[..., object]] = {
    "Session": lambda file, **more: Session(file, 1, strategy="random", **more),
    "Pool.from_table": lambda file, **more: Pool.from_table(file, **more),
    "fit": lambda file, **more: ActiveFeatureSelector(k=1, budget=5, strategy="random", **more).fit(file, [0, 1] * 30),
}


@pytest.fixture
def ages(tmp_path: Path) -> Path:
    file = tmp_path / "ages.csv"
    rows = [f"{'unknown' if i == 5 else 20 + i % 7},{i % 3}" for i in range(60)]
    file.write_text("\n".join(["age,x", *rows]) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("name", OPENERS)
def test_whoever_opens_a_file_in_python_is_warned_once(name: str, ages: Path) -> None:
    with pytest.warns(DoubtfulColumnWarning, match="'age' is taken as text because of 'unknown' in line 7") as told:
        OPENERS[name](ages)
    doubtful = [warning for warning in told if warning.category is DoubtfulColumnWarning]
    assert len(doubtful) == 1 and doubtful[0].filename == __file__


@pytest.mark.parametrize("ignore", [["age"], [0], [-2]])
@pytest.mark.parametrize("name", OPENERS)
def test_columns_that_are_ignored_are_of_no_concern(name: str, ignore: list[str | int], ages: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DoubtfulColumnWarning)
        OPENERS[name](ages, ignore=ignore)
