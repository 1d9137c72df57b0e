"""Workers and schedulers that are killed: questions go on as if nothing had happened, or labels go on elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import dask
import distributed
import numpy as np
import pandas as pd
import pytest
from machines import PATIENCE, wait_until
from platforms import KILLED, go_on, kill, needs_signals, pause

from activefs import Session
from activefs.clusters import start_workers
from activefs.exceptions import ClusterError
from activefs.pool import Cluster, PartitionedPool, Pool, read_pool

dd = pytest.importorskip("dask.dataframe")

ROWS = 4_000
STATEFUL = ("afs", "coreset", "dwus")  # the last two remember something of every row, where it is


def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame({f"f{j}": rng.integers(0, 5, ROWS) for j in range(6)} | {"size": rng.normal(size=ROWS)})


def _is_gone(cluster: Cluster, place: str) -> bool:
    return place not in cluster.client.scheduler_info()["workers"]


def labels(frame: pd.DataFrame) -> list[str]:
    return ["yes" if large else "no" for large in frame["f0"] + frame["f1"] > 4]


class Machines:
    """A scheduler and workers, each a process of its own, without anybody who starts them again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        port = folder / "scheduler.json"
        options = ["--port", "0", "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(port)]
        self.scheduler = self._start("dask_scheduler", *options)
        deadline = time.monotonic() + PATIENCE
        while not port.exists() or '"address"' not in port.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self.address = json.loads(port.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, memory: str = "auto", **environment: str) -> None:
        folder = str(self._folder / f"worker{len(self.workers)}")
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", folder]
        options += ["--memory-limit", memory]
        self.workers.append(self._start("dask_worker", self.address, *options, **environment))

    def _start(self, what: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        command, env = [sys.executable, "-m", f"distributed.cli.{what}", *arguments], {**os.environ, **environment}
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    made.add_worker()
    made.add_worker()
    with distributed.Client(made.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
    yield made
    made.end()


@pytest.fixture
def few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cluster, "NOBODY_SECONDS", 3.0)


def there(address: str) -> Pool:
    return read_pool(dd.from_pandas(table(), npartitions=5), cluster=Cluster.at(address))


def questions(pool: Pool, strategy: str, accidents: dict[int, Callable[[], None]] | None = None) -> list[int]:
    session = Session(pool, 2, strategy=strategy, random_state=1, classes=["no", "yes"], when_certified="continue")
    told = labels(table())
    asked = []
    for i in range(16):
        (accidents or {}).get(i, lambda: None)()
        asked.append(session.ask())
        session.tell(asked[-1], told[asked[-1]])
    return asked


def killed_soon(pid: int) -> None:
    """Stop a process, so that it has not answered yet when it is killed."""
    pause(pid)
    threading.Timer(0.4, kill, (pid,)).start()


@needs_signals
def test_the_other_worker_takes_over(machines: Machines) -> None:
    here, pool = read_pool(table()), there(machines.address)
    assert isinstance(pool, PartitionedPool) and pool.fingerprint == here.fingerprint

    def between() -> None:
        machines.workers[0].kill()
        machines.workers[0].wait()
        machines.add_worker()  # for the next accident

    assert questions(pool, "coreset", {6: between}) == questions(here, "coreset")
    pool.cluster.client.wait_for_workers(2, timeout=PATIENCE)
    assert questions(pool, "afs", {6: lambda: killed_soon(machines.workers[1].pid)}) == questions(here, "afs")
    assert questions(pool, "dwus") == questions(here, "dwus")
    pool.cluster.close()


@needs_signals
def test_workers_that_are_started_again() -> None:
    cluster = Cluster(start_workers(2))
    try:
        pool, here = read_pool(dd.from_pandas(table(), npartitions=5), cluster=cluster), read_pool(table())
        victims = cycle([0, 1])

        def strike(how: Callable[[int], None]) -> Callable[[], None]:
            def now() -> None:
                cluster.client.wait_for_workers(2, timeout=PATIENCE)
                how(sorted(cluster.client.run(os.getpid).values())[next(victims)])

            return now

        between, during = strike(kill), strike(killed_soon)
        for strategy, accident in zip(STATEFUL, (during, between, during), strict=True):
            assert questions(pool, strategy, {7: accident}) == questions(here, strategy), strategy
    finally:
        cluster.close()


def test_a_worker_that_dies_twice_is_not_taken_for_lost() -> None:
    """Dask gives a worker up that is away when it looks, some time after its first death."""
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "2 s"}):  # and is set back afterwards
        cluster = Cluster(start_workers(1))
        try:
            for _ in range(4):  # so often that one of these moments comes while it is away
                cluster.client.wait_for_workers(1, timeout=PATIENCE)
                ((place, pid),) = cluster.client.run(os.getpid).items()
                kill(pid)
                wait_until(partial(_is_gone, cluster, place))
            cluster.client.wait_for_workers(1, timeout=PATIENCE)
            assert len(cluster.client.cluster.workers) == 1
        finally:
            cluster.close()


def test_a_worker_dies_while_the_table_is_encoded(machines: Machines) -> None:
    cluster = Cluster.at(machines.address)

    def slowly(part: pd.DataFrame) -> pd.DataFrame:
        time.sleep(0.3)
        return part

    frame = dd.from_pandas(table(), npartitions=8).map_partitions(slowly)
    threading.Timer(1.0, machines.workers[0].kill).start()
    pool = read_pool(frame, cluster=cluster)
    assert machines.workers[0].wait(timeout=PATIENCE) == KILLED
    assert pool.fingerprint == read_pool(table()).fingerprint
    cluster.close()


@needs_signals
def test_accidents_of_other_days_do_not_count(machines: Machines) -> None:
    """Dask gives up what four workers died of, and never forgets one."""
    pool = there(machines.address)
    assert isinstance(pool, PartitionedPool)
    client = pool.cluster.client

    def three_more(dask_scheduler: Any) -> None:  # as the scheduler counts workers that died while they had a task
        for task in dask_scheduler.tasks.values():
            task.suspicious += 3

    def both_die() -> None:
        client.wait_for_workers(2, timeout=PATIENCE)
        client.run_on_scheduler(three_more)
        first, second = machines.workers[-2:]
        pause(second.pid)  # it is given what the first one had, and dies before it is done
        first.kill()
        threading.Timer(1.0, second.kill).start()
        machines.add_worker()
        machines.add_worker()

    assert questions(pool, "afs", {5: both_die, 10: both_die}) == questions(read_pool(table()), "afs")
    pool.cluster.close()


@pytest.mark.usefixtures("few_seconds")
def test_workers_whose_memory_is_full(machines: Machines) -> None:
    for worker in machines.workers:
        worker.kill()
    machines.add_worker(memory="50MB")
    with distributed.Client(machines.address, set_as_default=False) as client:
        deadline = time.monotonic() + PATIENCE
        while [w["status"] for w in client.scheduler_info(n_workers=-1)["workers"].values()] != ["paused"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        with pytest.raises(ClusterError, match=r"all workers of .* have been paused for 3 seconds, .*memory"):
            there(machines.address)


@pytest.mark.parametrize(
    ("installed", "message"),
    [
        ("raise ModuleNotFoundError(name='activefs')", "has no activefs, but this process has activefs"),
        ("__version__ = '0.0.1'", "has activefs 0.0.1, but this process has activefs"),
    ],
)
def test_workers_without_this_package_are_left_alone(
    machines: Machines, tmp_path: Path, installed: str, message: str
) -> None:
    (tmp_path / "other" / "activefs").mkdir(parents=True)
    (tmp_path / "other" / "activefs" / "__init__.py").write_text(installed)
    machines.add_worker(PYTHONPATH=str(tmp_path / "other"))
    with distributed.Client(machines.address, set_as_default=False) as client:
        client.wait_for_workers(3, timeout=PATIENCE)
        with pytest.raises(ClusterError, match=message):
            there(machines.address)
        assert len(client.scheduler_info(n_workers=-1)["workers"]) == 3


def goes_on_elsewhere(session: Session, path: Path, expected: list[int]) -> None:
    """Labels are kept; the session goes on in memory with the question that would have come."""
    n_labels = session.n_labels
    started = time.monotonic()
    with pytest.raises(ClusterError, match=r"the Dask cluster at tcp.* is gone .*No label is lost: save\(\)"):
        session.ask()
    assert time.monotonic() - started < Cluster.NOBODY_SECONDS + 8
    assert session.n_labels == n_labels and len(session.labels) == n_labels
    session.save(path)
    again = Session.load(path, table())
    assert again.n_labels == n_labels and again.ask() == expected[n_labels]


def begun(address: str, expected: list[int], n_labels: int) -> Session:
    session = Session(
        there(address), 2, strategy="afs", random_state=1, classes=["no", "yes"], when_certified="continue"
    )
    told = labels(table())
    for i in range(n_labels):
        row = session.ask()
        assert row == expected[i]
        session.tell(row, told[row])
    return session


@pytest.mark.usefixtures("few_seconds")
def test_no_worker_comes_back(machines: Machines, tmp_path: Path) -> None:
    expected = questions(read_pool(table()), "afs")
    session = begun(machines.address, expected, 5)
    for worker in machines.workers:
        worker.kill()
    goes_on_elsewhere(session, tmp_path / "session.json", expected)
    # Somebody starts workers, and the same session goes on.
    machines.add_worker()
    assert session.ask() == expected[5]


@pytest.mark.usefixtures("few_seconds")
def test_the_scheduler_is_gone(machines: Machines, tmp_path: Path) -> None:
    expected = questions(read_pool(table()), "afs")
    session = begun(machines.address, expected, 5)
    machines.scheduler.kill()
    machines.scheduler.wait()
    goes_on_elsewhere(session, tmp_path / "session.json", expected)


@needs_signals
@pytest.mark.usefixtures("few_seconds")
def test_the_scheduler_does_not_answer(machines: Machines, tmp_path: Path) -> None:
    expected = questions(read_pool(table()), "afs")
    session = begun(machines.address, expected, 5)
    pause(machines.scheduler.pid)
    goes_on_elsewhere(session, tmp_path / "session.json", expected)
    go_on(machines.scheduler.pid)


# --- the command ---


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "table.csv"
    table()[:600].drop(columns="size").assign(y=labels(table())[:600]).to_csv(path, index=False)
    return path


def select(csv: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    options = ["--label", "y", "--k", "2", "--budget", "20", "--seeds", "1", "--json", "--out", str(out)]
    command = [sys.executable, "-m", "activefs", "select", str(csv), *options, *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_select_on_workers_finds_the_same_and_says_nothing_else(csv: Path, tmp_path: Path) -> None:
    here, there = select(csv, tmp_path), select(csv, tmp_path, "--workers", "2")
    assert (here.returncode, there.returncode) == (0, 0)
    assert here.stdout == there.stdout and here.stderr == there.stderr


def test_nonsense_is_refused_in_a_sentence(csv: Path, tmp_path: Path) -> None:
    for more, message in (
        (["--workers", "0"], "--workers must be at least 1; got 0"),
        (["--workers", "2", "--cluster", "tcp://127.0.0.1:9"], "give either --cluster ADDRESS or --workers N"),
        (["--cluster", "nonsense"], "no dask scheduler answers at nonsense"),
    ):
        found = select(csv, tmp_path, *more)
        assert found.returncode in (1, 2) and message in found.stderr and found.stderr.count("\n") == 1
