"""`activefs reproduce baselines|...|all` as a user runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from machines import PATIENCE
from platforms import needs_limits, needs_signals
from stopped import stopped

from activefs.cli import main

TABLE_ROWS = 150


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(TABLE_ROWS, 12))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(scale=0.7, size=TABLE_ROWS) > 2, "ill", "well")
    lines = [",".join([*map(str, x), label]) for x, label in zip(X, y, strict=True)]
    path = tmp_path_factory.mktemp("table") / "clinic.csv"
    path.write_text(",".join([*(f"f{j}" for j in range(12)), "state"]) + "\n" + "\n".join(lines) + "\n")
    return path


def command(plan: str, table: Path, out: Path, *more: str) -> list[str]:
    small = ["--runs", "3", "--budget", "40", "--k", "5", "--jobs", "2"]
    return ["reproduce", plan, "--table", f"{table}:state", "--out", str(out), *small, *more]


def in_process(arguments: list[str], **options: Any) -> subprocess.Popen[str]:
    code = "import sys; from activefs.cli import main; sys.exit(main(sys.argv[1:]))"
    process: subprocess.Popen[str] = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, **options,
    )  # fmt: skip
    return process


def items(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in (out / "items").rglob("*.parquet")}


def test_all_writes_everything_and_a_rerun_computes_nothing(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--runs", "2", "--budget", "25"]
    assert main(command("all", table, tmp_path, *few)) == 0
    told = capsys.readouterr()
    assert "Claims of the paper" in told.out and str(tmp_path / "report.md") in told.out
    assert told.err == ""  # not a terminal: no progress bar
    pictures = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.png")}
    plans = ("baselines", "ablations", "aggregations", "safeguards")
    assert pictures == {f"{plan}/{name}.png" for plan in plans for name in ("clinic-k5", "overview")}
    summary = (tmp_path / "summary.csv").read_text().splitlines()
    assert summary[0] == "dataset,k,strategy,budget,mean_gap,ci_low,ci_high,runs"
    assert {row.split(",")[2] for row in summary[1:]} >= {"AFS", "AFS (pool floor)", "RANDOM", "CORESET", "DWUS"}
    curves = pq.read_table(tmp_path / "curves.parquet")
    assert set(curves.column("labels").to_pylist()) == set(range(1, 26))
    assert "## Table of claims" in (tmp_path / "report.md").read_text()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "items").rglob("*.parquet")}
    assert main(command("all", table, tmp_path, *few)) == 0
    assert " 0 of them computed now" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in before} == before
    # One plan of them needs nothing new either, and the tables still cover all.
    assert main(command("ablations", table, tmp_path, *few)) == 0
    assert " 0 of them computed now" in capsys.readouterr().out
    assert "DWUS" in (tmp_path / "summary.csv").read_text()


def test_number_of_processes_does_not_change_the_numbers(table: Path, tmp_path: Path) -> None:
    assert main(command("aggregations", table, tmp_path / "two")) == 0
    assert main(command("aggregations", table, tmp_path / "one", "--jobs", "1")) == 0
    assert main(command("aggregations", table, tmp_path / "other", "--seed", "1")) == 0
    assert items(tmp_path / "two") == items(tmp_path / "one")
    names = ("summary.csv", "report.md", "curves.parquet")
    for name in names:
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert (tmp_path / "two" / "summary.csv").read_text() != (tmp_path / "other" / "summary.csv").read_text()


def test_more_runs_keep_the_earlier_ones(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command("baselines", table, tmp_path)) == 0
    first = items(tmp_path)
    assert main(command("baselines", table, tmp_path, "--runs", "4")) == 0
    later = items(tmp_path)
    assert {name: later[name] for name in first} == first
    assert len(later) == len(first) // 3 * 4
    assert f"{len(later)} work items, {len(later) - len(first)} of them" in capsys.readouterr().out


@needs_signals
def test_ctrl_c_keeps_finished_items_and_the_rerun_ends_as_if_nothing_happened(table: Path, tmp_path: Path) -> None:
    arguments = command("baselines", table, tmp_path / "cut")
    code, said = stopped(arguments, 3, signal.SIGINT)
    assert code == 130
    assert said.startswith("interrupted: finished work items are kept") and len(said.splitlines()) == 1
    kept = items(tmp_path / "cut")
    assert len(kept) == 3 and not (tmp_path / "cut" / "summary.csv").exists()
    assert main([*arguments, "--jobs", "1"]) == 0
    whole = items(tmp_path / "cut")
    assert kept.items() <= whole.items() and len(whole) == 5 * 3


@needs_limits
def test_a_full_disk_is_told_and_the_run_goes_on_later(table: Path, tmp_path: Path) -> None:
    def nearly_full() -> None:  # the system refuses files beyond this size, as a full disk refuses any
        if sys.platform != "win32":
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

    arguments = command("baselines", table, tmp_path, "--jobs", "1")
    # The cache of compiled kernels is full of larger files; reading them is not affected.
    # Whoever measures coverage could not write either, and would say so.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    running = in_process(arguments, preexec_fn=nearly_full, env=env)
    said, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    assert "the disk is full" in said and "run the same command again" in said and "Traceback" not in said
    assert not [p for p in tmp_path.rglob(".*") if p.is_file() and p.name != ".gitignore"]
    assert main(arguments) == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--datasets", "IRIS"], "there is no data set 'IRIS'"),
        (["--k", "1,x"], "--k must be whole numbers"),
        (["--runs", "0"], "runs must be at least 1"),
        (["--budget", "151"], "more than the 150 rows of clinic"),
        (["--jobs", "0"], "--jobs must be at least 1"),
        (["--table", "nothing.csv:y"], "there is no file"),
        (["--out", f"{__file__}/none"], "--out"),
        (["--estimator", "x"], "--estimator must be 'plug-in' or 'assisted', got 'x'"),
    ],
)
def test_wrong_use_is_told_in_a_line(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: list[str], words: str
) -> None:
    assert main(command("baselines", table, tmp_path, *change)) == 2
    said = capsys.readouterr().err
    assert words in said and len(said.splitlines()) <= 2


def test_peers_of_scikit_activeml_stand_in_the_same_table(table: Path, tmp_path: Path) -> None:
    small = ["--runs", "1", "--budget", "6", "--k", "5", "--peers"]
    assert main(command("baselines", table, tmp_path, *small)) == 0
    summary = (tmp_path / "summary.csv").read_text()
    for name in ("UncertaintySampling", "QueryByCommittee", "TypiClust", "CoreSet"):
        assert f"skactiveml {name}" in summary


def test_the_assisted_estimate_goes_with_every_choice(table: Path, tmp_path: Path) -> None:
    few = ["--runs", "1", "--budget", "15"]
    assert main(command("baselines", table, tmp_path, *few)) == 0
    by_labels, kept = (tmp_path / "summary.csv").read_text(), items(tmp_path)
    assert main(command("baselines", table, tmp_path, *few, "--estimator", "assisted")) == 0
    by_model = (tmp_path / "summary.csv").read_text()
    assert len(by_model.splitlines()) == len(by_labels.splitlines()) and by_model != by_labels
    report = (tmp_path / "report.md").read_text()
    assert "Not the paper's estimates" in report and "--estimator assisted --out DIR" in report
    both = items(tmp_path)
    assert len(both) == 2 * len(kept) and kept.items() <= both.items()
    assert main(command("baselines", table, tmp_path, *few)) == 0  # back to the paper's, from what was kept
    assert (tmp_path / "summary.csv").read_text() == by_labels and items(tmp_path) == both
