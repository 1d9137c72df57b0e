"""The same work items on a real dask cluster, one of whose workers is killed during the run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pytest
from machines import PATIENCE
from platforms import KILLED

from activefs.cli import main
from activefs.runs import Store


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    # Without a nanny a dead worker stays dead: the other one has to do its work.
    with distributed.LocalCluster(
        n_workers=0, processes=True, dashboard_address=None, host="127.0.0.1", silence_logs=50
    ) as made:
        yield made


def start_worker(address: str, folder: Path) -> subprocess.Popen[bytes]:
    options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder)]
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", address, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def table(folder: Path) -> Path:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, size=(400, 30))
    y = (X[:, 0] + X[:, 1] > 3).astype(int)
    np.savetxt(folder / "body.csv", np.column_stack([X, y]), fmt="%d", delimiter=",")
    path = folder / "plant.csv"
    path.write_text(",".join([*(f"f{j}" for j in range(30)), "y"]) + "\n" + (folder / "body.csv").read_text())
    return path


def items(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in (out / "items").rglob("*.parquet")}


@pytest.mark.long
def test_a_worker_is_killed_and_the_result_is_complete_and_the_same(
    cluster: distributed.LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = cluster.scheduler_address
    workers = [start_worker(address, tmp_path / f"worker{i}") for i in range(2)]
    try:
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        common = ["--table", f"{table(tmp_path)}:y", "--runs", "10", "--budget", "120", "--k", "5"]
        out = tmp_path / "cluster"
        kept: list[object] = []
        save = Store.save

        def save_and_kill(self: Store, piece: Any, result: object) -> None:
            save(self, piece, result)
            kept.append(piece)
            if len(kept) == 4:  # in the middle: the others are waiting, or being computed
                workers[0].kill()

        with monkeypatch.context() as patch:
            patch.setattr(Store, "save", save_and_kill)
            assert main(["reproduce", "baselines", *common, "--out", str(out), "--scheduler", address]) == 0
        assert workers[0].wait(timeout=PATIENCE) == KILLED
        assert workers[1].poll() is None
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    found = items(out)
    assert 4 < len(kept) == len(found)  # each once
    here = tmp_path / "here"
    assert main(["reproduce", "baselines", *common, "--out", str(here), "--jobs", "1"]) == 0
    assert found == items(here)
    assert (out / "summary.csv").read_bytes() == (here / "summary.csv").read_bytes()


def test_the_leaderboard_on_a_cluster(cluster: distributed.LocalCluster, tmp_path: Path) -> None:
    common = ["--datasets", "WINE0", "--strategies", "random,assisted", "--runs", "2", "--budget", "30", "--k", "2"]
    worker = start_worker(cluster.scheduler_address, tmp_path / "worker")
    out, here = tmp_path / "cluster", tmp_path / "here"
    try:
        assert main(["leaderboard", *common, "--out", str(out), "--scheduler", cluster.scheduler_address]) == 0
    finally:
        worker.kill()
        worker.wait()
    assert main(["leaderboard", *common, "--out", str(here), "--jobs", "1"]) == 0
    assert (out / "leaderboard.csv").read_bytes() == (here / "leaderboard.csv").read_bytes()


def test_no_scheduler_at_the_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--table", f"{table(tmp_path)}:y", "--runs", "1", "--budget", "5", "--k", "5", "--out", str(tmp_path)]
    assert main(["reproduce", "baselines", *arguments, "--scheduler", "nonsense"]) == 1
    assert "no dask scheduler answers at nonsense" in capsys.readouterr().err
