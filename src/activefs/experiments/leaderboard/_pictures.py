"""Pictures of the leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from activefs.experiments.leaderboard._board import Board, Entry
from activefs.experiments.leaderboard._choices import AFS, ASSISTED, CHOSEN, PLUG_IN, RANDOM
from activefs.experiments.leaderboard._relative import (
    better_floor,
    common_counts,
    headline_sets,
    mean_curve,
    relative,
)
from activefs.experiments.leaderboard._sets import TRAP_NAMES
from activefs.rendering import png
from activefs.runs import PAPER_SETS, Source

# Colours that people with colour-blindness tell apart (Okabe and Ito), and dashes besides.
_LINES: tuple[tuple[Entry, str, str, Any], ...] = (
    ((RANDOM, PLUG_IN), "random rows, plug-in estimate", "#4d4d4d", (0, (1, 1))),
    ((AFS, PLUG_IN), "AFS, plug-in estimate", "#0072b2", "-"),
    ((AFS, ASSISTED), "AFS, assisted estimate", "#e69f00", (0, (5, 1.5))),
    ((CHOSEN, ASSISTED), "assisted choice and estimate", "#d55e00", "-"),
)
_BARS = {PLUG_IN: "#9ecae1", ASSISTED: "#d55e00"}


def headline_picture(board: Board) -> bytes:
    """Mean gap over data sets against labels, four lines, for the largest and the smallest k."""
    ks = sorted({k for k in board.settings.ks if headline_sets(board, k)}, reverse=True)
    ks = list(dict.fromkeys((ks[0], ks[-1])))
    figure, grid = _figure(1, len(ks), (4.9 * len(ks) + 0.6, 4.0))
    for axes, k in zip(grid[0], ks, strict=True):
        sources = headline_sets(board, k)
        _curves(axes, board, sources, k)
        axes.set_title(f"the {k} best features, mean of {len(sources)} data set{'s' * (len(sources) > 1)}", fontsize=11)
        axes.set(xlabel="labels", ylabel="gap to the true best (nats)")
    grid[0, 0].legend(frameon=False, fontsize=9)
    return png(figure, dpi=100)


def relative_picture(board: Board) -> bytes:
    """Bars: mean gap of every entry relative to AFS + plug-in, with 95% intervals."""
    ks = [k for k in reversed(board.settings.ks) if headline_sets(board, k)]
    entries = board.entries[::-1]
    figure, grid = _figure(1, len(ks), (3.2 * len(ks) + 1.8, 0.32 * len(entries) + 1.3), sharey=True)
    for axes, k in zip(grid[0], ks, strict=True):
        for place, entry in enumerate(entries):
            ratio = relative(board, headline_sets(board, k), k, entry)
            if ratio is None:
                continue
            axes.barh(place, ratio.value, color=_BARS[entry[1]], height=0.7)
            axes.plot([ratio.low, ratio.high], [place, place], color="black", linewidth=1)
            axes.text(ratio.high + 0.03, place, f"{ratio.value:.2f}", va="center", fontsize=8)
        axes.axvline(1.0, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)))
        axes.set_yticks(range(len(entries)), [f"{choice} + {estimate}" for choice, estimate in entries], fontsize=9)
        axes.set_title(f"k = {k}", fontsize=11)
        axes.margins(x=0.15)
        axes.set_xlim(0, None)
    figure.supxlabel("mean gap relative to AFS + plug-in with its better floor; bar: 95% interval", fontsize=9)
    return png(figure, dpi=100)


def datasets_picture(board: Board) -> bytes:
    """Small multiples: gap against labels on every data set, for its largest k."""
    cells = [(source, board.settings.ks_of(source)[-1]) for source in board.settings.sources]
    width = min(4, len(cells))
    figure, grid = _figure(-(-len(cells) // width), width, (3.0 * width + 0.4, 2.3 * -(-len(cells) // width) + 0.8))
    for axes in grid.ravel()[len(cells) :]:
        axes.set_axis_off()
    for axes, (source, k) in zip(grid.ravel(), cells, strict=False):
        _curves(axes, board, [source], k)
        axes.set_title(f"{source.name}, k = {k}", fontsize=9)
        axes.tick_params(labelsize=7)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), width), frameon=False)
    figure.supxlabel("labels", fontsize=9)
    figure.supylabel(f"mean gap of {board.settings.runs} runs (nats), band: 95% interval", fontsize=9)
    return png(figure, dpi=100)


def expected_picture(board: Board) -> bytes | None:
    """Expected against true gap, one point per data set, k and label count (mean over runs)."""
    if not board.reliability:
        return None
    figure, grid = _figure(1, 1, (5.2, 4.8))
    axes = grid[0, 0]
    groups: dict[str, list[Any]] = {"the paper's sets": [], "other sets": [], "traps": []}
    for (name, _), values in board.reliability.items():
        group = "the paper's sets" if name in PAPER_SETS else "traps" if name in TRAP_NAMES else "other sets"
        groups[group].append(values[..., 1:3].mean(axis=0))
    smallest = 1e-4
    for (group, parts), colour, marker in zip(groups.items(), ("#0072b2", "#009e73", "#d55e00"), "os^", strict=True):
        if parts:
            points = np.maximum(np.concatenate(parts), smallest)
            axes.plot(points[:, 0], points[:, 1], marker, color=colour, markersize=4, alpha=0.7, label=group)
    axes.set(
        xscale="log", yscale="log", xlabel="expected gap (nats)", ylabel="true gap (nats); below 0.0001: at the edge"
    )
    ends = np.array([smallest, max(axes.get_xlim()[1], axes.get_ylim()[1])])
    axes.plot(ends, ends, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)))
    axes.legend(frameon=False, fontsize=9)
    return png(figure, dpi=100)


def _curves(axes: Any, board: Board, sources: Sequence[Source], k: int) -> None:
    """Draw the four lines with bands of 95%. The y axis is a square root: much lies near 0."""
    counts = common_counts(board, sources)
    floor = better_floor(board, sources, k)
    for entry, label, colour, dashes in _LINES:
        shown = floor if entry == (AFS, PLUG_IN) and floor is not None else entry
        curve = mean_curve(board, sources, k, shown)
        if curve is None:
            continue
        name = label.replace("AFS,", "AFS (its better floor),") if entry == (AFS, PLUG_IN) else label
        axes.plot(counts, curve, color=colour, linestyle=dashes, marker=".", markersize=4, linewidth=1.7, label=name)
        if board.settings.runs > 1:  # data sets are independent of each other
            halves = [board.gaps[s.name, k, *shown].half_width[: len(counts)] for s in sources]
            half = np.sqrt(np.square(halves).sum(axis=0)) / len(sources)
            axes.fill_between(
                counts, np.maximum(curve - half, 0.0), curve + half, color=colour, alpha=0.13, linewidth=0
            )
    axes.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0.0)), np.square))
    top = max((float(line.get_ydata().max()) for line in axes.lines), default=0.0)
    axes.set(xlim=(0, counts[-1]), ylim=(0, 1.25 * top if top > 0 else 0.01))  # wide bands of few runs may be cut off


def _figure(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Figure, Any]:
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in grid.ravel():
        axes.spines[["top", "right"]].set_visible(False)
    return figure, grid
