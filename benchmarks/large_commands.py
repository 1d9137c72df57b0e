"""Commands on a table that does not fit into memory: how long they take, and how much memory belongs to them.

    python benchmarks/large_commands.py [--rows 50000000]

The table is 20 columns of ten values, an id (whole numbers, in no order) and a label, in a Parquet file with a million
rows in each row group. Memory is RssAnon of the process and all that it started, looked at fifty times a second; pages
of mapped files belong to the system.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from large_tables import FEATURES, GROUP, VALUES
from start import open_first_page

PROGRAM = [sys.executable, "-m", "activefs"]
OPEN_AND_ASK = """
import sys, time
started = time.perf_counter()
from activefs import Study
study = Study.open(sys.argv[1])
opened = time.perf_counter() - started
rows = [study.ask()]
asked = time.perf_counter() - started
for i in range(20):
    study.tell(rows[-1], i % 2)
    rows.append(study.ask())
print(opened, asked, (time.perf_counter() - started - asked) / 20)
"""


def write_table(path: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    names = [f"f{j}" for j in range(FEATURES)]
    schema = pa.schema([("id", pa.int64()), *((name, pa.int8()) for name in names), ("y", pa.int8())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, GROUP):
            size = min(GROUP, rows - start)
            codes = rng.integers(0, VALUES, size=(FEATURES, size), dtype=np.int8)
            ids = np.arange(start, start + size) * 6_700_417 % 10**9  # no factor in common: each id occurs once
            writer.write_table(pa.table([ids, *codes, (codes[0] + codes[1] > 8).astype(np.int8)], schema=schema))


class MemoryOf:
    """The largest anonymous memory of a process and its children."""

    def __init__(self, pid: int) -> None:
        self.most, self._process, self._stop = 0, psutil.Process(pid), threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._stop.wait(0.02):
            try:
                every = [self._process, *self._process.children(recursive=True)]
            except psutil.NoSuchProcess:
                return
            self.most = max(self.most, sum(map(_anonymous, every)))

    def stop(self) -> int:
        """Stop looking; return it."""
        self._stop.set()
        self._thread.join()
        return self.most


def _anonymous(process: psutil.Process) -> int:
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:  # it ended
        return 0
    return 1024 * next((int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)


def run(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, int, str]:
    """Seconds, memory and what it printed."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    memory = MemoryOf(process.pid)
    printed = process.communicate()[0]
    seconds, most = time.perf_counter() - started, memory.stop()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return seconds, most, printed


def first_page(folder: Path, environment: dict[str, str]) -> tuple[float, int]:
    """Seconds until the page of a served study is there, and the memory of the server."""
    started = time.perf_counter()
    command = [*PROGRAM, "serve", "study.db", "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    memory = MemoryOf(server.pid)
    try:
        assert server.stdout is not None
        open_first_page(server.stdout)
        return time.perf_counter() - started, memory.stop()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def bench(rows: int) -> None:
    print(f"\n## Commands on {rows:,} rows, {FEATURES} features of {VALUES} values, an id and a label\n")
    print("| what | seconds | anonymous memory |\n|---|---|---|")

    def line(what: str, seconds: float, memory: int | None = None) -> None:
        print(f"| {what} | {seconds:.2f} | {'' if memory is None else f'{memory / 1e6:,.0f} MB'} |", flush=True)

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        environment = {**os.environ, "ACTIVEFS_CACHE_DIR": str(folder / "cache"), "ACTIVEFS_CACHE_SIZE": "20000"}
        write_table(folder / "table.parquet", rows)
        write_table(folder / "small.parquet", 3_000_000)
        select = ["--label", "y", "--id", "id", "--k", "5", "--budget", "40", "--seeds", "1", "--out", "selected"]
        create = ["--data", "table.parquet", "--id", "id", "--ignore", "y", "--classes", "0,1", "--k", "5",
                  "--budget", "200", "--seed", "0"]  # fmt: skip
        run([*PROGRAM, "select", "small.parquet", *select], folder, environment)  # compiled
        steps: tuple[tuple[str, list[str]], ...] = (
            ("`activefs select`, 40 labels", [*PROGRAM, "select", "table.parquet", *select]),
            ("`activefs select`, again", [*PROGRAM, "select", "table.parquet", *select]),
            ("`activefs study create`", [*PROGRAM, "study", "create", "study.db", *create]),
        )
        for what, command in steps:
            line(what, *run(command, folder, environment)[:2])
        _, memory, printed = run([sys.executable, "-c", OPEN_AND_ASK, "study.db"], folder, environment)
        opened, asked, question = map(float, printed.split())
        line("`Study.open`, with import", opened, memory)
        line("first question", asked - opened)
        line("a question, mean of 20", question)
        line("`activefs study status`", *run([*PROGRAM, "study", "status", "study.db"], folder, environment)[:2])
        line("`activefs serve`, until the first page", *first_page(folder, environment))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000_000)
    given = parser.parse_args()
    print(f"# Commands\n\n{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python "
          f"{platform.python_version()}")  # fmt: skip
    bench(given.rows)


if __name__ == "__main__":
    main()
