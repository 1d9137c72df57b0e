"""Pictures of the leaderboard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from activefs.experiments.leaderboard import _sets
from activefs.experiments.leaderboard._board import Board
from activefs.experiments.leaderboard._choices import ASSISTED, PLUG_IN
from activefs.experiments.leaderboard._curves import draw_curves, panels
from activefs.experiments.leaderboard._groups import BESIDE, groups_of, headline
from activefs.experiments.leaderboard._relative import relative
from activefs.rendering import png
from activefs.runs import Source

_BARS = {PLUG_IN: "#9ecae1", ASSISTED: "#d55e00"}
_MARKERS = (("#0072b2", "o"), ("#009e73", "s"), ("#d55e00", "^"), ("#cc79a7", "D"), ("#56b4e9", "v"))
_WIDTH = 4  # small pictures side by side


def headline_picture(board: Board) -> bytes:
    """Mean gap over the sets of the first table against labels, four lines, for the largest and the smallest k."""
    group = headline(board)
    ks = list(dict.fromkeys((group.ks(board)[0], group.ks(board)[-1])))
    figure, grid = panels(1, len(ks), (4.9 * len(ks) + 0.6, 4.0))
    for axes, k in zip(grid[0], ks, strict=True):
        cells = group.cells(board, k)
        draw_curves(axes, board, cells, alike=group.alike)
        axes.set_title(f"the {k} best features, mean of {len(cells)} data set{'s' * (len(cells) > 1)}", fontsize=11)
        axes.set(xlabel="labels", ylabel="gap to the true best (chosen blindly: 1)")
    grid[0, 0].legend(frameon=False, fontsize=9)
    return png(figure, dpi=100)


def relative_picture(board: Board) -> bytes:
    """Bars: mean gap of every entry relative to AFS + plug-in, with 95% intervals; first the main table's sets."""
    first = headline(board)
    above = [(first, first.cells(board, k), f"k={k}") for k in first.ks(board)]
    beside = [(group, *group.averages(board)[0]) for group in BESIDE if group.cells(board)]
    rows = [row for row in (above, beside) if row]
    width, entries = max(map(len, rows)), board.entries[::-1]
    figure, grid = panels(
        len(rows), width, (3.2 * width + 1.8, (0.32 * len(entries) + 0.8) * len(rows) + 0.5), sharey=True
    )
    for row, line in zip(rows, grid, strict=True):
        for axes in line[len(row) :]:
            axes.set_axis_off()
        for axes, (group, cells, which) in zip(line, row, strict=False):
            for place, entry in enumerate(entries):
                ratio = relative(board, cells, entry, alike=group.alike)
                if ratio is None:
                    continue
                axes.barh(place, ratio.value, color=_BARS[entry[1]], height=0.7)
                axes.plot([ratio.low, ratio.high], [place, place], color="black", linewidth=1)
                axes.text(ratio.high + 0.03, place, f"{ratio.value:.2f}", va="center", fontsize=8)
            axes.axvline(1.0, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)))
            axes.set_yticks(range(len(entries)), [f"{choice} + {estimate}" for choice, estimate in entries], fontsize=9)
            axes.set_title(f"{group.title}, {which}", fontsize=11)
            axes.margins(x=0.15)
            axes.set_xlim(0, None)
    figure.supxlabel("mean gap relative to AFS + plug-in with its better floor; bar: 95% interval", fontsize=9)
    return png(figure, dpi=100)


def datasets_picture(board: Board) -> bytes | None:
    """Gap against labels on every data set that is no public table."""
    return _small_pictures(board, [s for s in board.settings.sources if not _sets.is_table(s)])


def tables_picture(board: Board) -> bytes | None:
    """Gap against labels on every public table, as it is and shuffled side by side."""
    tables = [s for s in board.settings.sources if _sets.is_table(s)]
    return _small_pictures(board, sorted(tables, key=lambda s: s.name))


def _small_pictures(board: Board, sources: Sequence[Source]) -> bytes | None:
    """Small multiples, each for the largest k of its data set."""
    cells = [(source, board.settings.ks_of(source)[-1]) for source in sources]
    if not cells:
        return None
    width = min(_WIDTH, len(cells))
    height = -(-len(cells) // width)
    figure, grid = panels(height, width, (3.0 * width + 0.4, 2.3 * height + 0.8))
    for axes in grid.ravel()[len(cells) :]:
        axes.set_axis_off()
    for axes, cell in zip(grid.ravel(), cells, strict=False):
        draw_curves(axes, board, [cell])
        axes.set_title(f"{cell[0].name}, k = {cell[1]}", fontsize=9)
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
    figure, grid = panels(1, 1, (5.2, 4.8))
    axes = grid[0, 0]
    smallest = 1e-4
    for group, (colour, marker) in zip(groups_of(board), _MARKERS, strict=False):
        found = [board.reliability[s.name, k] for s, k in group.cells(board) if (s.name, k) in board.reliability]
        if found:
            points = np.maximum(np.concatenate([values[..., 1:3].mean(axis=0) for values in found]), smallest)
            axes.plot(points[:, 0], points[:, 1], marker, color=colour, markersize=4, alpha=0.7, label=group.title)
    axes.set(
        xscale="log", yscale="log", xlabel="expected gap (nats)", ylabel="true gap (nats); below 0.0001: at the edge"
    )
    ends = np.array([smallest, max(axes.get_xlim()[1], axes.get_ylim()[1])])
    axes.plot(ends, ends, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)))
    axes.legend(frameon=False, fontsize=9)
    return png(figure, dpi=100)
