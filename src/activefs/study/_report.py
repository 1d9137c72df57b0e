"""A study as one HTML file: no script, no link, pictures inside."""

from __future__ import annotations

import csv
import io

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from activefs.outlook import Curve, Forecast
from activefs.rendering import (
    ABOUT_CHANCE,
    ABOUT_CONTEST,
    BLUE,
    GREY,
    ORANGE,
    draw_forecast,
    draw_ranking,
    most_frequent,
    png,
    render,
    words_for,
)
from activefs.selection import ARBITRARY
from activefs.study._engine import StudyEngine
from activefs.study._reader import Reader
from activefs.study._status import Point, Status, moment_of
from activefs.study.exports import in_order
from activefs.tables import listed_left_out


def html_report(engine: StudyEngine, reader: Reader) -> str:
    """Make one HTML page of a study, which needs no network; as :meth:`activefs.Study.report`.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    reader : Reader
        Looks at the study, and keeps what it computes: ``activefs.study.Reader(engine)``.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.study import Reader, html_report
    >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
    >>> study = Study.create("memory:", X, k=1, strategy="afs", random_state=0, title="hearts")
    >>> study.tell(range(20), [b for a, b in X])
    >>> page = html_report(study.engine, Reader(study.engine))
    >>> "hearts" in page
    True
    """
    settings = engine.settings
    with engine.reading() as state:
        moment = moment_of(engine)
        answers = list(in_order(state))
    status = reader.status(moment)
    history, ahead, curve = reader.history(moment), reader.forecast(moment), reader.curve(moment)
    names = engine.names.of_all(a.row for a in answers)
    listed, more = most_frequent(status.classes)
    return render(
        "study_report.html",
        settings=settings,
        status=status,
        listed=listed,
        more=more,
        confidence=f"{1 - settings.delta:g}",
        created=engine.created,
        now=engine.clock(),
        words=words_for(status.criterion),
        about_contest=ABOUT_CONTEST,
        about_arbitrary=ARBITRARY,
        about_chance="" if all(p.above_chance for p in status.places) else ABOUT_CHANCE,
        likely=any(p.probability is not None for p in status.places),
        left_out=listed_left_out(status.left_out),
        ranking=_draw_ranking(status) if status.places else None,
        pixels=_draw_pixels(engine, status) if settings.show_image and status.places else None,
        history=_draw_history(history, len(status.places)) if status.places else None,
        ahead=ahead,
        ahead_picture=_draw_forecast(ahead, history, status) if ahead.gap is not None else None,
        curve=curve,
        curve_picture=None if curve.note else _draw_curve(curve),
        answers=[(names[a.row], a) for a in answers],
        fingerprint=engine.table.pool.fingerprint[:16],
    )


def selection_csv(status: Status) -> str:
    """Write the current top k as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["rank", "feature", status.criterion, "lower", "upper", "challengers", "chance", "above_chance"])
    for p in status.places:
        numbers = (f"{x:.6g}" for x in (p.score, p.lower, p.upper))
        writer.writerow([p.rank, p.name, *numbers, p.challengers, f"{p.chance:.6g}", "yes" if p.above_chance else "no"])
    return out.getvalue()


def _draw_ranking(status: Status) -> bytes:
    """Draw the chosen features with their intervals, as PNG."""
    ranks = status.places
    axes = draw_ranking(
        [p.name for p in ranks],
        [p.score for p in ranks],
        [p.lower for p in ranks],
        [p.upper for p in ranks],
        contested=[p.contested for p in ranks],
        by_chance=[not p.above_chance for p in ranks],
        axis_title=words_for(status.criterion).title,
    )
    figure = axes.figure
    assert isinstance(figure, Figure)
    return png(figure)


def _draw_history(history: list[Point], k: int) -> bytes:
    """Draw how the top k settled, as PNG."""
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes = figure.subplots()
    labels, contested = [p.labels for p in history], [p.contested for p in history]
    axes.step(labels, [p.settled for p in history], where="post", color=BLUE, label="of today's top k, chosen then")
    axes.set(xlabel="labels", ylabel="features", ylim=(0, k * 1.08))
    axes.axhline(k, color=GREY, linewidth=0.8, linestyle=":")
    other = axes.twinx()
    other.plot(labels, contested, color=ORANGE, linestyle="--")
    other.set_ylabel("contested features (dashed)", color=ORANGE)
    other.set_ylim(0, 1.2 * max([1, *contested]))  # the two lines shall not coincide
    for axis in (axes.xaxis, axes.yaxis, other.yaxis):  # there are no halves of labels or features
        axis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.legend(frameon=False, loc="lower right")
    for some in (axes, other):
        some.spines[["top"]].set_visible(False)
    return png(figure)


def _draw_forecast(ahead: Forecast, history: list[Point], status: Status) -> bytes:
    """Draw the expected gap, and what is foreseen of it, as PNG."""
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    points = [(p.labels, p.expected_gap) for p in history if p.expected_gap is not None]
    draw_forecast(points, ahead.line, ahead.target, words_for(status.criterion).in_brackets, figure.subplots())
    return png(figure)


def _draw_curve(curve: Curve) -> bytes:
    """Draw what the first features tell, as PNG."""
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    curve.plot(figure.subplots())
    return png(figure)


def _draw_pixels(engine: StudyEngine, status: Status) -> bytes:
    """Draw the chosen pixels on the mean image, as PNG."""
    assert engine.settings.show_image is not None
    height, width = engine.settings.show_image
    mean, position = engine.table.mean_image()
    figure = Figure(figsize=(4.4, 4.4 * height / width + 0.4), layout="constrained")
    axes = figure.subplots()
    axes.imshow(mean, cmap="gray", vmin=0, vmax=255)
    for p in status.places:
        y, x = divmod(position[p.name], width)
        spot = {"facecolor": ORANGE if p.contested else BLUE, "edgecolor": "none", "boxstyle": "circle,pad=0.2"}
        axes.text(x, y, str(p.rank), ha="center", va="center", color="white", fontsize=7, bbox=spot)
    axes.set(xticks=[], yticks=[])  # the frame stays: an image may be white at its edges
    return png(figure)
