"""Speed of AFS and of assisted selection, as tables: `make bench`.

For AFS, each row compares the time per label (question and answer) with a bare loop that does nothing but the
look-ups that the score needs, in the same process on one thread. The paper's data sets are used where they are
found (ACTIVEFS_DATA_DIR or the cache; `activefs datasets fetch` brings them); otherwise synthetic tables of the
same shapes stand in. Assisted selection is compared with AFS in the same run.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.preprocessing import KBinsDiscretizer
from threadpoolctl import threadpool_limits

from activefs import Pool, Session, caches, datasets
from activefs._kernels.jit import kernel
from activefs.exceptions import DataSetError
from activefs.model import Assistant
from activefs.pool import RowScores
from activefs.strategies import AFS, State, Strategy
from activefs.types import Ints
from earlier import source_at
from start import bench_start

SETS = ("BASEHOCK", "PCMAC", "RELATHE", "MUSK", "MNIST01", "MNIST35", "MNIST46")
SHAPES = {"BASEHOCK": (1993, 4862), "PCMAC": (1943, 3289), "RELATHE": (1427, 4322), "MUSK": (6598, 166),
          "MNIST01": (14780, 618), "MNIST35": (13454, 640), "MNIST46": (13700, 646)}  # fmt: skip

RELEASE_0_1 = "fcd3ddd89c0ef8c24419dad60235555c0d2e6db4"


class RecordingAFS(AFS):
    """AFS without the safeguard, so that every question is scored; it notes the contested features."""

    def __init__(self, **params: Any) -> None:
        super().__init__(safeguard=None, **params)
        self.contested: list[Ints] = []

    def row_scores(self, state: State, features: Ints) -> RowScores:
        """Note the features, then score as AFS does."""
        self.contested.append(features)
        return super().row_scores(state, features)


@kernel
def bare_loop(codes: np.ndarray, tables: np.ndarray, out: np.ndarray) -> None:
    """One look-up per row and pair of features, nothing else."""
    features, rows = codes.shape
    for block in range(0, rows, 1024):
        end = min(block + 1024, rows)
        p = 0
        for a in range(features):
            for b in range(a + 1, features):
                for i in range(block, end):
                    out[i] += tables[p, codes[a, i], codes[b, i]]
                p += 1


def bare_seconds_per_look_up(pool: Pool, features: np.ndarray) -> float:
    codes = np.ascontiguousarray(pool.codes[features])
    size = int(pool.cardinalities[features].max())
    pairs = features.size * (features.size - 1) // 2
    tables = np.random.default_rng(0).random((pairs, size, size))
    out = np.zeros(pool.n_rows)
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        bare_loop(codes, tables, out)
        best = min(best, time.perf_counter() - start)
    return best / (pairs * pool.n_rows)


def table_of(name: str) -> tuple[Pool, np.ndarray, str]:
    try:
        found = datasets.load(name)
        return Pool.from_table(found.X, binning="none"), found.y.astype(int), name
    except DataSetError:
        rows, columns = SHAPES[name]
        rng = np.random.default_rng(0)
        X = rng.integers(0, 10, size=(rows, columns)).astype(np.uint8)
        if columns > 1000:
            X = np.where(rng.random(X.shape) < 0.02, X, 0).astype(np.uint8)
        y = (X[:, :5].sum(axis=1) + rng.integers(0, 10, rows) > np.median(X[:, :5].sum(axis=1)) + 5).astype(int)
        return Pool.from_table(X), y, f"synthetic {rows}x{columns}"


def run(
    pool: Pool, y: np.ndarray, k: int, budget: int, strategy: str | Strategy, n_jobs: int = 1
) -> tuple[list[int], float]:
    session = Session(pool, k, strategy=strategy, budget=budget, when_certified="continue", random_state=0,
                      n_jobs=n_jobs)  # fmt: skip
    rows = []
    start = time.perf_counter()
    while not session.finished:
        row = session.ask()
        session.tell(row, int(y[row]))
        rows.append(row)
    return rows, time.perf_counter() - start


def bench_sets(k: int, budget: int) -> None:
    print(f"\n## Seven data sets, k={k}, {budget} labels\n")
    print("| data | ms/label, 1 thread | look-ups/label | ratio to bare loop | whole run, 1 thread | "
          "whole run, 2 threads | same rows | AFS with safeguard, 2 threads |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|")
    for name in SETS:
        pool, y, title = table_of(name)
        run(pool, y, k, 5, "afs")  # compile, fill tables
        recorder = RecordingAFS()
        rows, seconds = run(pool, y, k, budget, recorder)
        look_ups = sum(f.size * (f.size - 1) // 2 for f in recorder.contested) * pool.n_rows
        widest = max(recorder.contested, key=len)
        ratio = seconds / (look_ups * bare_seconds_per_look_up(pool, widest))
        rows2, seconds2 = run(pool, y, k, budget, RecordingAFS(), n_jobs=2)
        _, seconds_afs = run(pool, y, k, budget, "afs", n_jobs=2)
        print(f"| {title} | {1e3 * seconds / budget:.2f} | {look_ups / budget / 1e6:.2f} million | {ratio:.2f} | "
              f"{seconds:.1f} s | {seconds2:.1f} s | {'yes' if rows == rows2 else 'NO'} | {seconds_afs:.1f} s |",
              flush=True)  # fmt: skip


def bench_classes(k: int = 20, budget: int = 60) -> None:
    print(f"\n## Ten classes against two, all digits of MNIST, k={k}, {budget} labels, one thread\n")
    try:
        found = datasets.load("MNIST")
        X, digits = found.X, found.y.astype(int)
        title = f"MNIST, {len(X):,} rows"
    except DataSetError:
        rng = np.random.default_rng(0)
        X = rng.integers(0, 10, size=(70_000, 719)).astype(np.uint8)
        digits = (X[:, 0] + rng.integers(0, 3, len(X))) % 10
        title = "synthetic 70,000x719"
    pool = Pool.from_table(X)
    print("| data | classes | ms/label | look-ups/label | ratio to bare loop | times two classes |")
    print("|---|---|---|---|---|---|")
    base = None
    for classes, y in ((2, (digits >= 5).astype(int)), (10, digits)):
        run(pool, y, k, 5, "afs")
        recorder = RecordingAFS()
        _, seconds = run(pool, y, k, budget, recorder)
        look_ups = sum(f.size * (f.size - 1) // 2 for f in recorder.contested) * pool.n_rows
        ratio = seconds / (look_ups * bare_seconds_per_look_up(pool, max(recorder.contested, key=len)))
        base = base or seconds
        print(f"| {title} | {classes} | {1e3 * seconds / budget:.1f} | {look_ups / budget / 1e6:.1f} million | "
              f"{ratio:.2f} | {seconds / base:.2f} |", flush=True)  # fmt: skip


def bench_redundancy(k: int = 20, budget: int = 200) -> None:
    print(f"\n## Redundancy rules, k={k}, {budget} labels, one thread: seconds of a whole selection\n")
    pool, y, title = table_of("BASEHOCK")
    print("| data | " + " | ".join(("none", "mrmr", "jmi", "cmim")) + " |\n|---|---|---|---|---|")
    cells = []
    for rule in ("none", "mrmr", "jmi", "cmim"):
        for _ in range(2):  # the second run has everything compiled
            start = time.perf_counter()
            session = Session(pool, k, strategy="afs", redundancy=rule, budget=budget, random_state=0)
            while not session.finished:
                row = session.ask()
                session.tell(row, int(y[row]))
            seconds = time.perf_counter() - start
        cells.append(f"{seconds:.2f}")
    print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


def bench_million(rows: int = 1_000_000, columns: int = 100, k: int = 20) -> None:
    print(f"\n## {rows:,} rows, {columns} features of 10 values, k={k}\n")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, size=(rows, columns), dtype=np.int8)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 10, rows) > 13).astype(int)
    tracemalloc.start()
    start = time.perf_counter()
    pool = Pool.from_table(X)
    print(f"- encoding: {time.perf_counter() - start:.1f} s")
    for jobs in (1, 2):
        recorder = RecordingAFS()
        session = Session(pool, k, strategy=recorder, random_state=0, n_jobs=jobs)
        times = []
        for _ in range(12):
            start = time.perf_counter()
            row = session.ask()
            times.append(time.perf_counter() - start)
            session.tell(row, int(y[row]))
        pairs = recorder.contested[-1].size * (recorder.contested[-1].size - 1) // 2
        print(f"- ask, {jobs} thread(s): first {times[0]:.2f} s, median {np.median(times):.2f} s, "
              f"largest {max(times):.2f} s ({pairs} pairs)", flush=True)  # fmt: skip
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"- memory above the input, at its peak: {peak / (rows * columns):.2f} bytes per cell")


def bench_reals(rows: int = 100, columns: int = 20_000, some: int = 200) -> None:
    print(f"\n## {columns:,} real columns x {rows} rows, one thread: encoding, beside scikit-learn's k-means bins\n")
    X = np.random.default_rng(0).normal(size=(rows, columns))
    Pool.from_table(X[:, :some])  # compile
    start = time.perf_counter()
    pool = Pool.from_table(X)
    now = (time.perf_counter() - start) / columns
    with threadpool_limits(1):
        start = time.perf_counter()
        theirs = KBinsDiscretizer(n_bins=10, encode="ordinal", strategy="kmeans", subsample=None)
        bins = theirs.fit_transform(X[:, :some])
        before = (time.perf_counter() - start) / some
    print("| us per column, scikit-learn | us per column, the pool with everything | ratio | all columns | same bins |")
    print("|---|---|---|---|---|")
    same = "yes" if np.array_equal(bins.T, pool.codes[:some]) else "NO"
    print(f"| {1e6 * before:.0f} | {1e6 * now:.0f} | {now / before:.3f} | {now * columns:.1f} s | {same} |", flush=True)


def timed_questions(
    pool: Pool, y: np.ndarray, k: int, budget: int, strategy: str, n_jobs: int = 1
) -> tuple[float, np.ndarray, float]:
    """Seconds until the session is made (nothing of the table is in the cache), and of each question."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {caches.FOLDER_VARIABLE: folder}):
        start = time.perf_counter()
        session = Session(pool, k, strategy=strategy, budget=budget, when_certified="continue", random_state=0,
                          n_jobs=n_jobs)  # fmt: skip
        made = time.perf_counter() - start
    asking = []
    while not session.finished:
        start = time.perf_counter()
        row = session.ask()
        asking.append(time.perf_counter() - start)
        session.tell(row, int(y[row]))
    start = time.perf_counter()
    session.selection()
    return made, np.array(asking), time.perf_counter() - start


PREPARED = {"Adult's shape, 32,561x14": (32_561, [16, 9, 7, 15, 6, 5, 2, 40, *[10] * 6]),
            "20,000x100": (20_000, [10] * 100)}  # fmt: skip
PREPARE = """
import sys, time
import numpy as np
from activefs import Pool
try:
    from activefs.model import Assistant
except ImportError:  # release 0.1
    from activefs.assist import Assistant
rng = np.random.default_rng(0)
Assistant(Pool.from_table(rng.integers(0, 4, size=(300, 8))))  # compile
values = eval(sys.argv[2])
as_it_is = {f"x{j}": "none" for j in range(len(values))}
pool = Pool.from_table(rng.integers(0, values, size=(int(sys.argv[1]), len(values))), binning=as_it_is)
start = time.perf_counter()
Assistant(pool, seed=0)
print(time.perf_counter() - start)
"""


def seconds_preparing(rows: int, cardinalities: Sequence[int], source: Path | None = None) -> float:
    """Seconds until the model of a random table is prepared, in a process of its own, by a release of its own."""
    environment = {**os.environ, "PYTHONPATH": str(source)} if source else None
    command = [sys.executable, "-c", PREPARE, str(rows), repr(cardinalities)]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def bench_preparing() -> None:
    print("\n## Preparing the model, one thread: a new table, beside release 0.1 in the same run\n")
    print("| data | 0.1 | now | ratio |\n|---|---|---|---|")
    with source_at(RELEASE_0_1) as source:
        for title, (rows, cardinalities) in PREPARED.items():
            now = seconds_preparing(rows, cardinalities)
            if source is None:
                print(f"| {title} | not in this checkout's history | {now:.1f} s | |", flush=True)
                continue
            before = seconds_preparing(rows, cardinalities, source)
            print(f"| {title} | {before:.1f} s | {now:.1f} s | {now / before:.2f} |", flush=True)


def bench_kept_views() -> None:
    print("\n## Preparing the model, one thread: a new table, and one whose views were kept\n")
    print("| data | rows looked at | new | kept | on disk |\n|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    mnist, _, name = table_of("MNIST35")
    pools = {title: Pool.from_table(rng.integers(0, values, size=(rows, len(values))), binning="none")
             for title, (rows, values) in PREPARED.items()} | {name: mnist}  # fmt: skip
    Assistant(Pool.from_table(rng.integers(0, 4, size=(300, 8))))  # compile
    for title, pool in pools.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds = []
            for _ in range(2):
                with patch.dict(os.environ, {caches.FOLDER_VARIABLE: folder, caches.SIZE_VARIABLE: "1000"}):
                    start = time.perf_counter()
                    assistant = Assistant(pool, seed=0)
                    seconds.append(time.perf_counter() - start)
            size = sum(path.stat().st_size for path in Path(folder).rglob("*.npz"))
        print(f"| {title} | {assistant.rows.size:,} | {seconds[0]:.1f} s | {seconds[1]:.2f} s | {size / 1e6:.0f} MB |",
              flush=True)  # fmt: skip


def bench_assisted(k: int, budget: int) -> None:
    print(f"\n## Assisted selection, k={k}, {budget} labels, one thread\n")
    print("| data | made ready | ms per question | longest question | times AFS | the answer with its bounds |")
    print("|---|---|---|---|---|---|")
    for name in ("BASEHOCK", "MUSK", "MNIST35"):
        pool, y, title = table_of(name)
        timed_questions(pool, y, k, 20, "assisted")  # compile
        made, asking, answer = timed_questions(pool, y, k, budget, "assisted")
        _, afs, _ = timed_questions(pool, y, k, budget, "afs")
        print(f"| {title} | {made:.1f} s | {1e3 * asking.mean():.1f} | {asking.max():.2f} s | "
              f"{asking.sum() / afs.sum():.1f} | {answer:.2f} s |", flush=True)  # fmt: skip


def bench_guarantees(k: int, budget: int, repetitions: int = 3) -> None:
    print(f"\n## Bounds that are guaranteed, k={k}, {budget} labels, one thread: ms per label\n")
    print(f"Fastest of {repetitions} runs.\n")
    print("| data | choice | nobody looks at them | session stops by them | ratio |\n|---|---|---|---|---|")
    for name in SETS:
        pool, y, title = table_of(name)
        prepared = Assistant(pool, seed=0)
        for strategy in ("random", "afs", "assisted"):
            seconds: dict[float | None, list[float]] = {gap: [] for gap in (None, 1e-9)}
            for _ in range(repetitions):  # in turns
                for gap, times in seconds.items():
                    assistant = prepared.with_seed(0) if strategy == "assisted" else None
                    session = Session(pool, k, strategy=strategy, budget=budget, when_certified="continue",
                                      stop_when_guaranteed_gap_below=gap, classes=[0, 1], random_state=0,
                                      assistant=assistant)  # fmt: skip
                    start = time.process_time()
                    while not session.finished:
                        row = session.ask()
                        session.tell(row, int(y[row]))
                    times.append((time.process_time() - start) / session.n_labels)
            without, looked_at = (1e3 * min(times) for times in seconds.values())
            print(f"| {title} | {strategy} | {without:.2f} | {looked_at:.2f} | {looked_at / without:.2f} |", flush=True)


def bench_assisted_classes(rows: int = 1560, columns: int = 617, k: int = 20, budget: int = 200) -> None:
    print(f"\n## Assisted selection with many classes, {rows:,}x{columns}, k={k}, {budget} labels, one thread\n")
    print("| classes | ms per question | longest question | the answer with its bounds | times two classes |")
    print("|---|---|---|---|---|")
    base = None
    for classes in (2, 10, 26):
        rng = np.random.default_rng(0)
        centres, loadings = rng.normal(size=(classes, 20)), rng.normal(size=(20, columns))
        y = np.arange(rows) % classes
        hidden = centres[y] + 0.7 * rng.normal(size=(rows, 20))
        pool = Pool.from_table(hidden @ loadings + 2.0 * rng.normal(size=(rows, columns)))
        timed_questions(pool, y, k, 20, "assisted")  # compile
        _, asking, answer = timed_questions(pool, y, k, budget, "assisted")
        base = base or asking.mean()
        print(f"| {classes} | {1e3 * asking.mean():.1f} | {asking.max():.2f} s | {answer:.2f} s | "
              f"{asking.mean() / base:.2f} |", flush=True)  # fmt: skip


def bench_assisted_million(rows: int = 1_000_000, columns: int = 100, k: int = 20, budget: int = 200) -> None:
    print(f"\n## Assisted selection, {rows:,} rows, {columns} features, k={k}, {budget} labels, 2 threads\n")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, size=(rows, columns), dtype=np.int8)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 10, rows) > 13).astype(int)
    made, asking, answer = timed_questions(Pool.from_table(X), y, k, budget, "assisted", n_jobs=2)
    print(f"- session made ready, once: {made:.1f} s")
    print(f"- ask: mean {asking.mean():.3f} s, largest {asking.max():.2f} s")
    print(f"- the answer with its bounds: {answer:.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--budget", type=int, default=500)
    parts = ("sets", "classes", "redundancy", "million", "reals", "preparing", "assisted", "guarantees", "start")
    parser.add_argument("--only", choices=parts)
    arguments = parser.parse_args()
    os.environ[caches.SIZE_VARIABLE] = "0"  # nothing is kept from one run to the next
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    print(f"# Benchmarks\n\n{machine}, Python {platform.python_version()}")
    if arguments.only in (None, "sets"):
        bench_sets(arguments.k, arguments.budget)
    if arguments.only in (None, "classes"):
        bench_classes(arguments.k)
    if arguments.only in (None, "redundancy"):
        bench_redundancy(arguments.k)
    if arguments.only in (None, "million"):
        bench_million()
    if arguments.only in (None, "reals"):
        bench_reals()
    if arguments.only in (None, "preparing"):
        bench_preparing()
        bench_kept_views()
    if arguments.only in (None, "assisted"):
        bench_assisted(arguments.k, arguments.budget)
        bench_assisted_classes()
        bench_assisted_million()
    if arguments.only in (None, "guarantees"):
        bench_guarantees(arguments.k, arguments.budget)
    if arguments.only in (None, "start"):
        bench_start()


if __name__ == "__main__":
    main()
