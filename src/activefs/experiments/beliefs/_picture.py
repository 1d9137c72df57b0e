"""Said against true: coverage by table, and probabilities in five bins."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from activefs.experiments.beliefs._summary import TableBeliefs, bin_shares

_BLUE, _GREY = "#0072b2", "#4d4d4d"


def picture(summaries: Sequence[TableBeliefs]) -> bytes:
    """Draw both, as SVG."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.6))
    _, said, among = bin_shares(summaries)
    left.plot([0, 1], [0, 1], color=_GREY, linewidth=1)
    left.plot(said, among, "o-", color=_BLUE)
    left.set(xlabel="said", ylabel="true share", title="Probability to be among the true best k", aspect="equal")
    ordered = sorted(summaries, key=lambda s: s.coverage)
    right.axhline(0.85, color=_GREY, linewidth=1, linestyle=":")
    right.axhline(0.95, color=_GREY, linewidth=1)
    right.errorbar(
        np.arange(len(ordered)), [s.coverage for s in ordered], [s.spread for s in ordered], fmt="o", color=_BLUE
    )
    right.set_xticks(range(len(ordered)), [s.name for s in ordered], rotation=90, fontsize=6)
    right.set(ylabel="share within 95% bounds", title="Coverage by table (bars: standard deviation between runs)")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()
