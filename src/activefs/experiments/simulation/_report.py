"""A simulated study for people: sentences, the chosen features as CSV, a picture, and one HTML file."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from activefs import __version__
from activefs.experiments.simulation._simulation import RANDOM, Simulation
from activefs.rendering import ABOUT_CHANCE, most_frequent, png, render, words_for
from activefs.runs import csv_text, difference
from activefs.selection import ARBITRARY, Selection
from activefs.types import Floats, Ints


def draw(found: Simulation) -> bytes:
    """Draw the gap against labels, as PNG."""
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.subplots()
    labels = np.arange(1, found.longest + 1)
    for name, bundle in found.curves.items():
        chosen = name == found.strategy
        colour = "#0072b2" if chosen else "#4d4d4d"
        axes.plot(labels, bundle.mean, color=colour, linestyle="-" if chosen else (0, (1, 1)), label=_shown(name))
        low, high = np.maximum(bundle.mean - bundle.half_width, 0.0), bundle.mean + bundle.half_width
        axes.fill_between(labels, low, high, color=colour, alpha=0.15, linewidth=0)
        if not found.same_length:  # where the runs ended, on average
            end = float(found.labels[name].mean())
            axes.plot(end, np.interp(end, labels, bundle.mean), "o", color=colour, markersize=5)
    top = max(float(bundle.mean.max()) for bundle in found.curves.values())
    unit = words_for(found.selection.criterion).in_brackets
    axes.set(xlabel="labels", ylabel=f"gap to the true best {found.k}{unit}", xlim=(1, max(2, found.longest)))
    axes.set_ylim(0, 1.1 * top if top > 0 else 1.0)
    band = ", band: 95% interval" if found.runs > 1 else ""
    ends = "" if found.same_length else ", dot: where runs end on average"
    axes.set_title(f"Mean of {found.runs} run{'s' if found.runs != 1 else ''}{band}{ends}", fontsize=10)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return png(figure)


def comparison(found: Simulation) -> str:
    """Say in a sentence whether the strategy is better than random labelling at the end of its runs."""
    mine = found.curves[found.strategy]
    gap = words_for(found.selection.criterion).amount(mine.mean[-1])
    runs = f"mean of {found.runs} run{'s' if found.runs != 1 else ''}"
    last = f"{found.strategy}: gap {gap} with {found.used(found.strategy)}, {runs}"
    if found.strategy == RANDOM:
        return f"{last}."
    other = found.curves[RANDOM]
    used = "" if found.same_length else f" with {found.used(RANDOM)}"
    change = difference(mine.gaps[:, -1], other.gaps[:, -1])
    verdict = {-1: "better", 0: "no clear difference", 1: "worse"}[change.sign]
    random = f"random labelling, judged by the labels alone: {other.mean[-1]:.4f}{used}"
    told = f"{last}; {random}. Difference {change.mean:+.4f}: {verdict} at 95%."
    if found.same_length or found.by_cost:
        return told
    # Runs that stop early are at a disadvantage against runs that go on: the same number of labels is fair.
    counts = np.minimum(found.labels[found.strategy], found.labels[RANDOM])
    at_once = other.gaps[np.arange(found.runs), counts - 1].mean()
    return f"{told} With as many labels as {found.strategy} used, random labelling has a gap of {at_once:.4f}."


def how_sure(selection: Selection) -> str:
    """Say how far the choice and its intervals can be trusted."""
    if selection.arbitrary:
        return f"The choice: {selection.sure}. {ARBITRARY}"
    guaranteed = f"{selection.guarantee[:1].upper()}{selection.guarantee[1:]}."
    believed = f"{100 * (1 - selection.delta):g}%"
    if selection.estimator == "assisted":
        told = f"The choice: {selection.sure}. {guaranteed} Intervals are what the model believes, with {believed}."
        return told if selection.model_check is None else f"{told} Model: {selection.model_check}."
    return (
        f"The choice: {selection.sure}. {guaranteed} Intervals are made of one for each value of a feature, as in the "
        "paper; they are no guarantee."
    )


def selection_csv(found: Simulation) -> str:
    """Chosen features as CSV; the column of scores has the name of the criterion."""
    s, known = found.selection, found.truly_best is not None
    rows = [
        [
            *(i + 1, name, s.features[i], *(f"{x[i]:.6g}" for x in (s.scores, s.lower, s.upper, _chance(s)))),
            *(_yes(not s.by_chance[i]), *([found.in_true_top(i)] if known else [])),
        ]
        for i, name in enumerate(_listed(s))
    ]
    head = ["rank", "feature", "column", s.criterion, "lower", "upper", "chance", "above_chance"]
    return csv_text([*head, "among_true_best"] if known else head, rows)


def html_report(found: Simulation, source: str, label: str, picture: bytes) -> str:
    """Make the page.

    Parameters
    ----------
    found : Simulation
        What came out.
    source, label : str
        Names of the table and of its column of labels.
    picture : bytes
        What :func:`draw` drew.
    """
    s, words = found.selection, words_for(found.selection.criterion)
    at = sorted({max(1, round(found.longest * share)) for share in (0.1, 0.25, 0.5, 0.75, 1.0)})
    chosen = [
        (
            *(name, s.scores[i], s.lower[i], s.upper[i], _chance(s)[i], s.by_chance[i], found.in_true_top(i)),
            s.values[i] if s.values else (),
        )
        for i, name in enumerate(_listed(s))
    ]
    gaps = [
        (_shown(name), _mean(found.labels[name]), [(bundle.mean[n - 1], bundle.half_width[n - 1]) for n in at])
        for name, bundle in found.curves.items()
    ]
    listed, more = most_frequent(list(found.classes.items()))
    return render(
        "simulation_report.html",
        found=found,
        listed=listed,
        more=more,
        source=source,
        label=label,
        words=words,
        revealed=_revealed(found),
        chosen=chosen,
        hits=None if found.truly_best is None else int(found.truly_best.sum()),
        sure=how_sure(s),
        about_chance=ABOUT_CHANCE if any(s.by_chance) else "",
        comparison=comparison(found),
        picture=picture,
        at=at,
        gaps=gaps,
        version=__version__,
    )


def _listed(selection: Selection) -> tuple[str, ...]:
    """Features to be listed: none if any order would be arbitrary."""
    return () if selection.arbitrary else selection.names


def _chance(selection: Selection) -> Floats:
    assert selection.chance is not None  # what a session has chosen always has it
    return selection.chance


def _revealed(found: Simulation) -> str:
    """How labels were revealed, in words."""
    if found.budget is None:
        return "labels revealed one by one without a budget"
    if found.by_cost:
        return f"labels that cost {found.budget:,g} in all revealed one by one"
    return f"{found.budget:,g} labels revealed one by one"


def _mean(counts: Ints) -> str:
    return f"{counts.mean():,.1f}".removesuffix(".0")


def _shown(strategy: str) -> str:
    return "random labelling" if strategy == RANDOM else strategy


def _yes(flag: object) -> str:
    return "yes" if flag else "no"
