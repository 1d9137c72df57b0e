"""summary.csv: one line per experiment, budget and policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from activefs.experiments.single_feature._measure import READINGS
from activefs.experiments.single_feature._run import Group
from activefs.experiments.single_feature._statistics import wins
from activefs.runs import csv_text

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


def summary(groups: Iterable[Group]) -> str:
    """All averages with their intervals, as CSV; wins and clear_wins are 1 or 0."""
    return csv_text(COLUMNS, (row for group in groups for row in _rows(group)))


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
