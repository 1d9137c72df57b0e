"""How many features are needed: sessions of every kind have the curve, and it is right where the truth is known."""

import json
import pickle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from activefs import Session
from activefs.outlook import Curve
from activefs.selection import Selection

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, size=(500, 12))
Y = X[:, 3] // 2 + 2 * (X[:, 7] // 2)  # two features tell everything


def chosen(y=Y, n=120, **options):
    usual: dict[str, Any] = {"k": 2, "strategy": "random", "random_state": 0}
    session = Session(X, **usual | options)
    session.tell(np.arange(n), y[:n])
    return session.selection()


@pytest.fixture(scope="module")
def curve():
    return chosen(strategy="assisted", k=3).curve()


def test_what_two_features_tell_together(curve):
    assert set(curve.features[:2].tolist()) == {3, 7} and len(curve) == 6
    entropy = -np.sum(np.bincount(Y) / 500 * np.log(np.bincount(Y) / 500))
    assert curve.together_lower[1] <= entropy <= 1.1 * curve.together_upper[1]
    assert curve.percent[0] < 80 and curve.percent[1] > 95
    assert (np.diff(curve.together) >= 0).all() and (np.diff(curve.percent) >= 0).all()
    assert (curve.percent_lower <= curve.percent).all() and (curve.percent_upper <= 100).all()
    assert curve.sentence.startswith("the 3 features tell") and "the first 2 tell" in curve.sentence


@pytest.mark.parametrize("estimator", ["plug-in", "assisted"])
@pytest.mark.parametrize("rule", ["none", "mrmr", "jmi", "cmim"])
def test_every_session_has_it(estimator, rule):
    selection = chosen(estimator=estimator, redundancy=rule, n=60)
    found = selection.curve()
    assert found.features[:2].tolist() == selection.features.tolist() and found.names[:2] == selection.names
    np.testing.assert_array_equal(found.alone[:2], selection.scores)
    assert len(set(found.features.tolist())) == 4 and found.percent[1] > 60
    assert selection.curve() is found  # computed once


def test_other_measures_and_models():
    from sklearn.linear_model import LogisticRegression

    found = chosen(criterion="gini", estimator="assisted", model=LogisticRegression()).curve()
    assert found.percent[1] > 80 and "alone; the features so far" in str(found)
    axes = found.plot()
    assert [bar.get_width() for bar in axes.patches] == []  # another unit
    plt.close(axes.figure)


def test_features_that_were_chosen_by_chance_tell_nothing():
    """Of 400 columns of noise some fit 40 labels well; what they tell of labels that did not choose them is nothing."""
    rng = np.random.default_rng(1)
    noise, told = rng.integers(0, 2, size=(200, 400)), []
    for seed in range(6):
        session = Session(noise, 5, strategy="random", random_state=seed)
        session.tell(np.arange(40), rng.integers(0, 2, size=40))
        found = session.selection().curve()
        told.append(found.together_lower[4])
    assert np.count_nonzero(np.array(told) > 0) <= 1


def test_too_few_labels():
    few = chosen(n=8).curve()
    assert "too few labels to say: 8 labelled rows" in few.note and np.isnan(few.together).all()
    with pytest.warns(UserWarning, match="arbitrary"):
        none = chosen(np.zeros(500, dtype=int), n=50).curve()
    assert "one class" in none.sentence and "not known" in str(none)
    again = Curve.from_json(json.loads(json.dumps(none.to_json())))
    assert again.note == none.note and np.isnan(again.percent).all()


def test_frame_page_and_picture(curve):
    frame = curve.to_frame()
    assert frame["n_features"].tolist() == [1, 2, 3, 4, 5, 6] and frame["chosen"].sum() == 3
    assert frame["percent"].tolist() == curve.percent.tolist()
    assert "% (" in str(curve) and "tells alone (nats)" in curve._repr_html_()
    axes = curve.plot()
    assert axes.get_ylabel() == "nats" and len(axes.patches) == 6
    plt.close(axes.figure)


class TestKept:
    def test_text_and_back(self, curve):
        again = Curve.from_json(json.loads(json.dumps(curve.to_json())))
        assert str(again) == str(curve) and again.all_columns == curve.all_columns

    def test_with_its_selection_once_it_is_known(self):
        selection = chosen(n=40)
        unknown = Selection.from_json(json.loads(json.dumps(selection.to_json())))
        with pytest.raises(ValueError, match="without its curve"):
            unknown.curve()
        with pytest.raises(ValueError, match="without its curve"):
            pickle.loads(pickle.dumps(selection)).curve()
        found = selection.curve()
        for again in (
            Selection.from_json(json.loads(json.dumps(selection.to_json()))),
            pickle.loads(pickle.dumps(selection)),
        ):
            assert str(again.curve()) == str(found) and again == selection

    def test_labels_that_come_later_do_not_change_it(self):
        session = Session(X, 2, strategy="random", random_state=0)
        session.tell(np.arange(40), Y[:40])
        selection = session.selection()
        session.tell(np.arange(40, 300), Y[40:300])
        assert str(selection.curve()) == str(chosen(n=40).curve())
