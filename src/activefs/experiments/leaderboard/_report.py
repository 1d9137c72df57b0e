"""The report: the table that matters, the targets, and everything set by set."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence

from activefs import __version__
from activefs.experiments.leaderboard import _sets
from activefs.experiments.leaderboard._board import Board
from activefs.experiments.leaderboard._choices import CHOSEN
from activefs.experiments.leaderboard._main_table import caption, main_table
from activefs.experiments.leaderboard._relative import labels_needed, relative
from activefs.experiments.leaderboard._reliability import Reliability, reliability
from activefs.experiments.leaderboard._settings import BETWEEN
from activefs.experiments.leaderboard._targets import BASE, WINNER, against_random, shown_labels, targets
from activefs.runs import Source, markdown_table


def report(board: Board, notes: Sequence[str]) -> str:
    """Write the report in Markdown.

    Parameters
    ----------
    board : Board
        The results.
    notes : sequence of str
        What was left out, and why.
    """
    parts = [
        "# Leaderboard: which choice of rows, with which estimate, needs the fewest labels",
        "",
        *main_table(board),
        "",
        caption(board),
        "",
        "![Mean gap against labels](leaderboard.png)",
        "",
        *_reading(board),
        *_targets(board),
        *_relative_by_set(board),
        *_gaps_by_set(board),
        *_labels_by_set(board),
        *_traps(board),
        *_reliability(board),
        *_speeds(board),
        *_tuning(),
        *_making(board, notes),
    ]
    return "\n".join(parts) + "\n"


def _reading(board: Board) -> list[str]:
    between = ", ".join(map(str, BETWEEN))
    return [
        "A choice says which row is labelled next, an estimate says which features look best. Plug-in: by the labelled "
        "rows alone. Assisted: a model learns from the labels and completes the table, and features are judged by all "
        "rows. The labels of a run serve both estimates, and all k unless the choice depends on k, as that of AFS "
        "does. AFS + plug-in is run with both floors of rho, AFS + assisted with the default one ('labelled') only.",
        "",
        "The gap is the sum of the true conditional entropies of the chosen features minus the sum over the true best "
        "k, in nats; 0 is perfect. Gaps, not ratios, are averaged over sets. Intervals of ratios are from runs drawn "
        "again with replacement (2,000 times, the better floor kept), those in `leaderboard.csv` are Student's t. "
        f"Gaps at {between} labels are in the tables but not in the means. Of a table with few rows at most 80% are "
        "labelled, and k above half of its features is left out. 'Labels to reach AFS's gap' is the first measured "
        "label count whose mean gap is at most the smaller gap of AFS's two floors at the last one.",
        "",
        "![Relative gap of all entries](relative.png)",
        "",
        "![Gap against labels on every data set](datasets.png)",
        "",
    ]


def _targets(board: Board) -> list[str]:
    found = targets(board)
    if not found:
        return []
    rows = [
        [t.what, t.wanted, t.measured, "**met**" if not t.missed_by else f"**missed** by {t.missed_by}"] for t in found
    ]
    return [
        *("## Targets of assisted + assisted", ""),
        *markdown_table(["target", "wanted", "measured", "verdict"], rows),
        "",
        "The time of a question on a million rows is measured by `make bench`, not here.",
        "",
    ]


def _relative_by_set(board: Board) -> list[str]:
    """Ratio to the better floor, set by set, of every entry."""

    def cells(source: Source, k: int) -> list[str]:
        ratios = (relative(board, [source], k, entry) for entry in board.entries)
        return ["–" if ratio is None else f"{ratio.value:.2f}" for ratio in ratios]

    title = "## Mean gap relative to AFS + plug-in (its better floor on each set), set by set"
    return [title, "", *_by_set(board, cells), ""]


def _gaps_by_set(board: Board) -> list[str]:
    def cells(source: Source, k: int) -> list[str]:
        means = [float(board.scores(source, k, entry).mean()) for entry in board.entries]
        return [f"**{m:.4f}**" if m == min(means) else f"{m:.4f}" for m in means]

    title = "## Mean gap in nats, set by set"
    return [title, "", "The smallest of a row is in bold.", "", *_by_set(board, cells), ""]


def _labels_by_set(board: Board) -> list[str]:
    def cells(source: Source, k: int) -> list[str]:
        last = board.settings.measured_of(source)[-1]
        return [shown_labels(labels_needed(board, [source], k, entry), last) for entry in board.entries]

    return ["## Labels to reach AFS's gap at the last label count, set by set", "", *_by_set(board, cells), ""]


def _by_set(board: Board, cells: Callable[[Source, int], list[str]]) -> list[str]:
    """A table with a row per data set and k, and a column per entry."""
    head = ["data set, k", *(f"{choice} + {estimate}" for choice, estimate in board.entries)]
    return markdown_table(head, [[f"{source.name} {k}", *cells(source, k)] for source, k in board.cells()])


def _traps(board: Board) -> list[str]:
    rows = []
    for source, k in board.cells():
        found = against_random(board, source, k) if source.name in _sets.TRAP_NAMES else None
        if found is None:
            continue
        base, mine = (float(board.scores(source, k, entry).mean()) for entry in (BASE, WINNER))
        verdict = "no worse" if found[0] <= found[1] else "**worse**"
        rows.append([f"{source.name} {k}", f"{base:.4f}", f"{found[1]:.4f}", f"{mine:.4f}", verdict])
    if not rows:
        return []
    return [
        "## Traps",
        "",
        "Tables made to catch a method out: XOR (no feature is informative alone), NOISY (a fifth of the labels "
        "wrong), RARE (1% positives), WIDE (10,000 noise features), SMALL (200 rows), INDEPENDENT (labels by the toss "
        "of a coin). Mean gap in nats; the spread is the standard deviation of the runs of random + plug-in.",
        "",
        *markdown_table(["trap, k", "random + plug-in", "its spread", "assisted + assisted", "verdict"], rows),
        "",
    ]


def _reliability(board: Board) -> list[str]:
    found = [(source.name, d) for source in board.settings.sources if (d := reliability(board, [source])) is not None]
    if not found:
        return []
    overall = reliability(board, board.settings.sources)
    assert overall is not None
    return [
        "## What the assisted estimate says about itself",
        "",
        "Coverage: share of chosen features whose true mutual information lies within their 95% bounds. Correlation: "
        "Spearman's, of expected and true gap over runs and label counts, for each k, mean over k. Informative: share "
        "of answers that say that the table has to do with the labels. Choice assisted, all measured label counts.",
        "",
        *markdown_table(
            ["data set", "coverage", "correlation", "mean expected gap", "mean true gap", "informative"],
            [_reliability_row(name, d) for name, d in [*found, ("**all**", overall)]],
        ),
        "",
        "![Expected against true gap](expected.png)",
        "",
    ]


def _reliability_row(name: str, d: Reliability) -> list[str]:
    correlation = "–" if d.correlation != d.correlation else f"{d.correlation:.2f}"
    return [name, f"{d.coverage:.0%}", correlation, f"{d.expected:.4f}", f"{d.true:.4f}", f"{d.informative:.0%}"]


def _speeds(board: Board) -> list[str]:
    choices = [line.name for line in board.settings.lines]
    parts = [
        "## Speed",
        "",
        "Mean milliseconds of a question; for assisted also the longest single question, the time of an estimate "
        "without bounds, and that of preparing the assistant, once per table. Time of the processor, one thread: what "
        "else runs on the machine makes the clock, which is in `speed.csv` too, go on longer.",
        "",
    ]
    rows = []
    for name in board.settings.datasets:
        cells = [f"{1e3 * board.speeds[name, choice].per_label:.1f}" for choice in choices]
        own = board.speeds.get((name, CHOSEN))
        rest = ["–"] * 3
        if own is not None:
            rest = [f"{1e3 * own.largest:.0f} ms", f"{1e3 * own.per_estimate:.0f} ms", f"{own.preparing:.1f} s"]
        rows.append([name, *cells, *rest])
    head = ["data set", *choices, "longest, assisted", "estimate", "preparation"]
    return [*parts, *markdown_table(head, rows), ""]


def _tuning() -> list[str]:
    seen = {*_sets.TUNED_ON, *_sets.LOOKED_AT}
    return [
        "## Which sets chose the constants",
        "",
        f"Constants of the assisted estimate and choice were set on {', '.join(_sets.TUNED_ON)} (the last four for "
        f"robustness, made-up tables like NOISY and WIDE included). {', '.join(_sets.LOOKED_AT)} was looked at, but "
        f"nothing was chosen on it. Untouched: {', '.join(n for n in _sets.NAMES if n not in seen)}.",
        "",
    ]


def _making(board: Board, notes: Sequence[str]) -> list[str]:
    settings = board.settings
    strategies = ",".join(dict.fromkeys(line.strategy for line in settings.lines))
    command = (
        f"activefs leaderboard --strategies {strategies} --datasets {','.join(settings.datasets)} "
        f"--k {','.join(map(str, settings.ks))} --runs {settings.runs} --budget {settings.budget} "
        f"--seed {settings.seed} --out DIR"
    )
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return [
        *("## How it was made", "", "```sh", command, "```", ""),
        f"activefs {__version__}, {machine}; {board.hours:.1f} hours of one core for all runs and estimates, without "
        "pictures. Every run has a seed of its own, also for the model. Numbers: "
        "`leaderboard.csv`, `uncertainty.csv`, `speed.csv`.",
        "",
        *(f"- {note}." for note in notes),
    ]
