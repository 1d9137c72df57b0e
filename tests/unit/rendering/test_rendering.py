"""Templates, pictures and the words for what is measured."""

from __future__ import annotations

import io

import numpy as np
import pytest
from jinja2 import UndefinedError
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

from activefs.rendering import BLUE, ORANGE, draw_ranking, png, render, words_for


def test_what_a_template_needs_and_does_not_get_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("study_report.html")


def test_bars_are_as_long_as_the_scores_and_lines_as_the_intervals() -> None:
    axes = draw_ranking(["a", "b"], [0.3, 0.2], [0.1, 0.2], [0.5, 0.6], contested=[False, True], axis_title="nats")
    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    assert [bar.get_width() for bar in bars] == [0.3, 0.2]
    assert [to_hex(bar.get_facecolor()) for bar in bars] == [BLUE, ORANGE]
    (lines,) = axes.collections
    assert isinstance(lines, LineCollection)
    ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
    assert np.allclose(ends, [[0.1, 0.5], [0.2, 0.6]])
    assert axes.yaxis_inverted()  # the best is on top
    assert axes.get_xlabel() == "nats; orange: still contested"


def test_without_contested_features_nothing_is_orange() -> None:
    axes = draw_ranking(["a"], [0.3], [0.1], [0.5], axis_title="nats")
    assert to_hex(axes.patches[0].get_facecolor()) == BLUE and axes.get_xlabel() == "nats"


def test_given_axes_are_drawn_on() -> None:
    mine = Figure().subplots()
    assert draw_ranking(["a"], [0.3], [0.1], [0.5], axes=mine) is mine


def test_names_are_no_formulas_and_not_too_long() -> None:
    axes = draw_ranking(["price $ to $", "n" * 50], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0])
    dollar, long = (text.get_text() for text in axes.get_yticklabels())
    assert dollar == r"price \$ to \$" and len(long) == 32 and long.endswith("…")
    assert isinstance(axes.figure, Figure)
    png(axes.figure)  # a formula that cannot be read would be an error here


def test_a_picture_has_the_size_that_was_asked_for() -> None:
    with Image.open(io.BytesIO(png(Figure(figsize=(2, 1)), dpi=50))) as image:
        assert image.size == (100, 50) and image.mode == "P"


def test_a_criterion_has_its_own_name_and_unit() -> None:
    assert words_for("mutual_information").in_brackets == " (nats)" and words_for("gini").in_brackets == ""
    assert "Gini" in words_for("gini").title and "Gini" in words_for("gini").impurity
