"""Pools beyond memory, as tables: `make bench`, or one part with ``python benchmarks/large_tables.py --only mapped``.

Every part compares within one run: a pool with another one of the same rows, or with pyarrow reading the same file. The
table is 20 columns of ten values, drawn with seed 0, in a Parquet file with a million rows in each row group.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from activefs import Pool, Session, datasets
from activefs.clusters import start_workers
from activefs.exceptions import DataSetError
from activefs.pool import Cluster, DensePool, PoolShard, SparsePool, read_pool
from earlier import source_at

FEATURES, VALUES, GROUP = 20, 10, 1_000_000
TEXTS = ("BASEHOCK", "PCMAC", "RELATHE")
SETS = (*TEXTS, "MUSK", "MNIST01", "MNIST35", "MNIST46")
BEFORE = "b6351709f4d1e1b0646eb87768744f5a29aae21f"
"""The last commit with one kind of pool."""


def write_table(path: Path, rows: int) -> Path:
    rng = np.random.default_rng(0)
    schema = pa.schema([(f"f{j}", pa.int8()) for j in range(FEATURES)])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, GROUP):
            codes = rng.integers(0, VALUES, size=(FEATURES, min(GROUP, rows - start)), dtype=np.int8)
            writer.write_table(pa.table(list(codes), schema=schema))
    return path


def label(codes: np.ndarray) -> int:
    return int(codes[0] + codes[1] > 8)


def question_seconds(pool: Pool, strategy: str, questions: int, known: Pool | None = None) -> tuple[float, list[float]]:
    """Seconds until a session is ready with its first question, and of every further one, from label to question.

    `known` is a pool of the same rows in which labels are looked up, so that this is not in the time.
    """
    started = time.perf_counter()
    session = Session(pool, 5, strategy=strategy, random_state=0, n_jobs=2, classes=[0, 1], when_certified="continue")
    seconds = []
    for _ in range(questions + 1):
        row = session.ask()
        seconds.append(time.perf_counter() - started)
        told = label((known or pool).codes_of(np.array([row]))[:, 0])
        started = time.perf_counter()
        session.tell(row, told)
    return seconds[0], seconds[1:]


class AnonymousMemory:
    """The largest anonymous memory (RssAnon) of this process, looked at a hundred times a second."""

    def __enter__(self) -> AnonymousMemory:
        self.most, self._stop = 0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.01):
            with Path("/proc/self/status").open(encoding="ascii") as status:
                found = next(line for line in status if line.startswith("RssAnon"))
            self.most = max(self.most, int(found.split()[1]) * 1024)


# --- parts that run in a process of their own, so that its memory is theirs ---


def measure_mapped(path: Path, questions: int) -> dict[str, float]:
    with AnonymousMemory() as memory:
        started = time.perf_counter()
        pool = read_pool(path)
        found = {"first": time.perf_counter() - started, "opening": memory.most}
        assert pool.kind == "mapped", pool.kind
        started = time.perf_counter()
        read_pool(path)
        found["second"] = time.perf_counter() - started
        ready, seconds = question_seconds(pool, "assisted", max(questions, 40))
        found |= {"ready": ready, "assisted": statistics.median(seconds), "longest": max(seconds)}
        first, seconds = question_seconds(pool, "afs-nosg", questions)
        found |= {"afs first": first, "afs": statistics.median(seconds), "rows": pool.n_rows, "memory": memory.most}
    return found


def measure_dense(rows: int, questions: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    codes = np.concatenate(
        [rng.integers(0, VALUES, size=(FEATURES, min(GROUP, rows - a)), dtype=np.int8) for a in range(0, rows, GROUP)],
        axis=1,
    )
    pool = DensePool.from_table(codes.T)
    assert pool.kind == "dense", pool.kind
    first, seconds = question_seconds(pool, "afs-nosg", questions)
    return {"afs first": first, "afs": statistics.median(seconds), "rows": rows}


def measure_read(path: Path) -> dict[str, float]:
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        pq.read_table(path)
        seconds.append(time.perf_counter() - started)
    return {"read": statistics.median(seconds)}


def apart(what: str, *arguments: object, cache: Path | None = None) -> dict[str, float]:
    """Run one of the functions above in a new process."""
    environment = dict(os.environ)
    if cache is not None:
        environment["ACTIVEFS_CACHE_DIR"] = str(cache)
    command = [sys.executable, __file__, "--measure", what, *map(str, arguments)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


# --- tables ---


def core_ms(name: str, budget: int, source: Path) -> float:
    command = [sys.executable, str(Path(__file__).with_name("core.py")), name, str(budget)]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def bench_core(budget: int, repetitions: int = 3) -> None:
    print(f"\n## The core, k=20, {budget} labels, one thread: ms of the processor per label, beside the code before\n")
    print(f"Fastest of {3 * repetitions} runs each, in turns.\n\n| data | before | now | ratio |\n|---|---|---|---|")
    with source_at(BEFORE) as before:
        for name in SETS:
            try:
                datasets.load(name)
            except DataSetError:
                print(f"| {name} | not found: activefs datasets fetch | | |")
                continue
            found: dict[str, list[float]] = {"before": [], "now": []}
            for _ in range(repetitions):
                for when, source in (("before", before), ("now", Path(__file__).parent.parent / "src")):
                    if source is not None:
                        found[when].append(core_ms(name, budget, source))
            old, new = min(found["before"], default=np.nan), min(found["now"])
            print(f"| {name} | {old:.2f} | {new:.2f} | {new / old:.2f} |", flush=True)


Made = TypeVar("Made")


def retained(make: Callable[[], Made]) -> tuple[int, int, Made]:
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        made = make()
        now, peak = tracemalloc.get_traced_memory()
        return now - before, peak - before, made
    finally:
        tracemalloc.stop()


def words(rows: int = 19_000, columns: int = 100_000, seed: int = 0) -> sparse.csr_matrix:
    """Words in texts: how often a word occurs falls with its rank, as in any language."""
    rng = np.random.default_rng(seed)
    p = 1.0 / np.arange(1, columns + 1) ** 1.1
    texts = [np.unique(rng.choice(columns, n, p=p / p.sum())) for n in rng.poisson(90, rows)]
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int32)
    return sparse.csr_matrix((np.ones(starts[-1]), np.concatenate(texts).astype(np.int32), starts), (rows, columns))


def bench_sparse(budget: int) -> None:
    table = words()
    own = table.data.nbytes + table.indices.nbytes + table.indptr.nbytes
    read_pool(table[:300, :100])  # compiled
    started = time.perf_counter()
    size, peak, pool = retained(lambda: read_pool(table))
    seconds = time.perf_counter() - started
    print(f"\n## Sparse: {table.shape[0]:,} texts, {table.shape[1]:,} words ({table.nnz:,} in all)\n")
    print("| what | MB | times the CSR matrix |\n|---|---|---|")
    for what, number in (("CSR matrix", own), ("pool", size), ("peak while it is made", peak)):
        print(f"| {what} | {number / 1e6:.1f} | {number / own:.2f} |")
    print(f"\nMade in {seconds:.1f} s (memory was watched meanwhile); {pool.n_features:,} words occur.")
    print(f"\n### The texts of the paper, k=20, {budget} labels, one thread, in turns\n")
    print("| data | matrix, MB | lists, MB | share | matrix, ms per label | lists, ms per label | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name in TEXTS:
        try:
            found = datasets.load(name)
        except DataSetError:
            print(f"| {name} | not found: activefs datasets fetch | | | | | |")
            continue
        lists = Pool.from_table(found.X, binning="none")
        assert isinstance(lists, SparsePool)
        matrix = DensePool(lists.info, lists.codes)
        sizes = []
        for kind in (matrix, lists):
            size, _, kept = retained(partial(_used_again, kind))
            sizes.append(size)
            del kept
        times: dict[str, list[float]] = {"matrix": [], "lists": []}
        for _ in range(5):
            for what, made in (("matrix", matrix), ("lists", lists)):
                times[what].append(_ms_per_label(made, found.y.astype(int), budget))
        a, b = min(times["matrix"]), min(times["lists"])
        print(f"| {name} | {sizes[0] / 1e6:.2f} | {sizes[1] / 1e6:.2f} | {sizes[1] / sizes[0]:.2f} | {a:.2f} | {b:.2f} "
              f"| {b / a:.2f} |", flush=True)  # fmt: skip


def _used_again(pool: Pool) -> Pool:
    """Make the pool anew, and what it makes when questions are asked of it, without what both kinds share."""
    made = DensePool(pool.info, pool.codes.copy()) if pool.kind == "dense" else SparsePool.of(pool.info, pool.codes)
    made.count_pairs(np.array([0]), np.array([1]), np.array([0]), np.zeros(1 << 16, dtype=np.int32))
    made.codes_of(np.array([0]))
    return made


def _ms_per_label(pool: Pool, y: np.ndarray, budget: int) -> float:
    session = Session(pool, 20, strategy="afs-nosg", random_state=0, when_certified="continue", budget=budget)
    started = time.process_time()
    while not session.finished:
        session.tell((row := session.ask()), int(y[row]))
    return 1000 * (time.process_time() - started) / budget


def bench_mapped(rows: int, questions: int) -> None:
    print(f"\n## Mapped: {rows:,} rows, {FEATURES} features of {VALUES} values, 2 threads\n")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        path, cache = write_table(place / "table.parquet", rows), place / "cache"
        few = min(rows, 5_000_000)
        apart("mapped", write_table(place / "small.parquet", 3_000_000), 2, cache=cache)  # compiled
        shutil.rmtree(cache)
        read = apart("read", path)["read"]
        found = apart("mapped", path, questions, cache=cache)
        dense = apart("dense", few, questions)
        disk = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
        per_row, per_dense = (1e9 * one["afs"] / one["rows"] for one in (found, dense))
        print("| what | measured | wanted |\n|---|---|---|")
        for what, number, wanted in (
            ("file", f"{path.stat().st_size / 1e6:,.0f} MB", ""),
            ("pyarrow reads it", f"{read:.2f} s", ""),
            ("first opening", f"{found['first']:.2f} s, {found['first'] / read:.1f} times that", "at most 4 times"),
            ("second opening", f"{found['second']:.2f} s", "seconds"),
            ("codes and all else on disk", f"{disk / 1e6:,.0f} MB", ""),
            ("anonymous memory, opening", f"{found['opening'] / 1e6:,.0f} MB", "at most 1,000 MB"),
            ("anonymous memory, all the time", f"{found['memory'] / 1e6:,.0f} MB", "at most 1,000 MB"),
            ("assisted: session and first question", f"{found['ready']:.1f} s", ""),
            ("assisted question, median", f"{found['assisted']:.3f} s", "under 1 s"),
            ("assisted question, longest", f"{found['longest']:.2f} s", "under 1 s"),
            ("AFS: first question, which counts all pairs", f"{found['afs first']:.2f} s", ""),
            ("AFS question, median", f"{found['afs']:.2f} s", ""),
            ("AFS question per row", f"{per_row:.1f} ns", ""),
            (f"the same in memory ({few:,} rows)", f"{per_dense:.1f} ns", ""),
            ("ratio", f"{per_row / per_dense:.2f}", "at most 1.5"),
        ):
            print(f"| {what} | {number} | {wanted} |", flush=True)


GROWTH = (1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000)


def measure_growth(path: Path, questions: int) -> dict[str, float]:
    """Time questions of a mapped pool and of one on two workers, both of the same file, in turns."""
    mapped = mapped_pool_of(path)
    cluster = Cluster(start_workers(2))
    try:
        started = time.perf_counter()
        there = read_pool(path, cluster=cluster)
        found = {"encoding": time.perf_counter() - started, "rows": mapped.n_rows}
        assert there.fingerprint == mapped.fingerprint
        for strategy in ("afs-nosg", "assisted"):
            for kind, pool in (("mapped", mapped), ("dask", there)):
                found[f"{strategy} {kind}"] = statistics.median(question_seconds(pool, strategy, questions, mapped)[1])
    finally:
        cluster.close()
    return found


def mapped_pool_of(path: Path) -> Pool:
    """Map a table however small it is."""
    with patch("activefs.streams._fits.MOST_CELLS", 0):
        return read_pool(path)


def bench_dask(largest: int, questions: int, picture: Path | None) -> None:
    print(f"\n## Two Dask workers beside a mapped file, {FEATURES} features of {VALUES} values\n")
    print(
        f"Medians of {questions} questions, from label to question; two workers with a thread each, or two threads.\n"
    )
    print("| rows | workers encode | AFS, mapped | AFS, Dask | at most | assisted, mapped | assisted, Dask | at most |")
    print("|---|---|---|---|---|---|---|---|")
    every = []
    for rows in (rows for rows in GROWTH if rows <= largest):
        with tempfile.TemporaryDirectory() as folder:
            path = write_table(Path(folder) / "table.parquet", rows)
            found = apart("growth", path, questions, cache=Path(folder) / "cache")
        every.append(found)
        cells = []
        for strategy in ("afs-nosg", "assisted"):
            here, there = found[f"{strategy} mapped"], found[f"{strategy} dask"]
            cells += [f"{1000 * here:.0f} ms", f"{1000 * there:.0f} ms", f"{1000 * (1.3 * here + 0.05):.0f} ms"]
        print(f"| {rows:,} | {found['encoding']:.1f} s | {' | '.join(cells)} |", flush=True)
    if picture is not None:
        draw_growth(every, picture)
        print(f"\n![Time of a question against rows]({picture.name})")


def measure_trips(n_shards: int, repetitions: int) -> dict[str, float]:
    """Time a round trip to so many shards, whose rows are so few that they cost nothing."""
    cluster = Cluster(start_workers(2))
    try:
        rows = np.random.default_rng(0).integers(0, VALUES, size=(1000, FEATURES), dtype=np.int8)
        pool = DensePool.from_table(rows)
        assert isinstance(pool, DensePool)
        shards = cluster.client.scatter([PoolShard(pool, 0)] * n_shards, hash=False)
        seconds = []
        for _ in range(repetitions + 5):
            started = time.perf_counter()
            cluster.ask(shards, "occurring_pairs", [(0, 1)] * n_shards)
            seconds.append(time.perf_counter() - started)
    finally:
        cluster.close()
    return {"trip": statistics.median(seconds[5:])}


def bench_trips(repetitions: int = 20) -> None:
    print(f"\n### A round trip to all shards, on two workers, median of {repetitions}\n\n| shards | ms |\n|---|---|")
    for n_shards in (2, 16, 128):
        print(f"| {n_shards} | {1000 * apart('trips', n_shards, repetitions)['trip']:.0f} |", flush=True)


def draw_growth(every: list[dict[str, float]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    rows = [found["rows"] for found in every]
    for strategy, name, colour in (("afs-nosg", "AFS", "C0"), ("assisted", "assisted", "C1")):
        for kind, style in (("mapped", "o-"), ("dask", "s--")):
            where = "mapped file" if kind == "mapped" else "two Dask workers"
            axes.plot(
                rows, [found[f"{strategy} {kind}"] for found in every], style, color=colour, label=f"{name}, {where}"
            )
    axes.plot(
        rows,
        [every[-1]["afs-nosg mapped"] * n / rows[-1] for n in rows],
        ":",
        color="grey",
        label="in proportion to rows",
    )
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds per question")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("core", "sparse", "mapped", "dask"))
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--picture", type=Path, help="Draw the growth with rows into this file.")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        what, *rest = given.measure
        measures: dict[str, Callable[..., dict[str, float]]] = {
            "mapped": measure_mapped, "dense": measure_dense, "read": measure_read,
            "growth": measure_growth, "trips": measure_trips,
        }  # fmt: skip
        print(json.dumps(measures[what](*(int(a) if a.isdigit() else Path(a) for a in rest))))
        return
    print(f"# Pools\n\n{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python "
          f"{platform.python_version()}")  # fmt: skip
    if given.only in (None, "core"):
        bench_core(given.budget)
    if given.only in (None, "sparse"):
        bench_sparse(given.budget)
    if given.only in (None, "mapped"):
        bench_mapped(given.rows, given.questions)
    if given.only in (None, "dask"):
        bench_dask(given.rows, given.questions, given.picture)
        bench_trips()


if __name__ == "__main__":
    main()
