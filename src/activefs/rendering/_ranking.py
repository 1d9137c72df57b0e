"""Ranked features as bars with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from activefs.rendering._pictures import BLUE, GREY, ORANGE
from activefs.rendering._words import NOT_ABOVE_CHANCE

_LONGEST = 32


def draw_ranking(
    names: Sequence[str],
    scores: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    contested: Sequence[bool] | None = None,
    by_chance: Sequence[bool] | None = None,
    axis_title: str = "score",
    axes: Axes | None = None,
) -> Axes:
    """Draw the chosen features, best on top, each with a bar for its score and a line for its interval.

    Parameters
    ----------
    names : sequence of str
        The features, best first.
    scores, lower, upper : array-like of float
        Score of each and its bounds.
    contested : sequence of bool, optional
        Features whose rank others may still take; they are orange.
    by_chance : sequence of bool, optional
        Features whose score is not above chance; they are grey.
    axis_title : str
        What the scores are, with their unit.
    axes : Axes, optional
        Where to draw; by default in a new figure that is as high as the features need.

    Examples
    --------
    >>> axes = draw_ranking(["age", "dose"], [0.3, 0.1], [0.2, 0.0], [0.5, 0.4], contested=[False, True])
    >>> [text.get_text() for text in axes.get_yticklabels()]
    ['age', 'dose']
    """
    open_ranks = [False] * len(names) if contested is None else [bool(flag) for flag in contested]
    if axes is None:
        axes = Figure(figsize=(7.2, 1.0 + 0.32 * len(names)), layout="constrained").subplots()
    at = np.arange(len(names))
    score, low, high = (np.asarray(numbers, dtype=np.float64) for numbers in (scores, lower, upper))
    spread = np.maximum([score - low, high - score], 0.0)
    grey = [False] * len(names) if by_chance is None else [bool(flag) for flag in by_chance]
    colours = [GREY if chance else ORANGE if flag else BLUE for chance, flag in zip(grey, open_ranks, strict=True)]
    axes.barh(at, score, color=colours, height=0.6)
    axes.errorbar(score, at, xerr=spread, fmt="none", ecolor="#1d252b", elinewidth=1, capsize=3)
    axes.set_yticks(at, [short_name(name) for name in names])
    axes.invert_yaxis()
    said = {ORANGE: "; orange: still contested", GREY: f"; grey: {NOT_ABOVE_CHANCE}"}
    axes.set_xlabel(axis_title + "".join(meaning for colour, meaning in said.items() if colour in colours))
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def short_name(name: str, longest: int = _LONGEST) -> str:
    """Make a name fit beside an axis.

    Examples
    --------
    >>> short_name("a long name", 7)
    'a long…'
    """
    # A dollar sign would start a formula.
    return (name if len(name) <= longest else name[: longest - 1] + "…").replace("$", r"\$")
