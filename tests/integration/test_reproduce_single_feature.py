"""`activefs reproduce single-feature` as a person runs it."""

import csv
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from platforms import KILLED, needs_signals
from real_data import need
from stopped import stopped

from activefs.allocation import available
from activefs.cli import main

COMMITTED = Path(__file__).parents[2] / "docs" / "results" / "single-feature"
COLUMNS = ["experiment", "q", "p", "budget", "policy", "mean_error", "ci_low", "ci_high", "wins", "clear_wins"]
QUICK = ["--experiments", "uniform", "--repetitions", "50", "--budgets", "5,10"]


def command(out, *more):
    return ["reproduce", "single-feature", "--out", str(out), *more]


def read(path):
    with Path(path).open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    out = tmp_path_factory.mktemp("quick")
    assert main(command(out, *QUICK, "--jobs", "1")) == 0
    return out


def test_files_and_columns(quick):
    rows = read(quick / "summary.csv")
    assert list(rows[0]) == COLUMNS
    assert len(rows) == 25 * 2 * 9
    assert [row["policy"] for row in rows[:9]] == available()
    assert all(float(r["ci_low"]) <= float(r["mean_error"]) <= float(r["ci_high"]) for r in rows)
    assert all(int(r["clear_wins"]) <= int(r["wins"]) for r in rows)
    assert abs(sum(map(float, rows[-1]["p"].split())) - 1) < 1e-8
    assert {p.name for p in (quick / "tables").iterdir()} >= {"uniform-5.md", "uniform-10.tex", "wins.md"}


def test_bold_marks_the_winners(quick):
    rows = [r for r in read(quick / "summary.csv") if r["budget"] == "5"]
    lines = [line for line in (quick / "tables" / "uniform-5.md").read_text().splitlines() if "±" in line]
    assert len(lines) == 25
    for i, line in enumerate(lines):
        cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
        assert [cell.startswith("**") for cell in cells] == [r["wins"] == "1" for r in rows[9 * i : 9 * i + 9]]


def test_two_processes_give_the_same_numbers(quick, tmp_path, capsys):
    assert main(command(tmp_path, *QUICK, "--jobs", "2")) == 0
    assert (tmp_path / "summary.csv").read_bytes() == (quick / "summary.csv").read_bytes()
    assert str(tmp_path / "report.md") in capsys.readouterr().out


def test_as_released_swaps_the_definitions(quick):
    before = (quick / "summary.csv").read_bytes(), (quick / "summary-as-released.csv").read_bytes()
    assert main(command(quick, *QUICK, "--as-released")) == 0
    rows = read(quick / "summary.csv")
    by_policy = {name: [r["mean_error"] for r in rows if r["policy"] == name] for name in available()}
    assert by_policy["VAR-H"] == by_policy["I-H"] == by_policy["PROP"]
    assert (quick / "summary.csv").read_bytes() == before[1]
    assert (quick / "summary-paper.csv").read_bytes() == before[0]
    assert main(command(quick, *QUICK)) == 0
    assert (quick / "summary.csv").read_bytes() == before[0]


@needs_signals
def test_a_killed_run_is_taken_up(quick, tmp_path):
    code, _ = stopped(command(tmp_path, *QUICK, "--jobs", "1"), 3, -KILLED)
    assert code == KILLED
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("items/*/*.parquet")}
    assert len(kept) == 3 and not (tmp_path / "summary.csv").exists()
    assert main(command(tmp_path, *QUICK)) == 0
    now = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("items/*/*.parquet")}
    assert len(now) == 75 and kept.items() <= now.items()  # what was kept was not computed again
    assert (tmp_path / "summary.csv").read_bytes() == (quick / "summary.csv").read_bytes()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--experiments", "everything"], "unknown experiments 'everything'"),
        (["--repetitions", "1"], "repetitions must be at least 2"),
        (["--jobs", "0"], "jobs must be at least 1"),
        (["--seed", "-1"], "seed"),
        (["--budgets", "100,50"], "budgets must be"),
        (["--budgets", "many"], "budgets must be"),
    ],
)
def test_wrong_use_is_told_before_any_computing(tmp_path, capsys, monkeypatch, more, told):
    monkeypatch.setattr("activefs.experiments.single_feature._items.measure", lambda *_: pytest.fail("computing"))
    assert main(command(tmp_path / "out", *more)) == 2
    error = capsys.readouterr().err
    assert told in error and "Traceback" not in error


def test_a_folder_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(command(tmp_path / "file" / "out")) == 2
    assert "cannot write to the folder" in capsys.readouterr().err


def test_missing_data_is_an_error_if_asked_for_and_a_warning_if_not(tmp_path, capsys, monkeypatch):
    def missing(seed):
        from activefs.exceptions import DataSetError

        raise DataSetError("ADULT is not here.")

    monkeypatch.setitem(import_module("activefs.cli._reproduce_single_feature").GROUPS, "adult", missing)
    assert main(command(tmp_path, "--experiments", "adult")) == 1
    assert "adult experiments cannot run: ADULT is not here" in capsys.readouterr().err
    assert main(command(tmp_path, "--repetitions", "2", "--budgets", "2")) == 0
    assert "adult experiments are left out" in capsys.readouterr().err
    assert len(read(tmp_path / "summary.csv")) == (25 + 95) * 9


def test_adult_has_fourteen_features():
    need("ADULT")
    from activefs.experiments.single_feature import adult_experiments

    found = adult_experiments()
    assert len(found) == 14 and all(abs(sum(e.p) - 1) < 1e-9 for e in found)


# --- the committed result ---


def test_committed_summary_is_complete():
    rows = read(COMMITTED / "summary.csv")
    assert list(rows[0]) == COLUMNS
    assert len(rows) == (25 + 95 + 14) * 4 * 9
    assert len(list((COMMITTED / "tables").glob("*.tex"))) == 16 + 1


@pytest.mark.parametrize("group", ["uniform", "fixed"])
def test_committed_i_cp_has_the_most_clear_wins(group):
    rows = [r for r in read(COMMITTED / "summary.csv") if r["experiment"].startswith(group)]
    for budget in ("50", "100", "300", "500"):
        clear = {
            n: sum(int(r["clear_wins"]) for r in rows if (r["policy"], r["budget"]) == (n, budget)) for n in available()
        }
        assert all(clear["I-CP"] > count for name, count in clear.items() if name != "I-CP"), (budget, clear)


def test_a_small_rerun_agrees_with_the_committed_figures(tmp_path):
    assert main(command(tmp_path, "--experiments", "uniform", "--repetitions", "100", "--seed", "0")) == 0
    key = ("experiment", "q", "p", "budget", "policy")
    committed = {tuple(r[k] for k in key): r for r in read(COMMITTED / "summary.csv")}
    small = read(tmp_path / "summary.csv")
    assert len(small) == 25 * 4 * 9
    there = [committed[tuple(r[k] for k in key)] for r in small]
    gap = np.array([float(a["mean_error"]) - float(b["mean_error"]) for a, b in zip(small, there, strict=True)])
    half = np.array([float(r["ci_high"]) - float(r["ci_low"]) for r in small]) / 2
    assert np.mean(np.abs(gap) <= half) > 0.85  # 95% intervals; policies share labels, so misses come in groups
    assert np.max(np.abs(gap) / half) < 3
