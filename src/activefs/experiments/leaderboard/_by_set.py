"""The parts of the report that go through every data set."""

from __future__ import annotations

from collections.abc import Callable

from activefs.experiments.leaderboard._board import Board, Cell
from activefs.experiments.leaderboard._choices import CHOSEN
from activefs.experiments.leaderboard._groups import TRAPS, groups_of
from activefs.experiments.leaderboard._other_targets import against_random
from activefs.experiments.leaderboard._relative import labels_needed, relative, shown_labels
from activefs.experiments.leaderboard._reliability import Reliability, reliability
from activefs.experiments.leaderboard._target import BASE, WINNER
from activefs.runs import markdown_table


def relative_by_set(board: Board) -> list[str]:
    """Ratio to the better floor, set by set, of every entry."""

    def columns(cell: Cell) -> list[str]:
        ratios = (relative(board, [cell], entry) for entry in board.entries)
        return ["–" if ratio is None else f"{ratio.value:.2f}" for ratio in ratios]

    title = "## Mean gap relative to AFS + plug-in (its better floor on each set), set by set"
    return [title, "", *_by_set(board, columns)]


def gaps_by_set(board: Board) -> list[str]:
    """Mean gap, set by set, of every entry and of features chosen blindly."""

    def columns(cell: Cell) -> list[str]:
        means = [float(board.scores(cell, entry).mean()) for entry in board.entries]
        shown = [f"**{m:.4f}**" if m == min(means) else f"{m:.4f}" for m in means]
        return [f"{board.blind[cell[0].name, cell[1]]:.4f}", *shown]

    text = "The smallest of a row is in bold. Blind: the gap of features that are chosen without any label, on average."
    return ["## Mean gap in nats, set by set", "", text, "", *_by_set(board, columns, ["blind"])]


def labels_by_set(board: Board) -> list[str]:
    """Labels that every entry needs to be as good as AFS in the end, set by set."""

    def columns(cell: Cell) -> list[str]:
        last = board.settings.measured_of(cell[0])[-1]
        return [shown_labels(labels_needed(board, [cell], entry), last) for entry in board.entries]

    return ["## Labels to reach AFS's gap at the last label count, set by set", "", *_by_set(board, columns)]


def _by_set(board: Board, columns: Callable[[Cell], list[str]], first: list[str] | None = None) -> list[str]:
    """A table for each group of sets, with a row per data set and k, and a column per entry."""
    head = ["data set, k", *(first or []), *(f"{choice} + {estimate}" for choice, estimate in board.entries)]
    parts: list[str] = []
    for group in groups_of(board):
        rows = [[f"{source.name} {k}", *columns((source, k))] for source, k in group.cells(board)]
        parts += [f"### {group.title.capitalize()}", "", *markdown_table(head, rows), ""]
    return parts


def traps_section(board: Board) -> list[str]:
    """How "assisted" fares on the traps."""
    rows = []
    for cell in TRAPS.cells(board):
        found = against_random(board, cell)
        if found is None:
            continue
        base, mine = (float(board.scores(cell, entry).mean()) for entry in (BASE, WINNER))
        verdict = "no worse" if found[0] <= found[1] else "**worse**"
        rows.append([f"{cell[0].name} {cell[1]}", f"{base:.4f}", f"{found[1]:.4f}", f"{mine:.4f}", verdict])
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


def reliability_section(board: Board) -> list[str]:
    """What bounds and expected gaps are worth."""
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
        "![Expected gap against true gap, on every data set](expected.png)",
        "",
    ]


def _reliability_row(name: str, d: Reliability) -> list[str]:
    correlation = "–" if d.correlation != d.correlation else f"{d.correlation:.2f}"
    return [name, f"{d.coverage:.0%}", correlation, f"{d.expected:.4f}", f"{d.true:.4f}", f"{d.informative:.0%}"]


def speed_section(board: Board) -> list[str]:
    """How long everything took."""
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
