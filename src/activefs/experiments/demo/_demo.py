"""The demonstration: the pixels that tell a 3 from a 5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from activefs import strategies
from activefs.model import Assistant
from activefs.pool import Pool
from activefs.rendering import png
from activefs.runs import LabelledPool, run_session
from activefs.selection import Selection
from activefs.types import Floats, Ints

DIGITS = (3, 5)
K = 10
BUDGET = 100
RUNS = 10
STRATEGIES = {"assisted": "assisted selection", "afs": "AFS", "random": "random labelling"}
_COLOURS = ("#0b6e99", "#8a8a8a", "#b0651d")


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration found.

    Attributes
    ----------
    selection : Selection
        Chosen pixels of the first run of assisted selection.
    best : array of int
        The true best pixels.
    gaps : dict of str to array of shape (runs, budget)
        Gap after every label, per strategy.
    mean_digit : array of shape (8, 8)
        Mean image of both digits.
    rows : int
        Images in the pool.
    """

    selection: Selection
    best: Ints
    gaps: dict[str, Floats]
    mean_digit: Floats
    rows: int

    @property
    def hits(self) -> int:
        """How many of the chosen pixels are among the true best."""
        return int(np.isin(self.selection.features, self.best).sum())


def run_demo(seed: int = 0, advance: Callable[[float], None] | None = None) -> DemoResult:
    """Select 10 of 64 pixels with 100 labels, in three ways, 10 runs each.

    Parameters
    ----------
    seed : int
        Seed of the first run; the others have the next ones.
    advance : callable, optional
        Called after every label with the share of all work that is done since the last call.
    """
    data = load_digits()
    wanted = np.isin(data.target, DIGITS)
    X, y = data.data[wanted], (data.target[wanted] == DIGITS[1]).astype(np.int64)
    names = [f"row {i // 8}, column {i % 8}" for i in range(64)]
    pool = Pool.from_table(X, names=names)
    given = LabelledPool.of(pool, y)
    assistant = Assistant(pool, seed=seed)
    gaps = {name: np.empty((RUNS, BUDGET)) for name in STRATEGIES}
    selection: Selection | None = None

    def tell(share: float) -> None:
        if advance is not None:
            advance(share / (RUNS * len(STRATEGIES)))

    for name in STRATEGIES:
        options = {"k": K, "budget": BUDGET, "strategy": strategies.create(name), "assistant": assistant}
        for run in range(RUNS):
            session, result = run_session(given, options, seed + run, advance=tell)
            gaps[name][run] = result.gaps[0]
            selection = selection or session.selection()
    assert selection is not None
    best = pool.columns[np.argsort(given.truth, kind="stable")[:K]]
    return DemoResult(selection, best, gaps, X.mean(axis=0).reshape(8, 8), len(X))


def draw_demo(result: DemoResult) -> bytes:
    """Draw the gap against labels, and the chosen pixels on the mean digit, as PNG."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.7, 1])
    labels = np.arange(1, BUDGET + 1)
    for (name, title), colour in zip(STRATEGIES.items(), _COLOURS, strict=True):
        runs = result.gaps[name]
        mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
        left.plot(labels, mean, color=colour, label=title)
        left.fill_between(labels, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
    left.set(xlabel="labels", ylabel="gap to the true best 10 (nats)", xlim=(1, BUDGET), ylim=(0, None))
    left.set_title(f"Mean of {RUNS} runs, band: one standard error", fontsize=10)
    left.legend(frameon=False)
    left.spines[["top", "right"]].set_visible(False)
    right.imshow(result.mean_digit, cmap="Greys")
    for rank, pixel in enumerate(result.selection.features, start=1):
        true = pixel in result.best
        spot = {"facecolor": "#0b6e99" if true else "#b0651d", "edgecolor": "none", "boxstyle": "circle,pad=0.25"}
        right.text(pixel % 8, pixel // 8, str(rank), ha="center", va="center", color="white", fontsize=9, bbox=spot)
    for pixel in np.setdiff1d(result.best, result.selection.features):
        right.plot(pixel % 8, pixel // 8, "o", ms=15, mfc="none", mec="#0b6e99", mew=1.6)
    right.set_title("Chosen pixels by rank, on the mean digit\n(blue: in the true top 10; open: missed)", fontsize=10)
    right.set(xticks=range(8), yticks=range(8), xlabel="column", ylabel="row")
    figure.suptitle(f"Which {K} of 64 pixels tell a {DIGITS[0]} from a {DIGITS[1]}? {BUDGET} of {result.rows} labels")
    return png(figure, dpi=150)
