"""`activefs select` and `study create` on a table as people have it: an id, a weight, postcodes, a note."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from activefs.cli import main

ROWS = 5000


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Income as in Adult: a sampling weight of about 3,300 distinct integers, and an id of which one was copied."""
    rng = np.random.default_rng(11)
    rich = rng.random(ROWS) < 0.25
    hours = np.clip((rng.normal(40, 10, ROWS) + 6 * rich).round(), 1, 99)
    frame = pd.DataFrame(
        {
            "patient_id": np.r_[np.arange(1, ROWS), 1],
            "fnlwgt": rng.integers(20_000, 25_500, ROWS),
            "age": np.clip((rng.normal(38, 13, ROWS) + 8 * rich).round(), 17, 90).astype(int),
            "hours": hours,  # whole numbers as floats
            "married": np.where(rng.random(ROWS) < np.where(rich, 0.85, 0.35), "yes", "no"),
            "degree": np.where(rng.random(ROWS) < 0.7, 2 * rich, rng.integers(0, 4, ROWS)),
            "zip": rng.choice(rng.integers(10_000, 99_999, 60), ROWS),
            "score": rng.normal(size=ROWS),
            "income": np.where(rich, ">50K", "<=50K"),
        }
    )
    assert 3_200 < frame["fnlwgt"].nunique() < 3_400
    path = tmp_path_factory.mktemp("columns") / "adult.csv"
    frame.to_csv(path, index=False)
    return path


def select(table: Path, out: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    command = ["select", str(table), "--label", "income", "--budget", "80", "--seeds", "1", "--out", str(out), "--json"]
    assert main([*command, *more]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("strategy", ["assisted", "afs", "random"])
@pytest.mark.parametrize("criterion", ["mutual_information", "adjusted_mutual_information", "gini"])
def test_neither_weight_nor_id_comes_first(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], strategy: str, criterion: str
) -> None:
    found = select(table, tmp_path, capsys, "--k", "3", "--strategy", strategy, "--criterion", criterion)
    chosen = found["selection"]
    assert "patient_id" not in chosen["names"] and chosen["names"][0] in ("degree", "married")
    assert chosen["criterion"] == criterion and len(chosen["chance"]) == len(chosen["above_chance"]) == 3
    assert found["left_out"] == [{"name": "patient_id", "why": "nearly every row has a value of its own"}]
    best = dict(zip(chosen["names"], chosen["among_true_best"], strict=True))
    assert best["degree"] and not best.get("fnlwgt", False), "the truth is measured alike"


@pytest.mark.parametrize("criterion", ["mutual_information", "gini"])
def test_who_insists_is_told_that_it_is_chance(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], criterion: str
) -> None:
    kept = ["--binning", "fnlwgt=none", "--categorical", "patient_id"]
    chosen = select(table, tmp_path, capsys, "--k", "4", "--criterion", criterion, *kept)["selection"]
    above = dict(zip(chosen["names"], chosen["above_chance"], strict=True))
    assert {"fnlwgt", "patient_id"} & set(above), "so many values look informative"
    assert not above.get("fnlwgt", False) and not above.get("patient_id", False) and above["degree"]
    page = " ".join((tmp_path / "report.html").read_text().split())
    assert ", not above" in page and "Not above chance: by chance alone" in page
    written = pd.read_csv(tmp_path / "selection.csv")
    assert written["above_chance"].tolist() == ["yes" if above[name] else "no" for name in written["feature"]]
    adjusted = ["--k", "4", "--criterion", "adjusted_mutual_information"]
    again = select(table, tmp_path, capsys, *adjusted, *kept)["selection"]
    assert again["names"][0] == "degree" and not {"fnlwgt", "patient_id"} & set(again["names"][:2])


def test_what_was_left_out_is_said_with_how_to_keep_it(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["select", str(table), "--label", "income", "--k", "2", "--budget", "30", "--seeds", "1"]
    assert main([*command, "--strategy", "random", "--out", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "above chance" in said and "Not above chance: by chance alone" in said, "with thirty labels"
    assert "Columns left out: patient_id (nearly every row has a value of its own)." in said
    assert "--binning 'patient_id=kmeans'" in said and "--categorical 'patient_id'" in said
    assert "--ignore 'patient_id' (or --id 'patient_id', if it names the rows)" in said
    assert "patient_id (nearly every row has a value of its own)" in (tmp_path / "report.html").read_text()
    assert main([*command, "--strategy", "random", "--out", str(tmp_path), "--ignore", "patient_id"]) == 0
    assert "left out" not in capsys.readouterr().out


def test_a_column_of_many_words_is_truly_best_by_chance_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(5)
    age, surname = rng.integers(20, 80, 600), [f"N{i}" for i in rng.integers(0, 290, 600)]
    sick = np.where(rng.random(600) < 0.2, rng.integers(0, 2, 600), age > 50)
    path = tmp_path / "surname.csv"
    pd.DataFrame({"surname": surname, "age": age, "income": np.where(sick, "yes", "no")}).to_csv(path, index=False)
    found = select(path, tmp_path, capsys, "--k", "2")
    chosen = found["selection"]
    truly = zip(chosen["names"], chosen["among_true_best"], chosen["among_true_best_by_chance"], strict=True)
    assert set(truly) == {("surname", False, True), ("age", True, False)}
    about = next(note for note in found["notes"] if "not above chance even with all 600 labels" in note)
    assert "'surname' is" in about and "--criterion adjusted_mutual_information takes chance off" in about
    written = pd.read_csv(tmp_path / "selection.csv").set_index("feature")["among_true_best"]
    assert written.to_dict() == {"surname": "by chance", "age": "yes"}
    page = " ".join((tmp_path / "report.html").read_text().split())
    assert "<td>by chance</td>" in page and "1 of 2 are among the 2 best" in page
    again = select(path, tmp_path, capsys, "--k", "1", "--criterion", "adjusted_mutual_information")
    assert again["selection"]["names"] == ["age"] and again["selection"]["among_true_best"] == [True]
    assert not again["notes"]


def test_bins_by_column(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = ["--bins", "age=4", "--bins", "hours=8", "--binning", "zip=none", "--binning", "age=quantile"]
    chosen = select(table, tmp_path, capsys, "--k", "7", "--strategy", "random", *how)["selection"]
    values = {name: len(v) for name, v in zip(chosen["names"], chosen["values"], strict=True)}
    assert (values["age"], values["hours"], values["fnlwgt"], values["score"]) == (4, 8, 10, 10)
    assert 50 < values["zip"] <= 60
    both = ["--bins", "zip=3", "--categorical", "zip"]
    assert main(["select", str(table), "--label", "income", "--k", "2", "--budget", "30", *both]) == 2
    assert "say one of the two" in " ".join(capsys.readouterr().err.split())


def test_a_study_reads_columns_in_the_same_way(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = str(tmp_path / "study.db")
    how = ["--bins", "age=4", "--binning", "fnlwgt=quantile", "--categorical", "zip,married", "--ignore", "income"]
    command = ["study", "create", url, "--data", str(table), "--k", "7", "--budget", "30", "--strategy", "afs"]
    assert main([*command, *how]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Left out: patient_id (nearly every row has a value of its own)." in said and "--categorical" in said
    assert main(["study", "status", url]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Left out: patient_id (nearly every row has a value of its own)." in said
    assert "any ranking would be arbitrary" in said and "Not above chance" not in said, "there is no label yet"
    (tmp_path / "labels.csv").write_text("row,label\n" + "".join(f"{i},{i % 2}\n" for i in range(6)))
    assert main(["study", "import", url, str(tmp_path / "labels.csv")]) == 0
    capsys.readouterr()
    assert main(["study", "status", url]) == 0
    assert "Not above chance: by chance alone" in " ".join(capsys.readouterr().out.split())
    assert main(["study", "status", url, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    values = {place["name"]: len(place["values"]) for place in found["places"]}
    assert (values["age"], values["fnlwgt"], values["hours"]) == (4, 10, 10) and values["zip"] > 50
    assert not any(place["above_chance"] for place in found["places"])
    assert found["left_out"] == [{"name": "patient_id", "why": "nearly every row has a value of its own"}]
    assert main(["study", "report", url, str(tmp_path / "r.html")]) == 0
    page = " ".join((tmp_path / "r.html").read_text().split())
    assert "Left out: patient_id (nearly every row has a value of its own)." in page and ", not above" in page
