"""A study as one HTML file: no script, no link, pictures inside."""

from __future__ import annotations

import base64
import csv
import io
from html import escape

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from activefs.study._csv import in_order
from activefs.study._engine import Engine
from activefs.study._status import Point, Reader, Status

_BLUE, _GREY, _ORANGE = "#0b6e99", "#8a949c", "#b0651d"
_CSS = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d252b; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .3rem .8rem; border-bottom: 1px solid #dde3e7; }
th { text-align: left; } td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
img { max-width: 100%; } .scroll { overflow-x: auto; } .note { color: #56626b; } summary { cursor: pointer; }
"""


def html_report(engine: Engine, reader: Reader) -> str:
    """Make the page."""
    status, history = reader.status(), reader.history()
    settings = engine.settings
    skipped = "1 row" if status.n_skipped == 1 else f"{status.n_skipped} rows"
    sure = escape(status.sure)
    counts = ", ".join(f"{label}: {count}" for label, count in status.classes) or "none yet"
    caution = f"<p><b>Note:</b> {escape(status.caution)}.</p>" if status.caution else ""
    finished = f" The study is finished: {escape(status.finished)}." if status.finished else ""
    pixels = _picture("Where the chosen pixels are", draw_pixels(engine, status)) if settings.show_image else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(settings.title)}: report</title><style>{_CSS}</style></head><body>
<h1>{escape(settings.title)}</h1>
<p>{status.used} ({escape(counts)}), {skipped} skipped, out of {status.n_rows:,} rows
with {status.n_features:,} features. Strategy {escape(settings.strategy)}, seed {settings.seed}, confidence
{1 - settings.delta:g}. Study made {engine.created:%Y-%m-%d %H:%M} UTC, report
{engine.clock():%Y-%m-%d %H:%M} UTC.{finished}</p>
<h2>The top {len(status.places)}</h2>
{caution}
<div class="scroll"><table><tr><th>rank</th><th>feature</th><th>{escape(_named(status.criterion))}</th><th>interval</th>
<th>contested by</th><th>values</th></tr>
{_place_rows(status)}</table></div>
<p>The choice: {sure} (confidence {1 - settings.delta:g}). A place is contested by features outside the top
{len(status.places)} that could still be better.</p>
{_picture("Estimates and intervals of the chosen features", draw_places(status))}
{pixels}
<h2>How the choice settled</h2>
{_picture("How many of the features chosen now were chosen before", draw_history(history, len(status.places)))}
<h2>Who labelled how much</h2>
<table><tr><th>annotator</th><th>labels</th><th>skipped</th></tr>{_people(status)}</table>
<details><summary>All {status.n_labels + status.n_skipped:,} answers, in order</summary>
<div class="scroll"><table><tr><th>#</th><th>row</th><th>label</th><th>annotator</th><th>time (UTC)</th></tr>
{_answers(engine)}</table></div>
</details>
<p class="note">activefs {escape(settings.version)}. Fingerprint of the table:
<code>{engine.table.pool.fingerprint[:16]}</code></p></body></html>
"""


def selection_csv(status: Status) -> str:
    """Write the current top k as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["rank", "feature", status.criterion, "lower", "upper", "challengers"])
    for p in status.places:
        writer.writerow([p.rank, p.name, f"{p.score:.6g}", f"{p.lower:.6g}", f"{p.upper:.6g}", p.challengers])
    return out.getvalue()


def draw_places(status: Status) -> bytes:
    """Draw the chosen features with their intervals, as PNG."""
    count = len(status.places)
    figure = Figure(figsize=(7.2, 1.0 + 0.32 * count), layout="constrained")
    axes = figure.subplots()
    at = np.arange(count)
    scores = np.array([p.score for p in status.places])
    spread = np.array([[p.score - p.lower, p.upper - p.score] for p in status.places]).T
    axes.barh(at, scores, color=[_ORANGE if p.challengers else _BLUE for p in status.places], height=0.6)
    axes.errorbar(scores, at, xerr=np.maximum(spread, 0), fmt="none", ecolor="#1d252b", elinewidth=1, capsize=3)
    axes.set_yticks(at, [_short(p.name) for p in status.places])
    axes.invert_yaxis()
    axes.set_xlabel(f"{_named(status.criterion)} (orange: still contested)")
    return _png(figure)


def draw_history(history: list[Point], k: int) -> bytes:
    """Draw how the top k settled, as PNG."""
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes = figure.subplots()
    labels = [p.labels for p in history]
    axes.step(labels, [p.settled for p in history], where="post", color=_BLUE, label="of today's top k, chosen then")
    axes.set(xlabel="labels", ylabel="features", ylim=(0, k * 1.08))
    axes.axhline(k, color=_GREY, linewidth=0.8, linestyle=":")
    other = axes.twinx()
    other.plot(labels, [p.contested for p in history], color=_ORANGE, linestyle="--", label="contested features")
    other.set_ylabel("contested features", color=_ORANGE)
    other.set_ylim(bottom=0)
    for axis in (axes.xaxis, axes.yaxis, other.yaxis):  # there are no halves of labels or features
        axis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(frameon=False, loc="lower right")
    return _png(figure)


def draw_pixels(engine: Engine, status: Status) -> bytes:
    """Draw the chosen pixels on the mean image, as PNG."""
    assert engine.settings.show_image is not None
    height, width = engine.settings.show_image
    mean, position = engine.table.mean_image()
    figure = Figure(figsize=(4.4, 4.4 * height / width + 0.4), layout="constrained")
    axes = figure.subplots()
    axes.imshow(mean, cmap="gray", vmin=0, vmax=255)
    for p in status.places:
        y, x = divmod(position[p.name], width)
        spot = {"facecolor": _ORANGE if p.challengers else _BLUE, "edgecolor": "none", "boxstyle": "circle,pad=0.2"}
        axes.text(x, y, str(p.rank), ha="center", va="center", color="white", fontsize=7, bbox=spot)
    axes.set_axis_off()
    return _png(figure)


def _png(figure: Figure) -> bytes:
    FigureCanvasAgg(figure)
    for axes in figure.axes:
        axes.spines[["top"]].set_visible(False)
    if len(figure.axes) == 1:
        figure.axes[0].spines[["right"]].set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=120)
    return drawn.getvalue()


def _picture(what: str, picture: bytes) -> str:
    return f'<p><img alt="{escape(what)}" src="data:image/png;base64,{base64.b64encode(picture).decode()}"></p>'


def _place_rows(status: Status) -> str:
    rows = []
    for p in status.places:
        contested = f"{p.challengers}, such as {escape(p.strongest)}" if p.challengers else "nobody"
        values = ", ".join(p.values[:12]) + (" ..." if len(p.values) > 12 else "")
        rows.append(
            f'<tr><td class="n">{p.rank}</td><td>{escape(p.name)}</td><td class="n">{p.score:.4f}</td>'
            f'<td class="n">{p.lower:.4f} to {p.upper:.4f}</td><td>{contested}</td><td>{escape(values)}</td></tr>'
        )
    return "\n".join(rows)


def _people(status: Status) -> str:
    return "".join(
        f'<tr><td>{escape(s.name)}</td><td class="n">{s.labels}</td><td class="n">{s.skips}</td></tr>'
        for s in status.annotators
    )


def _answers(engine: Engine) -> str:
    with engine.reading() as state:
        answers = list(in_order(state))
    return "".join(
        f'<tr><td class="n">{i}</td><td>{escape(str(engine.table.name_of(a.row)))}</td>'
        f"<td>{'<i>skipped</i>' if a.label is None else escape(str(a.label))}</td>"
        f"<td>{escape(a.annotator)}</td><td>{a.time:%Y-%m-%d %H:%M:%S}</td></tr>"
        for i, a in enumerate(answers, start=1)
    )


def _named(criterion: str) -> str:
    return "mutual information (nats)" if criterion == "mutual_information" else criterion.replace("_", " ")


def _short(name: str) -> str:
    # A dollar sign would start a formula.
    return (name if len(name) <= 32 else name[:31] + "…").replace("$", r"\$")
