"""Pictures: one per data set and k, whole and zoomed, and overview pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from activefs.experiments.selection._curves import Curves
from activefs.experiments.selection._planning import cells
from activefs.experiments.selection._plans import Plan
from activefs.rendering import png

# Colours that people with colour-blindness tell apart (Okabe and Ito), and dashes besides.
_STYLE: dict[str, tuple[str, Any]] = {
    "AFS": ("#0072b2", "-"),
    "AFS (pool floor)": ("#56b4e9", (0, (5, 1.5))),
    "RANDOM": ("#4d4d4d", (0, (1, 1))),
    "CORESET": ("#e69f00", "-"),
    "DWUS": ("#d55e00", (0, (4, 1, 1, 1))),
    "AFS-NOSG": ("#cc79a7", "-"),
    "AVG-SEL": ("#d55e00", (0, (4, 1, 1, 1))),
    "AVG-ALL": ("#009e73", "-"),
    "SINGLE": ("#e69f00", (0, (5, 1.5))),
    "AFS l2": ("#009e73", (0, (5, 1.5))),
    "AFS linf": ("#d55e00", (0, (4, 1, 1, 1))),
    "AFS Lambda=10": ("#e69f00", (0, (4, 1, 1, 1))),
    "AFS Lambda=20": ("#009e73", (0, (5, 1.5))),
    "AFS Lambda=40": ("#56b4e9", (0, (3, 1))),
}
_SHOWN = {"AFS l2": "AFS, ℓ2", "AFS linf": "AFS, ℓ∞", **{f"AFS Lambda={n}": f"AFS, Λ={n}" for n in (10, 20, 40)}}
_SHOWN_IN = {
    "aggregations": {"AFS": "AFS, ℓ1"},
    "safeguards": {"AFS": "AFS, Λ=30", "AFS-NOSG": "AFS, no safeguard"},
}
_SPARE = ("#f0e442", "#999999", "#000000", "#8c564b")


def draw_plan(plan: Plan, curves: Curves, out: Path) -> Iterator[tuple[Path, bytes]]:
    """Make all pictures of a plan: where each one goes, and its PNG."""
    inside = cells(plan, curves.settings)
    for dataset, k in inside:
        figure = Figure(figsize=(6.4, 7.6), layout="constrained")
        whole, zoom = figure.subplots(2, 1)
        _draw(whole, plan, curves, dataset, k, bands=True)
        whole.set_title(f"{plan.title}: {dataset}, k = {k}", fontsize=12)
        whole.legend(frameon=False, fontsize=9, ncols=2)
        _draw(zoom, plan, curves, dataset, k, bands=True)
        _zoom(zoom, plan, curves, dataset, k)
        zoom.set_title("zoomed in", fontsize=10)
        for axes in (whole, zoom):
            axes.set(xlabel="labels", ylabel="gap to the true best features (nats)")
        runs = curves.settings.runs
        band = ", band: 95% interval" if runs > 1 else ""
        figure.supxlabel(f"mean of {runs} run{'s' if runs > 1 else ''}{band}", fontsize=8, color="#555555")
        yield out / plan.name / f"{dataset}-k{k}.png", png(figure, dpi=100)
    if inside:
        yield out / plan.name / "overview.png", _overview(plan, curves, inside)


def _overview(plan: Plan, curves: Curves, inside: list[tuple[str, int]]) -> bytes:
    """Small multiples: a row per data set, a column per k, all of them zoomed."""
    datasets = list(dict.fromkeys(name for name, _ in inside))
    ks = sorted({k for _, k in inside})
    figure = Figure(figsize=(3.1 * len(ks) + 0.4, 2.2 * len(datasets) + 1.0), layout="constrained")
    grid = figure.subplots(len(datasets), len(ks), squeeze=False)
    for i, dataset in enumerate(datasets):
        for j, k in enumerate(ks):
            axes = grid[i, j]
            if (dataset, k) not in inside:
                axes.set_axis_off()
                continue
            _draw(axes, plan, curves, dataset, k, bands=False)
            _zoom(axes, plan, curves, dataset, k, start=0.0)
            axes.set_title(f"{dataset}, k = {k}", fontsize=9)
            axes.tick_params(labelsize=7)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(len(labels), 2 * len(ks)), frameon=False, fontsize=9
    )
    figure.supxlabel("labels", fontsize=9)
    figure.supylabel(f"mean gap of {curves.settings.runs} runs (nats); lines far above are cut off", fontsize=9)
    return png(figure, dpi=100)


def _draw(axes: Any, plan: Plan, curves: Curves, dataset: str, k: int, *, bands: bool) -> None:
    labels = np.arange(1, curves.settings.budget + 1)
    spare = iter(_SPARE * 4)
    for line in plan.drawn:
        bundle = curves[dataset, k, line.name]
        colour, dashes = _STYLE[line.name] if line.name in _STYLE else (next(spare), "-")
        shown = _SHOWN_IN.get(plan.name, {}).get(line.name, _SHOWN.get(line.name, line.name))
        # The line that the plan is about lies on top; the one that it often coincides with shows at its edges.
        order, width = {"AFS": (4, 1.7), "AFS-NOSG": (2, 3.4)}.get(line.name, (3, 1.7))
        width = width if bands else 0.65 * width
        axes.plot(labels, bundle.mean, color=colour, linestyle=dashes, linewidth=width, label=shown, zorder=order)
        if bands and len(bundle.gaps) > 1:
            low, high = np.maximum(bundle.mean - bundle.half_width, 0.0), bundle.mean + bundle.half_width
            axes.fill_between(labels, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set(xlim=(1, curves.settings.budget), ylim=(0, None))
    axes.spines[["top", "right"]].set_visible(False)


def _zoom(axes: Any, plan: Plan, curves: Curves, dataset: str, k: int, start: float = 0.1) -> None:
    """Cut the first labels and the lines that are far off, so that the interesting ones are seen apart."""
    budget = curves.settings.budget
    # What most lines are at after a fifth of the labels, and a quarter more, is left to see.
    tops = sorted(float(curves[dataset, k, line.name].mean[budget // 5 :].max()) for line in plan.drawn)
    top = min(tops[-1] * 1.05, 1.25 * tops[(len(tops) - 1) // 2])
    axes.set(xlim=(max(1, int(budget * start)), budget), ylim=(0, top if top > 0 else 0.01))
