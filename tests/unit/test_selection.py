"""The answer as a value: kept as text, as a table, as a picture."""

import builtins
import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from activefs import Session
from activefs.exceptions import MissingExtraError
from activefs.selection import Selection

X = np.random.default_rng(0).integers(0, 3, size=(80, 5))


@pytest.fixture
def chosen():
    session = Session(X, 2, strategy="afs", random_state=0)
    session.tell(range(40), X[:40, 1] > 0)
    return session.selection()


def test_text_and_back(chosen):
    text = json.dumps(chosen.to_json())
    again = Selection.from_json(json.loads(text))
    assert json.dumps(again.to_json()) == text
    assert again.features.tolist() == chosen.features.tolist() and again.names == chosen.names
    np.testing.assert_array_equal(again.scores, chosen.scores)
    with pytest.raises(ValueError, match="chosen features only"):
        again.to_frame(all_features=True)


def test_parts_that_do_not_fit_together():
    good: dict[str, Any] = {"names": ("a",), "scores": [0.5], "lower": [0.1], "upper": [0.7]}
    for name in good:
        with pytest.raises(ValueError, match=f"{name} has 2 entries for 1 features"):
            Selection(np.array([3]), **{**good, name: [*good[name], *good[name]]}, certified=False)


NOISE = np.column_stack([np.arange(120) % 2, np.random.default_rng(0).integers(0, 40, 120)])


@pytest.fixture
def noisy():
    """A feature that tells everything, and one of forty values that tells nothing."""
    session = Session(NOISE, 2, strategy="random", random_state=0, binning="none")
    session.tell(range(60), NOISE[:60, 0])
    return session.selection()


def test_chance_is_said_wherever_a_selection_is_shown(noisy):
    assert noisy.features.tolist() == [0, 1] and noisy.above_chance.tolist() == [True, False]
    assert noisy.chance[0] < 0.02 < 0.2 < noisy.chance[1] < np.log(2) and noisy.by_chance == (False, True)
    lines = str(noisy).splitlines()
    assert "not above chance" not in lines[1] and lines[2].endswith("] nats, not above chance")
    assert lines[3].startswith("Not above chance: by chance alone")
    for frame in (noisy.to_frame(), noisy.to_frame(all_features=True)):
        assert frame["above_chance"].tolist() == [True, False] and frame["chance"].tolist() == noisy.chance.tolist()
    page = noisy._repr_html_()
    assert page.count(": not above") == 1 and "Not above chance: by chance alone" in page
    axes = noisy.plot()
    assert axes.get_xlabel() == "mutual information (nats); grey: not above chance"
    import matplotlib.pyplot as plt

    plt.close(axes.figure)
    again = Selection.from_json(json.loads(json.dumps(noisy.to_json())))
    assert again == noisy and again.above_chance is not None and again.above_chance.dtype == bool


def test_a_selection_from_before_there_was_chance(chosen):
    old = {name: value for name, value in chosen.to_json().items() if name not in ("chance", "above_chance")}
    again = Selection.from_json(old)
    assert again.chance is None and again.by_chance == (False, False)
    assert "chance" not in again.to_frame().columns and "chance" not in str(again) + again._repr_html_()


def test_it_equals_selections_only(chosen):
    assert chosen != "selection" and chosen == Selection(**vars(chosen))


def test_a_picture_of_its_own(chosen):
    axes = chosen.plot()
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(chosen.scores)
    import matplotlib.pyplot as plt

    plt.close(axes.figure)


@pytest.fixture
def without(monkeypatch):
    """Make packages look as if they were not installed."""
    missing, real = set[str](), builtins.__import__

    def find(name, *more):
        if name in missing:
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", find)
    return missing


def test_frames_by_whoever_is_there(chosen, without):
    assert chosen.to_frame()["feature"].tolist() == list(chosen.names)
    without.add("pandas")
    assert isinstance(chosen.to_frame(), pl.DataFrame)
    without.add("polars")
    with pytest.raises(MissingExtraError, match="needs pandas or polars"):
        chosen.to_frame()
