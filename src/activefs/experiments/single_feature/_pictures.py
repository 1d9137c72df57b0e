"""The picture of g, and the errors of each set of experiments against the budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from activefs.criteria import MutualInformation
from activefs.experiments.single_feature._measure import READINGS
from activefs.experiments.single_feature._run import Group
from activefs.experiments.single_feature._tables import TITLES
from activefs.rendering import png
from activefs.runs import half_width
from activefs.types import Floats

# Colour tells the approach, the marker the interval.
_COLOURS = {"PROP": "#444444", "MAX": "#e08214", "VAR": "#4575b4", "I": "#1a9850"}
_MARKERS = {"H": ("o", ":"), "B": ("s", "--"), "CP": ("D", "-")}


def pictures(groups: dict[str, Group], folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Draw g, and one picture per set of experiments: where each goes, and its PNG."""
    yield folder / "g.png", png(_draw_g(), dpi=110)
    for name, group in groups.items():
        yield folder / f"{name}.png", png(_draw_errors(group, f"Single feature, {TITLES[name]}"), dpi=110)


def _draw_g() -> Figure:
    """g(x) = sqrt(x (1-x)) abs(ln(x / (1-x))) with its maxima at phi and 1 - phi."""
    criterion = MutualInformation()
    x = np.linspace(0.0, 1.0, 2001)
    phi, top = criterion.phi, float(criterion.binary_spread(criterion.phi))
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    axes.plot(x, criterion.binary_spread(x), color=_COLOURS["I"], linewidth=2)
    for at, name, side in ((phi, "φ", 1), (1 - phi, "1 - φ", -1)):
        axes.plot([at, at], [0.0, top], color="#888888", linestyle=":", linewidth=1)
        axes.plot([at], [top], "o", color=_COLOURS["I"])
        axes.annotate(
            f"{name} = {at:.4f}",
            (at, top),
            xytext=(8 * side, 4),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
        )
    axes.set(xlim=(0, 1), ylim=(0, top * 1.12), xlabel="x", ylabel="g(x)")
    axes.set_title("g(x) = √(x(1-x)) · |ln(x/(1-x))|, the spread of the entropy's estimate")
    return figure


def _draw_errors(group: Group, title: str) -> Figure:
    """Draw the error against the budget, and the error relative to PROP; bands are intervals."""
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = [policy.name for policy in group.definition.policies]
    base = names.index("PROP")
    mean, width = _average(group)
    ratio, ratio_width = relative(group, base)
    for i, name in enumerate(names):
        _line(left, group, name, mean[:, i], width[:, i])
        _line(right, group, name, ratio[:, i], ratio_width[:, i])
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xticks(group.settings.budgets, [str(b) for b in group.settings.budgets])
        axes.minorticks_off()
        axes.set_xlabel("budget (labels after the initial draws)")
        axes.grid(alpha=0.3)
    left.set_ylim(bottom=0)
    _zoom(right, names, ratio)
    left.set(ylabel="error (nats)", title=f"error, average of {len(group.experiments)} features")
    right.set(ylabel="error / error of PROP", title="the same, relative to PROP (below 1 is better)")
    figure.suptitle(f"{title}: {group.definition.title}, {group.settings.repetitions:,} repetitions")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", title="policy")
    return figure


# Ratios above it would squeeze all other lines together; they are told in words.
_TOP = 1.2


def _zoom(axes: Axes, names: list[str], ratio: Floats) -> None:
    far = [name for i, name in enumerate(names) if ratio[:, i].min() > _TOP]
    if far:
        shown = ratio[:, [name not in far for name in names]]
        margin = 0.05 * (shown.max() - shown.min())
        axes.set_ylim(shown.min() - margin, shown.max() + 3 * margin)
        ends = ratio[:, [name in far for name in names]]
        text = f"not shown: {' and '.join(far)}, {ends.min():.2f} to {ends.max():.2f}"
        axes.text(0.02, 0.97, text, transform=axes.transAxes, va="top", color=_COLOURS["MAX"])


def _line(axes: Axes, group: Group, name: str, y: Floats, width: Floats) -> None:
    family, _, interval = name.partition("-")
    marker, style = _MARKERS.get(interval, ("x", "-"))
    colour = _COLOURS.get(family, "#999999")
    budgets = group.settings.budgets
    axes.plot(budgets, y, color=colour, marker=marker, markersize=5, linestyle=style, label=name)
    axes.fill_between(budgets, y - width, y + width, color=colour, alpha=0.25, linewidth=0)


def _average(group: Group) -> tuple[Floats, Floats]:
    """Average over the features and half of its interval, shape (budgets, policies)."""
    at = READINGS.index("outside")
    variance = (group.measured.sd[:, at] ** 2).sum(axis=0) / len(group.experiments) ** 2
    return group.measured.mean[:, at].mean(axis=0), _half(group, variance)


def relative(group: Group, base: int) -> tuple[Floats, Floats]:
    """Ratio to the policy `base` of the averages, by the delta method; errors share their labels."""
    at = READINGS.index("outside")
    mean = group.measured.mean[:, at].mean(axis=0)
    covariance = group.measured.covariance[:, at].sum(axis=0) / len(group.experiments) ** 2
    ratio = mean / mean[:, [base]]
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    joint, reference = covariance[:, :, base], covariance[:, base, base][:, None]
    variance = (own - 2 * ratio * joint + ratio**2 * reference) / mean[:, [base]] ** 2
    return ratio, _half(group, np.maximum(variance, 0.0))


def _half(group: Group, variance: Floats) -> Floats:
    return half_width(np.sqrt(variance), group.settings.repetitions, group.definition.confidence)
