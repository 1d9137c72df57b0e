"""How long annotators wait for the next row, when sixteen of them label at once and do not think.

    python benchmarks/annotators.py

A table of 5,000 rows, 2,000 labels, the default strategy ("assisted"), a server process, and everybody else in one more
process on the same machine; alone, and while three browsers look at the study page. PostgreSQL is measured if it is
there (ACTIVEFS_TEST_POSTGRES). Runs alternate, since no two runs are alike; other programs should be still.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "reference"))
import pytest
from machines import DATABASES
from together import ANNOTATORS, label_together

from activefs.storages import Storage
from activefs.study import new_annotator

BROWSERS = (0, 3)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each kind (5)")
    parser.add_argument("--labels", type=int, default=2_000, help="labels of a run (2000)")
    said = parser.parse_args()
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; {ANNOTATORS} annotators,")
    print(f"{said.labels:,} labels; milliseconds from an answer to the next row, median of {said.runs} runs [range]\n")
    print("| database | browsers | labels per second | median | p95 | p95 with browsers / without |")
    print("|---|---|---|---|---|---|")
    for database in DATABASES:
        found: dict[int, list[tuple[float, float, float]]] = {browsers: [] for browsers in BROWSERS}
        try:
            for _ in range(said.runs):
                for browsers, runs in found.items():
                    runs.append(measure(database, said.labels, browsers))
        except pytest.skip.Exception as error:
            print(f"| {database} | not measured: {error} |")
            continue
        alone = statistics.median(run[2] for run in found[0])
        for browsers, runs in found.items():
            columns = " | ".join(_shown([run[i] for run in runs]) for i in range(3))
            ratio = f"{statistics.median(run[2] for run in runs) / alone:.2f}" if browsers else ""
            print(f"| {database} | {browsers} | {columns} | {ratio} |", flush=True)


def measure(database: str, labels: int, browsers: int) -> tuple[float, float, float]:
    """Label a study; returns labels per second, and the median and the 95th percentile of milliseconds."""
    with tempfile.TemporaryDirectory() as folder, DATABASES[database]() as url:
        seconds, times, _ = label_together(url, Path(folder), _add, labels, browsers)
    median, p95 = np.percentile(times, [50, 95]) * 1000
    return labels / seconds, float(median), float(p95)


def _add(storage: Storage, name: str) -> str:
    annotator, token = new_annotator(name)
    storage.add_annotator(annotator)
    return token


def _shown(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} [{min(values):.0f}, {max(values):.0f}]"


if __name__ == "__main__":
    main()
