"""Curves of gaps against labels, as several pictures draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from activefs.experiments.leaderboard._board import Board, Cell, Entry
from activefs.experiments.leaderboard._choices import AFS, ASSISTED, CHOSEN, PLUG_IN, RANDOM
from activefs.experiments.leaderboard._relative import better_floor, common_counts, mean_curve

# Colours that people with colour-blindness tell apart (Okabe and Ito), and dashes besides.
_LINES: tuple[tuple[Entry, str, str, Any], ...] = (
    ((RANDOM, PLUG_IN), "random rows, plug-in estimate", "#4d4d4d", (0, (1, 1))),
    ((AFS, PLUG_IN), "AFS, plug-in estimate", "#0072b2", "-"),
    ((AFS, ASSISTED), "AFS, assisted estimate", "#e69f00", (0, (5, 1.5))),
    ((CHOSEN, ASSISTED), "assisted choice and estimate", "#d55e00", "-"),
)


def draw_curves(axes: Any, board: Board, cells: Sequence[Cell], *, alike: bool = False) -> None:
    """Draw the four lines with bands of 95%. The y axis is a square root: much lies near 0."""
    counts = common_counts(board, cells)
    floor = better_floor(board, cells, alike=alike)
    for entry, label, colour, dashes in _LINES:
        shown = floor if entry == (AFS, PLUG_IN) and floor is not None else entry
        curve = mean_curve(board, cells, shown, alike=alike)
        if curve is None:
            continue
        name = label.replace("AFS,", "AFS (its better floor),") if entry == (AFS, PLUG_IN) else label
        axes.plot(counts, curve, color=colour, linestyle=dashes, marker=".", markersize=4, linewidth=1.7, label=name)
        if board.settings.runs > 1:  # data sets are independent of each other
            halves = [
                board.gaps[s.name, k, *shown].half_width[: len(counts)] / board.unit((s, k), alike) for s, k in cells
            ]
            half = np.sqrt(np.square(halves).sum(axis=0)) / len(cells)
            axes.fill_between(
                counts, np.maximum(curve - half, 0.0), curve + half, color=colour, alpha=0.13, linewidth=0
            )
    axes.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0.0)), np.square))
    top = max((float(line.get_ydata().max()) for line in axes.lines), default=0.0)
    axes.set(xlim=(0, counts[-1]), ylim=(0, 1.25 * top if top > 0 else 0.01))  # wide bands of few runs may be cut off


def panels(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Figure, Any]:
    """Make a figure with a grid of plain panels."""
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in grid.ravel():
        axes.spines[["top", "right"]].set_visible(False)
    return figure, grid
