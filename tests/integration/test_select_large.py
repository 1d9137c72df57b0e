"""`activefs select` on tables that do not fit into memory: the same answers as for those that do."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from activefs.cli import main
from activefs.streams import _fits

ROWS = 700
CHEAP = ["--strategy", "afs"]


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "pid": [f"P{i:04d}" for i in range(ROWS)],
            "age": rng.integers(18, 90, ROWS),
            "dose": rng.normal(5, 2, ROWS).round(3),
            "region": rng.choice(["north", "south", "west"], ROWS),
            "smokes": rng.random(ROWS) < 0.3,
            "zip": rng.integers(1000, 1020, ROWS),
            "price": rng.integers(1, 4, ROWS),
            "one": "same",
        }
    )
    ill = (frame.age > 60) ^ (rng.random(ROWS) < 0.1)
    frame["state"] = np.where(ill, np.where(frame.smokes, "grave", "ill"), "healthy")
    frame["level"] = (frame.dose * 3 + frame.age / 10 + rng.normal(0, 1, ROWS)).round(2)
    frame["number"] = rng.integers(0, 3, ROWS)
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    frame = table()
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet", row_group_size=128)
    frame.to_feather(folder / "t.feather")
    (folder / "parts").mkdir()
    for i in range(4):
        part = frame.iloc[i * 175 : (i + 1) * 175]
        part.to_parquet(folder / "parts" / f"{i}.parquet")
    holes = frame.copy()
    holes.loc[[0, 5, 6, 300, 699], "state"] = [None, " ", None, "", None]
    holes.loc[np.arange(0, ROWS, 9), "region"] = None
    holes.loc[[1, 2, 200], "level"] = None
    holes.to_parquet(folder / "holes.parquet", row_group_size=100)
    holes.iloc[:0].to_csv(folder / "empty.csv", index=False)
    return folder


def run(capsys: pytest.CaptureFixture[str], out: Path, place: object, label: str, *more: str) -> Any:
    given = ["--k", "2", "--budget", "40", "--seeds", "2", "--json", "--out", str(out)]
    assert main(["select", str(place), "--label", label, *given, *more]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let tables be too large for memory from now on."""
    return lambda: monkeypatch.setattr(_fits, "MOST_CELLS", 10)


@pytest.mark.parametrize(
    ("name", "label", "options"),
    [
        ("t.parquet", "state", []),
        ("t.csv", "state", [*CHEAP, "--id", "pid"]),
        ("t.feather", "state", [*CHEAP, "--id", "pid", "--redundancy", "mrmr"]),
        ("parts", "state", ["--strategy", "random", "--id", "pid"]),
        ("parts/*.parquet", "number", CHEAP),
        ("holes.parquet", "state", [*CHEAP, "--missing", "value", "--id", "pid"]),
        ("holes.parquet", "level", [*CHEAP, "--missing", "value", "--label-edges", "20,24.5", "--id", "pid"]),
        ("t.parquet", "state", [*CHEAP, "--classes", "ill,healthy,grave,dead"]),
        ("t.parquet", "smokes", [*CHEAP, "--ignore", "pid,state", "--categorical", "zip", "--bins", "age=4"]),
        ("t.parquet", "state", [*CHEAP, "--cost", "price", "--binning", "dose=quantile"]),
        ("t.parquet", "state", [*CHEAP, "--criterion", "adjusted_mutual_information"]),
        ("t.parquet", "state", [*CHEAP, "--criterion", "gini"]),
    ],
)
def test_the_same_as_in_memory(
    folder: Path,
    tmp_path: Path,
    large: Any,
    capsys: pytest.CaptureFixture[str],
    name: str,
    label: str,
    options: list[str],
) -> None:
    expected = run(capsys, tmp_path, folder / name, label, *options)
    in_memory = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    large()
    found = run(capsys, tmp_path, folder / name, label, *options)
    assert found == expected
    for file in ("selection.csv", "report.html"):
        assert (tmp_path / file).read_bytes() == in_memory[file]


def test_addresses(folder: Path, tmp_path: Path, large: Any, capsys: pytest.CaptureFixture[str]) -> None:
    expected = run(capsys, tmp_path, folder / "t.parquet", "state", *CHEAP)
    store = fsspec.filesystem("memory")
    store.pipe("/trial/t.parquet", (folder / "t.parquet").read_bytes())
    large()
    for address in ("memory://trial/t.parquet", f"file://{folder}/t.parquet", f"file://{folder}/t.par*"):
        found = run(capsys, tmp_path, address, "state", *CHEAP)
        assert found == expected
        assert ("t.parquet" if "*" not in address else "t.par*") in (tmp_path / "report.html").read_text()


def test_rules_that_need_all_rows_say_so(
    folder: Path, tmp_path: Path, large: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    known = run(capsys, tmp_path, folder / "t.parquet", "state", *CHEAP, "--redundancy", "jmi")
    assert known["selection"]["among_true_best"] is not None
    large()
    found = run(capsys, tmp_path, folder / "t.parquet", "state", *CHEAP, "--redundancy", "jmi")
    assert found["selection"]["among_true_best"] is None
    assert found["gaps"] == known["gaps"] and found["asked"] == known["asked"]
    assert sum("What jmi would choose with all labels is not computed" in note for note in found["notes"]) == 1
    assert "among_true_best" not in (tmp_path / "selection.csv").read_text()
    assert "in the true top" not in (tmp_path / "report.html").read_text()
    given = ["--k", "2", "--budget", "20", "--seeds", "1", *CHEAP, "--redundancy", "cmim", "--out", str(tmp_path)]
    assert main(["select", str(folder / "t.parquet"), "--label", "state", *given]) == 0
    assert "in the true top" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("label", "options", "said"),
    [
        ("nothing", [], "there is no column 'nothing' for the label"),
        ("state", ["--id", "nobody"], "there is no column 'nobody' for the id"),
        ("state", ["--id", "state"], "'state' cannot be both the label and the id"),
        ("dose", [], "is a number with fractions"),
        ("one", [], "the label 'one' has only 'same': there is nothing to tell apart"),
        ("state", ["--classes", "ill,well"], "the table has labels that are none of the classes"),
        ("state", ["--label-edges", "3"], "the table has labels that are no numbers"),
        ("age", ["--label-edges", "200"], "all labels are of the class 'below 200'"),
        ("state", ["--k", "20"], "k=20 features are wanted"),
        ("state", ["--budget", "1000"], "is more than the 700 rows that have a label"),
        ("state", ["--ignore", "state"], "which is the label and no feature"),
        ("state", ["--sep", ";"], "sep says how a text file is read"),
        ("state", ["--id", "region"], "region"),
    ],
)
def test_what_cannot_be_is_said_as_for_small_tables(
    folder: Path,
    tmp_path: Path,
    large: Any,
    capsys: pytest.CaptureFixture[str],
    label: str,
    options: list[str],
    said: str,
) -> None:
    command = [
        "select",
        str(folder / "t.parquet"),
        "--label",
        label,
        "--k",
        "2",
        "--budget",
        "40",
        "--out",
        str(tmp_path),
    ]
    assert main([*command, *options]) == 2
    small = capsys.readouterr().err
    large()
    assert main([*command, *options]) == 2
    found = capsys.readouterr().err
    assert said in " ".join(small.split()) or "--id" in options
    assert said in " ".join(found.split())


def test_too_many_labels(tmp_path: Path, large: Any, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"name {i}" for i in range(70_000)]
    pq.write_table(pa.table({"name": names, "a": np.arange(70_000) % 3}), tmp_path / "t.parquet")
    large()
    given = ["--k", "1", "--budget", "10", "--out", str(tmp_path)]
    assert main(["select", str(tmp_path / "t.parquet"), "--label", "name", *given]) == 2
    assert "has more than 65,535 different values" in " ".join(capsys.readouterr().err.split())


def test_notes_about_text(tmp_path: Path, large: Any, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{i % 7};{'x' if i == 8 else i % 11};{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["a;b;y", *rows]))
    expected = run(capsys, tmp_path, tmp_path / "t.csv", "y", *CHEAP)
    large()
    found = run(capsys, tmp_path, tmp_path / "t.csv", "y", *CHEAP)
    assert found["notes"] == expected["notes"] and "semicolons" in found["notes"][0]


@pytest.mark.long
def test_memory_of_millions_of_rows(tmp_path: Path, record_property: Any) -> None:
    """No more than libraries, compiler and model need: what grows with the table is on the disk."""
    rng = np.random.default_rng(0)
    writer = None
    for _ in range(10):
        X = rng.integers(0, 10, size=(20, 500_000), dtype=np.int8)
        y = np.where((X[3] > 4) & (X[7] > 2), "ill", "healthy")
        part = pa.table({**{f"f{j}": X[j] for j in range(20)}, "y": y})
        writer = writer or pq.ParquetWriter(tmp_path / "t.parquet", part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()
    given = ["--label", "y", "--k", "2", "--budget", "60", "--seeds", "1", "--json", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "activefs", "select", str(tmp_path / "t.parquet"), *given]
    most, started = 0, time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            most = max(most, _anonymous(process.pid))
            time.sleep(0.05)
        assert process.stdout is not None
        found = json.loads(process.stdout.read())
    assert process.returncode == 0 and found["rows"] == 5_000_000
    assert sorted(found["selection"]["names"]) == ["f3", "f7"]
    record_property("measured", f"select on 5 million x 20: {most / 1e6:.0f} MB, {time.monotonic() - started:.0f} s")
    assert most < 700e6


def _anonymous(pid: int) -> int:
    """Bytes of a process that belong to it alone, as the system counts them."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)
