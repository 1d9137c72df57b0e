"""A simulated study as one HTML file: no script, no link, pictures inside."""

from __future__ import annotations

import base64
import io
from html import escape

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from activefs import __version__
from activefs.experiments.simulation._simulate import RANDOM, Study
from activefs.runs import difference
from activefs.selection import Selection

_CSS = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .3rem .8rem; border-bottom: 1px solid #ddd; }
th { text-align: left; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; } .note { color: #555; } summary { cursor: pointer; }
"""


def draw(study: Study) -> bytes:
    """Draw the gap against labels, as PNG."""
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    labels = np.arange(1, study.budget + 1)
    for name, bundle in study.curves.items():
        chosen = name == study.strategy
        colour = "#0072b2" if chosen else "#4d4d4d"
        shown = name if name != RANDOM else "random labelling"
        axes.plot(labels, bundle.mean, color=colour, linestyle="-" if chosen else (0, (1, 1)), label=shown)
        low, high = np.maximum(bundle.mean - bundle.half_width, 0.0), bundle.mean + bundle.half_width
        axes.fill_between(labels, low, high, color=colour, alpha=0.15, linewidth=0)
    top = max(float(bundle.mean.max()) for bundle in study.curves.values())
    axes.set(xlabel="labels", ylabel=f"gap to the true best {study.k} (nats)", xlim=(1, max(2, study.budget)))
    axes.set_ylim(0, 1.1 * top if top > 0 else 1.0)
    axes.set_title(f"Mean of {study.runs} runs{', band: 95% interval' if study.runs > 1 else ''}", fontsize=10)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=120)
    return drawn.getvalue()


def comparison(study: Study) -> str:
    """Say in a sentence whether the strategy is better than random labelling, with all labels of the budget."""
    mine = study.curves[study.strategy]
    last = f"{study.strategy}: gap {mine.mean[-1]:.4f} nats with {study.budget} labels, mean of {study.runs} runs"
    if study.strategy == RANDOM:
        return f"{last}."
    other = study.curves[RANDOM]
    change = difference(mine.gaps[:, -1], other.gaps[:, -1])
    verdict = {-1: "better", 0: "no clear difference", 1: "worse"}[change.sign]
    return f"{last}; random labelling: {other.mean[-1]:.4f}. Difference {change.mean:+.4f}: {verdict} at 95%."


def how_sure(selection: Selection) -> str:
    """Say how far the choice and its intervals can be trusted."""
    if selection.estimator == "assisted":
        return f"The choice: {selection.sure}. Intervals are what the model thinks likely, not a guarantee."
    return (
        f"The choice is {selection.sure} at the session's confidence; intervals are those of each value of a feature."
    )


def selection_csv(study: Study) -> str:
    """Chosen features as CSV."""
    rows = ["rank,feature,column,mutual_information,lower,upper,among_true_best"]
    for i, name in enumerate(study.selection.names):
        s = study.selection
        quoted = '"' + name.replace('"', '""') + '"'
        numbers = f"{s.scores[i]:.6g},{s.lower[i]:.6g},{s.upper[i]:.6g}"
        rows.append(f"{i + 1},{quoted},{s.features[i]},{numbers},{'yes' if study.truly_best[i] else 'no'}")
    return "\n".join(rows) + "\n"


def html_report(study: Study, source: str, label: str, picture: bytes) -> str:
    """Make the page."""
    classes = ", ".join(f"{escape(str(value))} ({count:,})" for value, count in study.classes.items())
    sure = how_sure(study.selection)
    encoded = base64.b64encode(picture).decode()
    hits = int(study.truly_best.sum())
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>activefs: {escape(source)}</title><style>{_CSS}</style></head><body>
<h1>{study.k} feature{"s" if study.k > 1 else ""} for {escape(label)}</h1>
<p>A simulated study of <b>{escape(source)}</b>: {study.rows:,} rows, {study.features:,} features, label
{escape(label)} with the values {classes}. Strategy {escape(study.strategy)}, {study.budget:,} labels revealed one by
one, {study.runs} runs, seeds {study.seed} to {study.seed + study.runs - 1}. {escape(" ".join(study.notes))}</p>
<h2>Chosen features (first run)</h2>
<table><tr><th>rank</th><th>feature</th><th>mutual information (nats)</th><th>interval</th>
<th>in the true top {study.k}</th><th>values</th></tr>
{_feature_rows(study)}</table>
<p>{hits} of {study.k} are among the {study.k} best that all {study.rows:,} labels give. {escape(sure)}</p>
<h2>Gap against random labelling</h2>
<p>{escape(comparison(study))} The gap is the sum of the true conditional entropies of the chosen features minus that of
the true best: 0 is perfect.</p>
<img alt="Gap against number of labels" src="data:image/png;base64,{encoded}">
{_gap_table(study)}
<details><summary>The {study.budget:,} rows labelled in the first run</summary>
<table><tr><th>#</th><th>row</th><th>label</th></tr>{_asked_rows(study)}</table></details>
<p class="note">activefs {__version__}</p></body></html>
"""


def _feature_rows(study: Study) -> str:
    s = study.selection
    rows = []
    for i, name in enumerate(s.names):
        values = ", ".join(s.values[i][:12]) + (" ..." if len(s.values[i]) > 12 else "") if s.values else ""
        rows.append(
            f'<tr><td class="n">{i + 1}</td><td>{escape(name)}</td><td class="n">{s.scores[i]:.4f}</td>'
            f'<td class="n">{s.lower[i]:.4f} to {s.upper[i]:.4f}</td><td>{"yes" if study.truly_best[i] else "no"}</td>'
            f"<td>{escape(values)}</td></tr>"
        )
    return "\n".join(rows)


def _gap_table(study: Study) -> str:
    at = sorted({max(1, round(study.budget * share)) for share in (0.1, 0.25, 0.5, 0.75, 1.0)})
    head = "".join(f"<th>{n} labels</th>" for n in at)
    rows = []
    for name, bundle in study.curves.items():
        cells = "".join(f'<td class="n">{bundle.mean[n - 1]:.4f} ± {bundle.half_width[n - 1]:.4f}</td>' for n in at)
        rows.append(f"<tr><td>{escape(name)}</td>{cells}</tr>")
    return f"<table><tr><th>strategy</th>{head}</tr>{''.join(rows)}</table>"


def _asked_rows(study: Study) -> str:
    return "".join(
        f'<tr><td class="n">{i}</td><td>{escape(str(row))}</td><td>{escape(str(label))}</td></tr>'
        for i, (row, label) in enumerate(study.asked, start=1)
    )
