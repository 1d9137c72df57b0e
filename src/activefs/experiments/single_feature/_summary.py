"""summary.csv: one line per experiment, budget and policy."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from activefs.experiments.single_feature._measure import READINGS
from activefs.experiments.single_feature._run import Group
from activefs.experiments.single_feature._statistics import wins

COLUMNS = (
    "experiment",
    "q",
    "p",
    "budget",
    "policy",
    "mean_error",
    "ci_low",
    "ci_high",
    "wins",
    "clear_wins",
)


def write_summary(groups: Iterable[Group], path: Path) -> Path:
    """Write all averages with their intervals; wins and clear_wins are 1 or 0."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for group in groups:
            writer.writerows(_rows(group))
    return path


def _rows(group: Group) -> Iterator[list[str]]:
    low, high = group.interval()
    clear, any_win = wins(low, high)
    mean = group.measured.mean[:, READINGS.index("outside")]
    for e, experiment in enumerate(group.experiments):
        q, p = _numbers(experiment.q), _numbers(experiment.p)
        for b, budget in enumerate(group.settings.budgets):
            for i, policy in enumerate(group.definition.policies):
                at = (e, b, i)
                numbers = [f"{x[at]:.8g}" for x in (mean, low, high)]
                flags = [str(int(any_win[at])), str(int(clear[at]))]
                yield [experiment.name, q, p, str(budget), policy.name, *numbers, *flags]


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{x:.10g}" for x in values)
