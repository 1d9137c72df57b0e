"""Table, picture and report."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from activefs.experiments.redundancy._items import FOLDS, ROWS, TREES, RuleItem, RuleQuality
from activefs.runs import csv_text, half_width, markdown_table
from activefs.types import Floats

_COLOURS = ("#4d4d4d", "#0072b2", "#e69f00", "#009e73")


@dataclass(frozen=True, eq=False)
class RuleTable:
    """Means over runs.

    Attributes
    ----------
    datasets, rules : tuple of str
        The rows and columns.
    k, budget, runs : int
        Features wanted, labels, runs of each.
    accuracy, half : array of shape (datasets, rules)
        Mean balanced accuracy, and half of its 95% interval (Student's t).
    gap, overlap : array of shape (datasets, rules)
        Means of what :class:`RuleQuality` has, in nats.
    """

    datasets: tuple[str, ...]
    rules: tuple[str, ...]
    k: int
    budget: int
    runs: int
    accuracy: Floats
    half: Floats
    gap: Floats
    overlap: Floats

    @classmethod
    def of(cls, found: dict[RuleItem, RuleQuality]) -> RuleTable:
        """Take the means of all runs; every data set has the same rules and numbers of runs."""
        some = next(iter(found))
        datasets = tuple(dict.fromkeys(item.source.name for item in found))
        rules = tuple(dict.fromkeys(item.rule for item in found))
        runs = len(found) // (len(datasets) * len(rules))

        def numbers(name: str) -> Floats:
            values = {(i.source.name, i.rule, i.run): getattr(quality, name) for i, quality in found.items()}
            return np.array([[[values[d, rule, run] for run in range(runs)] for rule in rules] for d in datasets])

        accuracy = numbers("accuracy")
        return cls(
            datasets,
            rules,
            some.k,
            some.budget,
            runs,
            accuracy.mean(axis=2),
            half_width(accuracy.std(axis=2, ddof=1), runs),
            numbers("gap").mean(axis=2),
            numbers("overlap").mean(axis=2),
        )


def summary(table: RuleTable) -> str:
    """CSV with a row per data set and rule."""
    rows = []
    for i, name in enumerate(table.datasets):
        for j, rule in enumerate(table.rules):
            mean, half = table.accuracy[i, j], table.half[i, j]
            numbers = (mean, mean - half, mean + half, table.gap[i, j], table.overlap[i, j])
            rows.append([name, rule, table.k, table.budget, table.runs, *(f"{value:.4f}" for value in numbers)])
    head = ["dataset", "rule", "k", "budget", "runs", "accuracy", "accuracy_low", "accuracy_high", "gap", "overlap"]
    return csv_text(head, rows)


def report(table: RuleTable) -> str:
    """Write the report in Markdown."""
    rows = [
        [
            name,
            *(
                f"{table.accuracy[i, j]:.3f} ± {table.half[i, j]:.3f} (overlap {table.overlap[i, j]:.3f})"
                for j in range(len(table.rules))
            ),
        ]
        for i, name in enumerate(table.datasets)
    ]
    gains = (table.accuracy - table.accuracy[:, [table.rules.index("none")]]).mean(axis=0)
    told = ", ".join(f"{rule}: {gain:+.3f}" for rule, gain in zip(table.rules, gains, strict=True) if rule != "none")
    k, budget, runs, names = table.k, table.budget, table.runs, ",".join(table.datasets)
    lines = "\n".join(markdown_table(["data", *table.rules], rows))
    return f"""# What redundancy-aware selection buys

AFS with {budget} labels chooses k={k} features by each rule; a random forest ({TREES} trees, {FOLDS}-fold
cross-validation, at most {ROWS} rows, all labels) is then trained on the chosen columns. Balanced accuracy, mean of
{runs} runs with its 95% Student-t interval; in brackets the mean information (nats) that two chosen features have about
each other.

{lines}

Mean gain in balanced accuracy over `redundancy="none"`, over the data sets: {told}.

![Balanced accuracy on every data set, by rule against redundancy](accuracy.svg)

Made by `activefs reproduce redundancy --k {k} --budget {budget} --runs {runs} --datasets {names}`; the seed
of a run is its number. `summary.csv` has the figures, and the gap: what the chosen features lack in single-feature
information, which is what `"none"` minimises and the other rules give up on purpose.
"""


def picture(table: RuleTable) -> bytes:
    """Draw the accuracies with their intervals, as SVG."""
    figure = Figure(figsize=(1.6 + 1.3 * len(table.datasets), 4), layout="constrained")
    axes = figure.subplots()
    for j, (rule, colour) in enumerate(zip(table.rules, _COLOURS, strict=True)):
        at = np.arange(len(table.datasets)) + 0.2 * (j - 1.5)
        axes.errorbar(at, table.accuracy[:, j], yerr=table.half[:, j], fmt="o", color=colour, capsize=3, label=rule)
    axes.set_xticks(range(len(table.datasets)), table.datasets)
    axes.set(ylabel="balanced accuracy", title=f"Random forest on {table.k} features chosen with {table.budget} labels")
    axes.legend(title="redundancy", frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, -0.35))
    axes.spines[["top", "right"]].set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()
