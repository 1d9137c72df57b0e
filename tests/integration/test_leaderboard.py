"""`activefs leaderboard` as a user runs it."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from activefs.cli import main
from activefs.exceptions import DataSetError, InvalidInputError
from activefs.experiments.leaderboard import (
    LeaderboardSettings,
    LeaderboardShard,
    choices,
    named,
    parts_of,
    plan_work,
    runs_of,
)
from activefs.experiments.leaderboard._items import EstimationResult, LabellingResult
from activefs.runs import Source, Store


def command(out: Path, *more: str) -> list[str]:
    small = ["--datasets", "WINE0,SMALL", "--runs", "2", "--budget", "30", "--k", "2", "--jobs", "1"]
    return ["leaderboard", "--out", str(out), *small, *more]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("leaderboard") / "out"
    assert main(command(out)) == 0
    return out


def test_everything_is_written(finished: Path) -> None:
    board = rows_of(finished / "leaderboard.csv")
    head = ["dataset", "k", "choice", "estimate", "labels", "mean_gap", "ci_low", "ci_high", "runs", "blind_gap"]
    assert list(board[0]) == head and all(float(r["blind_gap"]) > 0 for r in board)
    assert {r["dataset"] for r in board} == {"WINE0", "SMALL"} and {r["labels"] for r in board} == {"25"}
    entries = {(r["choice"], r["estimate"]) for r in board}
    both = {"random", "afs", "coreset", "dwus", "uncertainty", "assisted"}
    assert entries == {(c, e) for c in both for e in ("plug-in", "assisted")} | {("afs (pool floor)", "plug-in")}
    assert all(float(r["mean_gap"]) >= 0 and r["runs"] == "2" for r in board)
    doubts = rows_of(finished / "uncertainty.csv")
    assert list(doubts[0]) == ["dataset", "k", "labels", "run", "coverage", "expected_gap", "true_gap", "informative"]
    assert len(doubts) == 2 * 2 and all(0 <= float(r["coverage"]) <= 1 for r in doubts)
    speeds = rows_of(finished / "speed.csv")
    assert len(speeds) == 2 * 7 and all(float(r["seconds_per_label"]) > 0 for r in speeds)
    names = {"report.md", "table.md", "leaderboard.png", "relative.png", "datasets.png", "expected.png"}
    assert names <= {path.name for path in finished.iterdir()}
    assert not (finished / "tables.png").exists()  # none was run
    report = (finished / "report.md").read_text()
    for title in ("## Traps", "## Targets", "## Speed", "## What the assisted estimate says about itself"):
        assert title in report


def test_a_strategy_that_is_not_among_them_by_default(tmp_path: Path) -> None:
    assert main(command(tmp_path / "out", "--strategies", "random,avg-all", "--datasets", "WINE0")) == 0
    entries = {(r["choice"], r["estimate"]) for r in rows_of(tmp_path / "out" / "leaderboard.csv")}
    assert entries == {(c, e) for c in ("random", "avg-all") for e in ("plug-in", "assisted")}


def test_public_tables_in_both_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(208, 60)).round(3), rng.integers(0, 2, size=208)
    X[:, 3] += 2 * y
    lines = ["\t".join([*(f"A{j}" for j in range(60)), "class"])]
    lines += ["\t".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "sonar.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    monkeypatch.setenv("ACTIVEFS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))
    wanted = ["--datasets", "WINE0,sonar,SONAR-shuffled,CHURN", "--strategies", "random,afs,assisted", "--k", "5,20"]
    out = tmp_path / "out"
    assert main(command(out, *wanted)) == 0
    said = capsys.readouterr().out
    assert "Note: CHURN is left out: not on this machine" in said
    assert "Note: k=20 is left out on SONAR, SONAR-SHUFFLED, CHURN" in said
    blind = {(r["dataset"], r["k"], r["blind_gap"]) for r in rows_of(out / "leaderboard.csv")}
    assert {(name, k) for name, k, _ in blind} == {("WINE0", "5"), ("SONAR", "5"), ("SONAR-SHUFFLED", "5")}
    assert len({gap for name, _, gap in blind if name != "WINE0"}) == 1  # both readings have the same truth
    assert (out / "tables.png").exists() and (out / "datasets.png").exists()
    report = (out / "report.md").read_text()
    assert "WINE0, every set counting alike" in report.split("##")[0]
    assert "| SONAR 5 |" in report.split("## Public tables")[1].split("##")[0]


def test_a_rerun_computes_nothing(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in (finished / "items").rglob("*.parquet")}
    numbers = (finished / "leaderboard.csv").read_bytes()
    assert main(command(finished)) == 0
    assert " 0 of them computed now" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert (finished / "leaderboard.csv").read_bytes() == numbers


def test_lost_estimates_are_made_again_from_the_same_labels(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = (finished / "leaderboard.csv").read_bytes()
    lost = next((finished / "items" / "WINE0" / "afs").rglob("*assisted*.parquet"))
    lost.unlink()
    assert main(command(finished, "--jobs", "2")) == 0
    assert " 1 of them computed now" in capsys.readouterr().out
    assert (finished / "leaderboard.csv").read_bytes() == numbers


def test_a_readme_shows_table_and_picture(finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Title\n\n<!-- leaderboard -->\nold\n<!-- /leaderboard -->\n\nRest\n")
    assert main(command(finished, "--readme", str(readme))) == 0
    text = readme.read_text()
    assert text.startswith("# Title\n") and text.endswith("\n\nRest\n") and "old" not in text
    assert "leaderboard.png)" in text and "| assisted | assisted |" in text
    readme.write_text("no marks")
    assert main(command(finished, "--readme", str(readme))) == 2
    assert "<!-- leaderboard -->" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--strategies", "random,magic"], "there is no strategy 'magic'"),
        (["--datasets", "IRIS"], "there is no data set 'IRIS'"),
        (["--k", "two"], "--k must be whole numbers"),
        (["--k", "500"], "nothing to run"),
        (["--budget", "10"], "budget must be at least 25"),
        (["--jobs", "0"], "--jobs must be at least 1"),
        (["--out", f"{__file__}/none"], "--out"),
    ],
)
def test_wrong_use_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: list[str], words: str
) -> None:
    assert main(command(tmp_path, *change)) == 2
    said = capsys.readouterr().err
    assert words in said and len(said.splitlines()) <= 2


def test_a_data_set_that_cannot_be_had_is_left_out_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(source: Source) -> None:
        if source.name == "ADULT":
            raise DataSetError("its files are nowhere")

    monkeypatch.setattr("activefs.experiments.leaderboard._plan.load", absent)
    settings = LeaderboardSettings((named("ADULT"), named("SMALL")), choices("random"), (5,), 1, 25)
    kept, work = plan_work(settings, Store(tmp_path), here=True)
    assert kept.datasets == ("SMALL",) and work.notes == ["ADULT is left out: its files are nowhere"]
    with pytest.raises(InvalidInputError, match="nowhere"):
        plan_work(LeaderboardSettings((named("ADULT"),), choices("random"), (5,), 1, 25), Store(tmp_path), here=True)


def test_labels_of_a_run_serve_all_k_unless_the_choice_depends_on_k(tmp_path: Path) -> None:
    settings = LeaderboardSettings((named("SMALL"),), choices("random,afs"), (5, 10), 3, 50)
    _, work = plan_work(settings, Store(tmp_path), here=True)
    by_line: dict[str, int] = {}
    for shard in work.shards:
        name = shard.items[0].item.line.name
        by_line[name] = by_line.get(name, 0) + 1
    assert by_line == {"random": 3, "afs": 6, "afs (pool floor)": 6}
    assert work.missing == work.items == 2 * 3 + 2 * 6 + 6  # the pool floor goes without assisted estimates


def test_kept_items_come_back_as_they_were(tmp_path: Path) -> None:
    settings = LeaderboardSettings((named("WINE1"),), choices("assisted"), (2,), 1, 25)
    item = runs_of(settings, settings.sources[0], settings.lines[0], 2)[0]
    labelling, estimation = parts_of(settings, item)
    assert estimation is not None
    labelled, estimated = LeaderboardShard((labelling, estimation)).run()
    assert isinstance(labelled, LabellingResult) and isinstance(estimated, EstimationResult)
    store = Store(tmp_path)
    store.save(labelling, labelled)
    store.save(estimation, estimated)
    for back, made in ((store.load(labelling), labelled), (store.load(estimation), estimated)):
        for name, value in vars(made).items():
            assert np.array_equal(getattr(back, name), value, equal_nan=True)
