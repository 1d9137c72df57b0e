"""The one table that matters, for the report and, shorter, for the README."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from activefs.experiments.leaderboard._board import Board, Entry
from activefs.experiments.leaderboard._choices import AFS, ASSISTED, CHOSEN, FLOORS, PLUG_IN, RANDOM
from activefs.experiments.leaderboard._relative import common_counts, headline_sets, labels_needed, relative
from activefs.experiments.leaderboard._targets import shown_labels
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
    ks = [k for k in reversed(board.settings.ks) if headline_sets(board, k)]
    entries = [entry for entry in (board.entries if only is None else only) if entry in board.entries]
    ratios = {(entry, k): relative(board, headline_sets(board, k), k, entry) for entry in entries for k in ks}
    best = {k: min((r.value for e in entries if (r := ratios[e, k]) is not None), default=np.nan) for k in ks}
    first = ks[0]
    last = common_counts(board, headline_sets(board, first))[-1]
    rows = []
    for entry in entries:
        shown = []
        for k in ks:
            ratio = ratios[entry, k]
            text = "–" if ratio is None else str(ratio)
            shown.append(f"**{text}**" if ratio is not None and ratio.value == best[k] else text)
        needed = shown_labels(labels_needed(board, headline_sets(board, first), first, entry), last)
        choice = entry[0] if entry[0] not in FLOORS else entry[0].replace("afs", "AFS")
        rows.append([choice, entry[1], *shown, needed, _milliseconds(board, entry)])
    reach = f"labels to reach AFS's gap at {last}, k={first}"
    return markdown_table(["choice", "estimate", *(f"k={k}" for k in ks), reach, "ms per label"], rows)


def caption(board: Board) -> str:
    """What the numbers of the table are."""
    ks = [k for k in board.settings.ks if headline_sets(board, k)]
    sets = list(dict.fromkeys(s.name for k in ks for s in headline_sets(board, k)))
    counts = [str(n) for n in board.settings.counts_of(headline_sets(board, ks[-1])[0])]
    return (
        f"Gap to the true best k features relative to AFS + plug-in with its better floor on each set: mean over "
        f"{', '.join(counts)} labels, {board.settings.runs} runs and {', '.join(sets)}, with its 95% interval. "
        "Smaller is better."
    )


def short_table(board: Board) -> str:
    """The README's table."""
    return "\n".join([*main_table(board, SHORT), "", caption(board), ""])


def _milliseconds(board: Board, entry: Entry) -> str:
    """Mean time of a question; an assisted estimate is made when an answer is wanted, not for every label."""
    k = max(k for k in board.settings.ks if headline_sets(board, k))
    times = [board.speeds[source.name, entry[0]].per_label for source in headline_sets(board, k)]
    return f"{1e3 * float(np.mean(times)):.1f}"
