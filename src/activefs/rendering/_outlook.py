"""Pictures of what is to come, and of how many features are enough."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import ArrayLike

from activefs.rendering._pictures import BLUE, GREY, ORANGE
from activefs.rendering._ranking import short_name

Spans = tuple[ArrayLike, ArrayLike, ArrayLike]


def draw_curve(
    names: Sequence[str], together: Spans, alone: Spans | None, all_columns: float, *, k: int, axes: Axes
) -> Axes:
    """Draw what the first features tell together as a line with its interval, and what each tells alone as a bar.

    Parameters
    ----------
    names : sequence of str
        The features, in order.
    together, alone : tuple of three arrays
        Nats and their lower and upper bounds; `alone` is left out if it has another unit.
    all_columns : float
        What all columns tell, in nats; NaN if that is not known.
    k : int
        How many features were wanted: a line is drawn behind them.
    axes : Axes
        Where to draw.
    """
    at = np.arange(1, len(names) + 1)
    middle, low, high = (np.asarray(numbers, dtype=np.float64) for numbers in together)
    if alone is not None:
        score, least, most = (np.asarray(numbers, dtype=np.float64) for numbers in alone)
        axes.bar(at, score, color="#c9d3d9", width=0.6, label="each alone")
        spread = np.maximum([score - least, most - score], 0.0)
        axes.errorbar(at, score, yerr=spread, fmt="none", ecolor=GREY, elinewidth=1, capsize=2)
    axes.fill_between(at, low, high, color=BLUE, alpha=0.18, linewidth=0)
    axes.plot(at, middle, color=BLUE, marker="o", markersize=4, label="the first ones together")
    axes.set_ylabel("nats")
    tallest = np.nanmax([*high, all_columns, 0.0 if alone is None else float(np.max(alone[2])), 1e-3])
    narrow = axes.bbox.width < 5 * axes.figure.dpi
    axes.set_ylim(0, (1.35 if narrow else 1.2) * tallest)  # room for the legend
    if np.isfinite(all_columns) and all_columns > 0:
        axes.axhline(all_columns, color=ORANGE, linestyle="--", linewidth=1, label="all columns")
        share = axes.secondary_yaxis("right", functions=(partial(np.multiply, 100 / all_columns),
                                                         partial(np.multiply, all_columns / 100)))  # fmt: skip
        share.set_ylabel("% of what all columns tell")
        share.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.0f}"))
        share.spines["right"].set_visible(False)
    if k < len(names):
        axes.axvline(k + 0.5, color=GREY, linestyle=":", linewidth=1)
    axes.set_xticks(at, [f"{i}. {short_name(name, 18)}" for i, name in zip(at, names, strict=True)])
    axes.tick_params(axis="x", labelrotation=60)
    for label in axes.get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")
    axes.legend(frameon=False, loc="upper left", ncols=2 if narrow else 3)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def draw_forecast(
    points: Sequence[tuple[int, float]], line: Sequence[tuple[int, float]], target: float | None, unit: str, axes: Axes
) -> Axes:
    """Draw the expected gap against labels, what is foreseen of it dashed, and what is little enough dotted.

    Parameters
    ----------
    points, line : sequence of (int, float)
        Label counts and gaps: what was, and what is foreseen.
    target : float, optional
        The gap that is little enough.
    unit : str
        Of the gap, as it follows a word, such as " (nats)".
    axes : Axes
        Where to draw.
    """
    axes.plot(*np.asarray(points, dtype=np.float64).T, color=BLUE, marker="o", markersize=3, label="expected gap")
    if line:
        axes.plot(*np.asarray(line, dtype=np.float64).T, color=BLUE, linestyle="--", label="foreseen")
    if target is not None:
        axes.axhline(target, color=ORANGE, linestyle=":", label="little enough")
    axes.set(xlabel="labels", ylabel=f"expected gap{unit}")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return axes
