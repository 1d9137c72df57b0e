"""One file with all that people bring at once: semicolons, latin-1, decimal commas, ids, a weight, a measured label."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from activefs import ActiveFeatureSelector, Study
from activefs.cli import main

ROWS, EDGES = 3000, "3,4.5"
UNIQUE = "nearly every row has a value of its own"
NAMES = ("below 3", "3 to 4.5", "4.5 and above")


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    age, size = rng.integers(18, 91, ROWS), rng.normal(75, 12, ROWS).round(1)
    dose = (0.05 * age + 0.02 * size + rng.normal(0, 0.3, ROWS)).round(2)
    dose[::50] = np.nan
    return pd.DataFrame(
        {
            "Kennung": [f"P{i:04d}" for i in range(ROWS)],
            "Alter": age,
            "Größe": size,
            "Gewichtung": rng.permutation(20_000)[:ROWS],
            "Ort": rng.choice(["Köln", "Zürich", "Wien"], ROWS),
            "Dosis": dose,
        }
    )


FRAME = frame()


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.csv"
    path.write_bytes(FRAME.to_csv(index=False, sep=";", decimal=",").encode("latin-1"))
    return path


def class_of(dose: float) -> str:
    return NAMES[int(dose >= 3) + int(dose >= 4.5)]


def test_select(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["select", "t.csv", "--label", "Dosis", "--k", "2", "--budget", "60", "--seeds", "1", "--strategy", "afs"]
    assert main([*command, "--out", "out"]) == 2
    assert "is a number with fractions (such as" in capsys.readouterr().err
    assert main([*command, "--out", "out", "--label-edges", EDGES, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["notes"][:3] == [
        "t.csv was read with semicolons between columns, decimal commas, encoding cp1252.",
        "60 rows without a label were left out.",
        f"Columns left out: Kennung (nearly every row has a text of its own), Gewichtung ({UNIQUE}).",
    ]
    there = FRAME["Dosis"].dropna()
    counts = there.map(class_of).value_counts()
    assert {c["label"]: c["rows"] for c in told["classes"]} == counts.to_dict()
    chosen = told["selection"]
    assert chosen["names"][0] == "Alter" and len(chosen["values"][0]) == 10 and chosen["above_chance"][0]
    assert all(asked["class"] == class_of(asked["label"]) for asked in told["asked"])
    report = Path("out/report.html").read_text()
    assert "semicolons between columns" in report and "Gewichtung" in report and "3 to 4.5" in report


def test_numbers_that_may_have_decimal_commas(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unclear = [f"{dose:.3f}".replace(".", ",") for dose in FRAME["Dosis"].fillna(1.5)]
    FRAME.assign(Dosis=unclear).to_csv("u.csv", index=False, sep=";")  # 4,250 beside 75.1
    command = ["select", "u.csv", "--label", "Dosis", "--k", "1", "--budget", "20", "--seeds", "1", "--strategy", "afs"]
    command += ["--label-edges", EDGES]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "may mean two numbers" in said and "if the file has decimal commas, say so with --decimal" in said
    assert main([*command, "--decimal", ","]) == 0


def test_a_study(table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["study", "create", "s.db", "--data", "t.csv", "--k", "1", "--budget", "40", "--id", "Kennung"]
    assert main([*command, "--ignore", "Dosis", "--label-edges", EDGES, "--strategy", "afs", "--seed", "0"]) == 0
    said = capsys.readouterr().out
    assert "decimal commas, encoding cp1252" in said and f"Left out: Gewichtung ({UNIQUE})." in said
    dose = FRAME.set_index("Kennung")["Dosis"]
    known = dose.dropna().iloc[:4]
    lines = [f"{row};{str(value).replace('.', ',')}" for row, value in known.items()]
    Path("labels.csv").write_bytes("\n".join(["Kennung;label", *lines]).encode("utf-16"))
    assert main(["study", "import", "s.db", "labels.csv"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("1,234\n3,7\ns\nq\n"))
    assert main(["study", "label", "s.db"]) == 0
    said = capsys.readouterr().out
    assert "'1,234' may mean two numbers" in said and "3.7: 3 to 4.5" in said
    assert main(["study", "status", "s.db", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    counts = dict.fromkeys(NAMES, 0)
    for value in (*known, 3.7):
        counts[class_of(value)] += 1
    assert dict(map(tuple, status["classes"])) == counts and status["n_skipped"] == 1
    assert status["left_out"] == [{"name": "Gewichtung", "why": UNIQUE}]
    assert main(["study", "report", "s.db", "r.html"]) == 0
    assert f"Left out: Gewichtung ({UNIQUE})." in Path("r.html").read_text()
    with Study.open("s.db") as study:
        assert study.labels == [*known.tolist(), 3.7] and study.pool.names == ("Alter", "Größe", "Ort")
        study.tell(study.ask(), 4.5)
        content = study.export_csv()
    with Study.create(
        "again.db",
        "t.csv",
        1,
        id_column="Kennung",
        ignore=["Dosis", "Gewichtung"],
        label_edges=[3, 4.5],
        random_state=0,
    ) as other:
        other.import_csv(content.encode())
        assert other.export_csv() == content


def test_masked_tables_and_labels_that_are_missing() -> None:
    rng = np.random.default_rng(0)
    X = np.ma.array(FRAME[["Alter", "Größe"]].to_numpy(), mask=rng.random((ROWS, 2)) < 0.05)
    y = FRAME["Dosis"]
    labels = {
        "NaN": y.to_numpy(),
        "masked": np.ma.masked_invalid(y.to_numpy()),
        "frame": y.to_frame(),
        "text": [None if value != value else str(value).replace(".", ",") for value in y],
    }
    options: dict[str, Any] = {
        "k": 1,
        "budget": 30,
        "strategy": "afs",
        "missing": "value",
        "label_edges": [3, 4.5],
        "random_state": 0,
    }
    found = [ActiveFeatureSelector(**options).fit(X, given) for given in labels.values()]
    for selector in found:
        assert selector.selection_.names == ("x0",) and selector.n_labels_ == 30
        assert selector.queried_labels_.tolist() == y.iloc[selector.queried_indices_].tolist()
        assert selector.selection_ == found[0].selection_
