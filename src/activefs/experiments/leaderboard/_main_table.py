"""The tables that matter: of sets on which no constant was chosen, for report and README, and of others beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from activefs.experiments.leaderboard._board import Board, Cell, Entry
from activefs.experiments.leaderboard._choices import AFS, ASSISTED, CHOSEN, FLOORS, PLUG_IN, RANDOM
from activefs.experiments.leaderboard._groups import BESIDE, SetGroup, constants, headline
from activefs.experiments.leaderboard._relative import common_counts, labels_needed, relative, shown_labels
from activefs.experiments.leaderboard._target import WINNER
from activefs.runs import markdown_table

SHORT: tuple[Entry, ...] = (
    (RANDOM, PLUG_IN),
    (AFS, PLUG_IN),
    (RANDOM, ASSISTED),
    (AFS, ASSISTED),
    ("uncertainty", ASSISTED),
    (CHOSEN, ASSISTED),
)
"""What the README shows."""


def main_table(board: Board, only: Sequence[Entry] | None = None) -> list[str]:
    """Relative gap for every k, labels needed and time per label, in Markdown; the smallest gaps in bold."""
    group, entries = headline(board), _entries(board, only)
    ks = group.ks(board)
    columns = [_ratios(board, group, group.cells(board, k), entries) for k in ks]
    cells = group.cells(board, ks[0])
    last = common_counts(board, cells)[-1]
    rows = []
    for entry, *shown in zip(entries, *columns, strict=True):
        needed = shown_labels(labels_needed(board, cells, entry, alike=group.alike), last)
        rows.append([*_called(entry), *shown, needed, _milliseconds(board, group, entry)])
    reach = f"labels to reach AFS's gap at {last}, k={ks[0]}"
    return markdown_table(["choice", "estimate", *(f"k={k}" for k in ks), reach, "ms per label"], rows)


def caption(board: Board) -> str:
    """What the numbers of the main table are."""
    group = headline(board)
    names = group.run(board)
    counts = max((board.settings.counts_of(source) for source, _ in group.cells(board)), key=len)
    return (
        f"Gap to the true best k features relative to AFS + plug-in with its better floor on each set: mean over "
        f"{', '.join(map(str, counts))} labels (at most 80% of the rows), {board.settings.runs} runs and "
        f"{', '.join(names)}{_only_for_some(board, group)}, every set counting alike, with its 95% interval. Smaller "
        f"is better. {constants(names)}"
    )


def _only_for_some(board: Board, group: SetGroup) -> str:
    """Which sets are averaged for some k only, since they have too few columns for the others."""
    of: dict[str, list[int]] = {}
    for k in group.ks(board):
        for source, _ in group.cells(board, k):
            of.setdefault(source.name, []).append(k)
    few: dict[str, list[str]] = {}
    for name, ks in of.items():
        if len(ks) < len(group.ks(board)):
            few.setdefault(" and ".join(map(str, ks)), []).append(name)
    return "".join(f" ({', '.join(names)}: k={ks} only)" for ks, names in few.items())


def beside_table(board: Board) -> list[str]:
    """Relative gaps on the paper's sets and on public tables, and what to think of them; nothing if none was run."""
    groups = [group for group in BESIDE if group.cells(board)]
    if not groups:
        return []
    entries = _entries(board)
    head, columns = ["choice", "estimate"], []
    for group in groups:
        for cells, which in group.averages(board):
            head.append(f"{group.title}, {which}")
            columns.append(_ratios(board, group, cells, entries))
    rows = [[*_called(entry), *shown] for entry, *shown in zip(entries, *columns, strict=True)]
    return [
        *("## The paper's sets and public tables", ""),
        "The same on sets on some or all of which constants were chosen, as said below the table.",
        "",
        *markdown_table(head, rows),
        "",
        *(f"- *{group.title}*: {_about(board, group)}" for group in groups),
        "",
    ]


def short_table(board: Board) -> str:
    """The README's table."""
    return "\n".join([*main_table(board, SHORT), "", f"{_short_caption(board)}{_elsewhere(board)}", ""])


def _short_caption(board: Board) -> str:
    """What the numbers are, for somebody who has not read the report."""
    group = headline(board)
    names = group.run(board)
    counts = max((board.settings.counts_of(source) for source, _ in group.cells(board)), key=len)
    return (
        f"Gap to the true best k features, divided by that of AFS + plug-in (the better of its two variants on each "
        f"set); mean over {counts[0]} to {counts[-1]} labels, {_data_sets(board, group)} and {board.settings.runs} "
        f"runs, with its 95% interval. Smaller is better. {constants(names)}"
    )


def _data_sets(board: Board, group: SetGroup) -> str:
    """How many sets are averaged; a set with few columns is not among those of every k."""
    by_number: dict[int, list[int]] = {}
    for k in group.ks(board):
        by_number.setdefault(len(group.cells(board, k)), []).append(k)
    said = [
        f"{number} data set{'s' if number > 1 else ''}" + (f" (k={' and '.join(map(str, ks))})" * (len(by_number) > 1))
        for number, ks in by_number.items()
    ]
    return ", ".join(said)


def _elsewhere(board: Board) -> str:
    """How the winner does on the other groups, from the best to the worst of them; nothing if none was run."""
    found = [
        ratio
        for group in BESIDE
        for cells, _ in group.averages(board)
        if (ratio := relative(board, cells, WINNER, alike=group.alike)) is not None
    ]
    if not found:
        return ""
    values = sorted(found, key=lambda ratio: ratio.value)
    first, last = (f"{ratio}".partition(" ")[0] for ratio in (values[0], values[-1]))
    shown = first if first == last else f"{first} to {last}"
    about = "On others, which are harder for a model, and on some or all of which constants were chosen"
    return f" {about}, assisted + assisted has {shown}."


def _entries(board: Board, only: Sequence[Entry] | None = None) -> list[Entry]:
    return [entry for entry in (board.entries if only is None else only) if entry in board.entries]


def _called(entry: Entry) -> tuple[str, str]:
    choice, estimate = entry
    return choice.replace("afs", "AFS") if choice in FLOORS else choice, estimate


def _ratios(board: Board, group: SetGroup, cells: Sequence[Cell], entries: Sequence[Entry]) -> list[str]:
    """One column: the ratio of every entry, the smallest in bold."""
    found = [relative(board, cells, entry, alike=group.alike) for entry in entries]
    best = min((ratio.value for ratio in found if ratio is not None), default=np.nan)
    shown = ["–" if ratio is None else str(ratio) for ratio in found]
    return [
        f"**{text}**" if ratio is not None and ratio.value == best else text
        for text, ratio in zip(shown, found, strict=True)
    ]


def _about(board: Board, group: SetGroup) -> str:
    names = group.run(board)
    how = (
        "every set counts alike"
        if group.alike
        else "gaps are averaged in nats, so that sets with large ones count more"
    )
    return f"{', '.join(names)}; {how}. {constants(names)}"


def _milliseconds(board: Board, group: SetGroup, entry: Entry) -> str:
    """Mean time of a question; an assisted estimate is made when an answer is wanted, not for every label."""
    cells = group.cells(board, group.ks(board)[0])
    return f"{1e3 * float(np.mean([board.speeds[source.name, entry[0]].per_label for source, _ in cells])):.1f}"
