"""How long it takes until something can be seen: of the command line, of the commands of a study, of the server.

    python benchmarks/start.py

Times are seconds of the processor, user and system, unless it is said otherwise. They are compared with those of
``import sklearn.feature_selection``, measured in the same run, so that tables of different machines can be compared.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

REPETITIONS = 5
ENOUGH = 20.0  # seconds after which a measurement is not repeated any more
PROGRAM = [sys.executable, "-m", "activefs"]
# What is compiled, by Python or by numba, is kept, as it is on anybody's machine.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
ROWS, LABELS = 32_561, 60
VALUES = {"workclass": 9, "education": 16, "marital": 7, "occupation": 15, "relationship": 6, "race": 5, "sex": 2,
          "country": 42}  # fmt: skip


class Cost(NamedTuple):
    """Seconds of the processor, and by the clock."""

    processor: float
    clock: float


class Line(NamedTuple):
    """A line of the table: what was measured, and what it should at most be, of the reference or of ``--help``."""

    title: str
    cost: Cost
    target: float | None = None
    of_help: bool = False


@contextmanager
def measured(costs: list[Cost]) -> Iterator[None]:
    """Note what the processes cost that were started and have ended in a block."""

    def spent() -> float:
        seconds = 0.0
        if sys.platform != "win32":  # which does not tell that of processes that have ended
            import resource

            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = used.ru_utime + used.ru_stime
        return seconds

    before, start = spent(), time.perf_counter()
    yield
    costs.append(Cost(spent() - before, time.perf_counter() - start))


def repeated(command: list[str], prepare: Callable[[], None] | None = None, folder: Path | None = None) -> Cost:
    """Run a command some times, each time in the same state; the medians."""
    costs: list[Cost] = []
    while len(costs) < REPETITIONS and sum(cost.clock for cost in costs) < ENOUGH:
        if prepare is not None:
            prepare()
        with measured(costs):
            run(command, folder)
    return Cost(*(statistics.median(values) for values in zip(*costs, strict=True)))


def run(command: list[str], folder: Path | None = None) -> None:
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)


def write_table(path: Path) -> None:
    """Write a table like Adult: eight columns of words and six of numbers, which say something about a class."""
    rng = np.random.default_rng(0)
    wealth = rng.normal(size=ROWS)
    columns = {
        "age": np.clip(38 + 13 * rng.normal(size=ROWS) + 3 * wealth, 17, 90).astype(int),
        "weight": rng.integers(12_000, 1_500_000, ROWS),
        "schooling": np.clip(10 + 2 * wealth + rng.normal(size=ROWS), 1, 16).astype(int),
        "gain": np.where(rng.random(ROWS) < 0.08, rng.integers(1, 100, ROWS) * 1000, 0),
        "loss": np.where(rng.random(ROWS) < 0.05, rng.integers(1, 90, ROWS) * 50, 0),
        "hours": np.clip(40 + 12 * rng.normal(size=ROWS), 1, 99).astype(int),
    }
    for name, count in VALUES.items():
        value = np.clip(count * rng.beta(1.2, 4, ROWS) + 0.3 * wealth, 0, count - 1).astype(int)
        columns[name] = np.array([f"{name}-{v}" for v in range(count)])[value]
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


def make_study(folder: Path, name: str, data: str, labels: dict[int, str], **options: object) -> None:
    """Make a study with some labels."""
    more = [str(part) for option, value in options.items() for part in (f"--{option}", value)]
    run([*PROGRAM, "study", "create", name, "--data", data, "--classes", "low,high", "--seed", "0", *more], folder)
    write_labels(folder / "known.csv", labels)
    run([*PROGRAM, "study", "import", name, "known.csv"], folder)


def write_labels(path: Path, labels: dict[int, str]) -> None:
    path.write_text("row,label\n" + "".join(f"{row},{label}\n" for row, label in labels.items()))


def first_page(folder: Path, study: str) -> Cost:
    """Serve a study until its first page is there; the clock stops then, the processor counts until the end."""
    costs: list[Cost] = []
    start = time.perf_counter()
    with measured(costs):
        command = [*PROGRAM, "serve", study, "--port", "0"]
        server = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            open_first_page(server.stdout)
            seen = time.perf_counter() - start
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
            server.stdout.close()
    return Cost(costs[0].processor, seen)


def open_first_page(said: Iterable[str]) -> None:
    """Wait until a server says its address, and open it as a browser does, which keeps the cookie that it is given."""
    address = next(line.split()[1] for line in said if line.startswith("Open "))
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(address, timeout=600) as page:
        assert b"<html" in page.read()


def measure_start() -> Iterator[Line]:
    for arguments in (["--help"], ["-h"], ["--version"]):
        run([*PROGRAM, *arguments])  # whatever is compiled once is compiled
        yield Line(f"activefs {arguments[0]}", repeated([*PROGRAM, *arguments]), 0.25)
    yield Line("import activefs", repeated([sys.executable, "-c", "import activefs"]), 0.5)


def measure_study(folder: Path) -> Iterator[Line]:
    write_table(folder / "adult.csv")
    rng = np.random.default_rng(1)
    rows = [int(row) for row in rng.permutation(ROWS)[: LABELS + 10]]
    labels = {row: ("low", "high")[int(rng.integers(4)) == 0] for row in rows}
    known = dict(list(labels.items())[:LABELS])
    make_study(folder, "made.db", "adult.csv", known, k=5, budget=500)
    write_labels(folder / "new.csv", dict(list(labels.items())[LABELS:]))

    def afresh() -> None:
        for file in folder.glob("study.db*"):
            file.unlink()
        for file in folder.glob("made.db*"):
            shutil.copy(file, folder / file.name.replace("made", "study"))

    def afresh_and_seen() -> None:
        afresh()
        run([*PROGRAM, "study", "status", "study.db"], folder)

    for title, arguments, prepare, target in (
        ("study export", ["study", "export", "study.db"], afresh, 3),
        ("study undo", ["study", "undo", "study.db"], afresh, 3),
        ("study import, 10 new labels", ["study", "import", "study.db", "new.csv"], afresh, 3),
        ("study annotator list", ["study", "annotator", "list", "study.db"], afresh, 3),
        ("study status, answer known", ["study", "status", "study.db"], afresh_and_seen, 3),
        ("study status, answer computed", ["study", "status", "study.db"], afresh, None),
    ):
        yield Line(f"activefs {title}", repeated([*PROGRAM, *arguments], prepare, folder), target, of_help=True)
    afresh()
    for start in ("first", "second"):
        yield Line(f"activefs serve, {start} start", first_page(folder, "study.db"))


def measure_tiny_study(folder: Path) -> Iterator[Line]:
    lines = ["a,b,c", *(f"{i % 3},{i % 5},{i % 2}" for i in range(200))]
    (folder / "tiny.csv").write_text("\n".join(lines) + "\n")
    make_study(folder, "tiny.db", "tiny.csv", {i: ("low", "high")[i % 2] for i in range(10)}, k=1, budget=50)
    for start in ("first", "second"):
        yield Line(f"activefs serve, tiny study, {start} start", first_page(folder, "tiny.db"))


def bench_start() -> None:
    """Print the table."""
    reference = repeated([sys.executable, "-c", "import sklearn.feature_selection"])
    print("\n## Start: seconds of the processor (user and system), beside T = import sklearn.feature_selection\n")
    print(f"A table like Adult has {ROWS:,} rows and 14 columns, its study {LABELS} labels. By the clock: until the "
          "command has ended, or the first page is there.\n")  # fmt: skip
    print("| what | processor | by the clock | of T | of --help | at most |\n|---|---|---|---|---|---|")
    print(f"| T | {reference.processor:.2f} s | {reference.clock:.2f} s | 1.00 | | |", flush=True)
    of_help = 0.0
    seen: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for measure in (measure_start, lambda: measure_study(folder), lambda: measure_tiny_study(folder)):
            for line in measure():
                of_help = of_help or line.cost.processor  # the first line is that of --help
                seen[line.title] = line.cost.clock
                ratios = line.cost.processor / reference.processor, line.cost.processor / of_help
                limit = "" if line.target is None else f"{line.target:g} {'--help' if line.of_help else 'T'}"
                if line.target is not None and ratios[line.of_help] > line.target:
                    limit += ", missed"
                print(f"| {line.title} | {line.cost.processor:.2f} s | {line.cost.clock:.2f} s | {ratios[0]:.2f} | "
                      f"{ratios[1]:.1f} | {limit} |", flush=True)  # fmt: skip
    more = seen["activefs serve, second start"] - seen["activefs serve, tiny study, second start"]
    print(f"\nThe second start of `serve` shows its page {more:.2f} s later than that of a tiny study (at most 2 s"
          f"{', missed' if more > 2 else ''}).", flush=True)  # fmt: skip
    bench_question()


def bench_question() -> None:
    """Print how long the first question takes, with and without what is compiled."""
    print("\n## Start of a process: import, one question\n")
    code = ("import numpy as np, activefs; s = activefs.Session(np.random.default_rng(0).integers(0, 4, (500, 30)),"
            " k=5, random_state=0); i = s.ask(); s.tell(i, 1); s.ask()")  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        for title in ("first process (compiles)", "second process"):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], env={**ENVIRONMENT, "NUMBA_CACHE_DIR": cache}, check=True)
            print(f"- {title}: {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    bench_start()
