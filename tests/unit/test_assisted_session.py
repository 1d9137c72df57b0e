"""Sessions with the assisted estimate: every way in which labels come, go and stay away."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from activefs import ActiveFeatureSelector, Pool, Session
from activefs.exceptions import InvalidInputError, NothingToAsk
from activefs.model import Assistant

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, size=(400, 12))
Y = ((X[:, 3] + X[:, 7] > 2) ^ (RNG.random(400) < 0.05)).astype(int)
POOL = Pool.from_table(X)
ASSISTANT = Assistant(POOL, seed=0)


def session(**options):
    usual: dict[str, Any] = {"strategy": "assisted", "budget": 60, "random_state": 0, "assistant": ASSISTANT}
    return Session(POOL, 2, **usual | options)


def run(made, until=None):
    while not made.finished and (until is None or made.n_labels < until):
        row = made.ask()
        made.tell(row, int(Y[row]))
    return made


@pytest.mark.parametrize("strategy", ["afs", "random", "coreset", "dwus", "uncertainty", "assisted", "avg-sel"])
@pytest.mark.parametrize("estimator", ["plug-in", "assisted"])
def test_every_choice_goes_with_either_estimate(strategy, estimator):
    made = run(session(strategy=strategy, estimator=estimator, when_certified="continue", budget=40))
    found = made.selection()
    assert found.estimator == estimator and len(found) == 2
    assert (found.expected_gap is None) == (estimator == "plug-in")
    if estimator == "assisted":
        assert set(found.features.tolist()) == {3, 7} and not found.certified


def test_strategies_declare_their_estimate():
    assert session().estimator == "assisted" and session(strategy="uncertainty").estimator == "assisted"
    assert session(strategy="afs", assistant=None).estimator == "plug-in"


def test_the_same_again_whatever_happened_in_between():
    straight = run(session(), until=33)
    winding = run(session(), until=28)
    pending = winding.ask()
    unasked = min(set(range(400)) - {pending, *straight.labelled.tolist()})
    winding.tell(unasked, int(Y[unasked]))
    assert unasked in winding.labelled and winding.selection() != straight.selection()
    assert winding.undo() == unasked
    winding.tell(pending, int(Y[pending]))
    run(winding, until=33)
    for row in reversed(winding.labelled[-7:]):
        assert winding.undo() == row
    run(winding, until=33)
    assert winding.labelled.tolist() == straight.labelled.tolist()
    # What is guaranteed rests on the draws as they happened; all else on the labels alone.
    found, expected = winding.selection(), straight.selection()
    assert replace(found, guaranteed_gap=expected.guaranteed_gap) == expected
    assert winding.ask() == straight.ask()


def test_threads_change_nothing(shared_work):
    one, two = (run(session(n_jobs=n, assistant=None), until=21) for n in (1, 2))
    assert one.labelled.tolist() == two.labelled.tolist() and one.selection() == two.selection()
    assert set(shared_work) == {1, 2}


def test_batches_skips_and_warm_start():
    made = session()
    made.tell(np.arange(20), Y[:20])
    rows = made.ask(12)
    assert len(set(rows.tolist())) == 12 and not set(rows.tolist()) & set(range(20))
    made.skip(int(rows[0]))
    made.tell(rows[1:], Y[rows[1:]])
    following = made.ask()
    assert following not in {*rows.tolist(), *range(20)}
    made.tell(following, int(Y[following]))
    run(made)
    assert made.n_labels == 60 and int(rows[0]) not in made.labelled
    assert set(made.selection().features.tolist()) == {3, 7}


def test_one_class_only_and_two_labels():
    made = session()
    for label in (0, 0):
        made.tell(made.ask(), label)
    with pytest.warns(UserWarning, match="arbitrary"):
        found = made.selection()
    assert not found.informative and (found.lower == 0).all()
    assert found.sure == "too few labels to say: all labels so far are of one class (0)"
    assert "arbitrary" in str(found) and found.names[0] not in str(found)
    made.tell(made.ask(), 1)
    assert len(made.selection()) == 2 and made.selection().sure == "too few labels to say: 3 so far"


def test_many_classes_and_rules():
    y = X[:, 3] + (X[:, 7] > 1)
    for rule in ("none", "mrmr", "jmi", "cmim"):
        made = session(redundancy=rule, budget=22)
        while not made.finished:
            row = made.ask()
            made.tell(row, int(y[row]))
        assert 3 in made.selection().features
        assert len(made.contested().leaders) == 2


def test_costs_decide():
    cost = np.where(np.arange(400) % 2 == 0, 1.0, 50.0)
    made = run(session(cost=cost, budget=300.0), until=40)
    late = made.labelled[10:]
    assert np.mean(late % 2 == 0) > 0.8


def test_own_model():
    made = run(session(model=LogisticRegression(), assistant=None, budget=50))
    assert set(made.selection().features.tolist()) == {3, 7}


def test_stopping_when_little_is_missing():
    made = run(session(stop_when_gap_below=0.02, budget=300))
    assert 30 <= made.n_labels < 300 and made.selection().expected_gap < 0.1
    with pytest.raises(NothingToAsk, match=r"lack less than 0\.02"):
        made.ask()
    assert run(session(stop_when_gap_below=0.02, budget=25)).n_labels == 25


def test_labels_without_connection_do_not_stop_it():
    made = session(stop_when_gap_below=10.0, budget=60)
    noise = np.random.default_rng(5).integers(0, 2, 400)
    while not made.finished:
        row = made.ask()
        made.tell(row, int(noise[row]))
    assert made.n_labels == 60 and not made.selection().informative


def test_contested_features_by_the_assisted_bounds():
    made = run(session(), until=20)
    found = made.contested()
    best = np.argsort(made.values())[:2]
    assert set(found.leaders.tolist()) == set(best.tolist())
    lower, upper = made._engine._assisted.estimates(made.estimates).comparing_bounds()
    tilted = lower.copy()
    tilted[best] = upper[best]  # pessimistic about the leaders, optimistic about the others
    assert set(found.challengers.tolist()) == set(np.argsort(tilted)[:2].tolist())
    assert set(found.features.tolist()) == set(found.leaders.tolist()) ^ set(found.challengers.tolist())
    assert found.features.size > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": "best"}, "estimator must be"),
        (
            {"estimator": "plug-in", "strategy": "afs", "model": LogisticRegression(), "assistant": None},
            "model is used",
        ),
        ({"stop_when_gap_below": 0}, "above 0"),
        ({"stop_when_gap_below": True}, "above 0"),
        ({"stop_when_gap_below": 0.1, "strategy": "afs"}, "needs estimator='assisted'"),
        ({"model": LogisticRegression()}, "either model or assistant"),
        ({"assistant": Assistant(Pool.from_table(X[:50]), LogisticRegression())}, "another pool"),
        ({"model": "forest", "assistant": None}, "predict_proba"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InvalidInputError, match=message):
        session(**options)


def test_selector():
    found = ActiveFeatureSelector(2, budget=50, strategy="afs", estimator="assisted", random_state=0).fit(X, Y)
    assert set(found.selection_.features.tolist()) == {3, 7} and found.selection_.estimator == "assisted"
    early = ActiveFeatureSelector(2, budget=300, strategy="assisted", stop_when_gap_below=0.05, random_state=0).fit(
        X, Y
    )
    assert early.n_labels_ < 300
