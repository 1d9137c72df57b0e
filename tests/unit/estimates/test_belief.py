"""What is believed of features: exact in the end, in order, and the same every time."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from activefs import Pool
from activefs.criteria import AdjustedMutualInformation, Gini, MutualInformation
from activefs.estimates import AssistedEstimates, Belief, Signs
from activefs.model import Assistant

CRITERIA = [MutualInformation(), Gini(), AdjustedMutualInformation()]


def table(rows=400, features=14, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(rows, features))
    y = (X[:, 1] + X[:, 4]) * classes // 7
    return X, np.where(rng.random(rows) < 0.1, rng.integers(0, classes, rows), y)


def estimates(n, *, criterion=None, classes=2, seed=0, model=None, **more):
    X, y = table(classes=classes)
    assistant = Assistant(Pool.from_table(X), model, seed=seed)
    rows = np.random.default_rng(1).permutation(len(X))[:n]
    return AssistedEstimates(
        assistant.pool, assistant.complete(rows, y[rows], classes), criterion or MutualInformation(), seed=seed, **more
    )


def signs(n=100, rows=1000, **more):
    known = {"unexplained": 0.5, "level": 0.4, "sharpening": 0.05, "scatter": 0.02}
    return Signs(n, rows, seen=2, seen_once=0, connected=True, **known | more)


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.name)
@pytest.mark.parametrize("classes", [2, 4])
def test_with_all_labels_nothing_is_left_to_believe(criterion, classes):
    found = estimates(400, criterion=criterion, classes=classes)
    scores, lower, upper = found.scores(np.arange(14))
    assert np.allclose(scores, found.total - found.value, atol=1e-6)
    assert np.allclose(lower, scores, atol=1e-6) and np.allclose(upper, scores, atol=1e-6)
    best = np.argsort(found.value)[:3]
    assert found.expected_gap(best) == pytest.approx(0.0, abs=1e-6)
    assert np.allclose(found.probability(3)[best], 1.0, atol=1e-3)


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.name)
@pytest.mark.parametrize("n", [15, 60, 200])
@pytest.mark.parametrize("k", [1, 2, 7, 13, 14])
def test_probabilities_add_up_and_follow_the_scores(criterion, n, k):
    found = estimates(n, criterion=criterion)
    p = found.probability(k)
    assert p.shape == (14,) and (p >= 0).all() and (p <= 1).all()
    assert p.sum() == pytest.approx(k, abs=0.02)
    order = np.argsort(found.value)
    assert (np.diff(p[order]) <= 1e-9).all()
    if not criterion.adjusted:  # what is taken off for chance is not the same for all
        assert (np.diff(found.reported[order]) <= 1e-9).all()


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.name)
def test_bounds_hold_what_is_reported_and_what_ranks(criterion):
    for n in (15, 60, 200):
        found = estimates(n, criterion=criterion)
        scores, lower, upper = found.scores(np.arange(14))
        assert (lower <= scores).all() and (scores <= upper).all()
        low, high = found.bounds()
        assert (low <= found.value).all() and (found.value <= high).all()


def test_widths_shrink_with_labels_and_with_delta():
    widths = []
    for n in (30, 100, 300):
        _, lower, upper = estimates(n).scores(np.array([1, 4]))
        widths.append((upper - lower).mean())
    assert widths[0] > widths[1] > widths[2]
    _, lower, upper = estimates(100, delta=0.5).scores(np.array([1, 4]))
    assert (upper - lower).mean() < widths[1]


def test_the_same_every_time_and_whatever_was_asked_before():
    one, two = estimates(60, seed=3), estimates(60, seed=3)
    two.probability(5)
    two.expected_gap(np.array([0, 2]))
    assert np.array_equal(one.reported, two.reported) and np.array_equal(one.probability(2), two.probability(2))
    best = np.array([1, 4])
    assert one.expected_gap(best) == two.expected_gap(best)


@pytest.mark.parametrize("labels", [[], [0], [1, 1, 1]])
def test_one_class_only(labels):
    X, _ = table()
    assistant = Assistant(Pool.from_table(X), seed=0)
    rows = np.arange(len(labels))
    found = AssistedEstimates(
        assistant.pool, assistant.complete(rows, np.array(labels, dtype=np.int64), 2), MutualInformation()
    )
    assert not found.informative
    scores, lower, upper = found.scores(np.arange(14))
    assert (lower == 0).all() and np.isfinite(scores).all() and (upper >= scores).all()
    assert np.allclose(found.probability(7), 0.5, atol=0.2)
    assert np.isfinite(found.expected_gap(np.array([0, 1])))


def test_a_model_of_the_users_own():
    found = estimates(100, model=LogisticRegression())
    assert set(np.argsort(-found.probability(2))[:2].tolist()) == {1, 4}
    assert (found.scores(np.arange(14))[1] >= 0).all()


def test_a_choice_that_is_not_the_best_lacks_what_it_lacks():
    """Far from every doubt, the gap is the difference, whatever the factor of what is in doubt."""
    roots = np.array([0.9, 0.8, 0.3, 0.1])
    sure = Belief(roots, signs(n=999))
    lacking = (sure.centre[1] ** 2) - (sure.centre[3] ** 2)
    assert sure.expected_gap(np.array([0, 3])) == pytest.approx(lacking, rel=0.02)
    assert sure.expected_gap(np.array([0, 1])) < 0.01


def test_features_beyond_the_candidates():
    roots = np.linspace(0.5, 0.0, 600)
    found = Belief(roots, signs())
    p = found.probability(10)
    assert p.sum() == pytest.approx(10, abs=0.02) and p[-1] < 0.001
    assert np.isfinite(found.expected_gap(np.array([0, 599])))


def test_equal_features_share_the_places():
    p = Belief(np.full(8, 0.3), signs()).probability(2)
    assert np.allclose(p, 0.25, atol=1e-3)
    done = Belief(np.array([0.5, 0.3, 0.3, 0.1]), signs(n=1000)).probability(2)
    assert np.allclose(done, [1.0, 0.5, 0.5, 0.0], atol=1e-3)


def test_more_doubt_means_more_width():
    roots = np.array([0.5, 0.4, 0.3])
    base = Belief(roots, signs()).spread
    for more in ({"unexplained": 0.9}, {"sharpening": 0.1}, {"scatter": 0.1}):
        assert (Belief(roots, signs(**more)).spread > base).all()
    assert (Belief(roots, signs(rows=200)).spread < base).all()  # half of the rows are labelled


def test_classes_seen_once_promise_more():
    roots = np.array([0.5, 0.4])
    assert (Belief(roots, signs()._replace(seen_once=5)).reported > Belief(roots, signs()).reported).all()


def test_a_model_of_many_classes_is_timid_but_nothing_is_made_of_nothing():
    roots = np.array([0.4, 0.2])
    two, ten, most = (Belief(roots, signs(n=50)._replace(seen=seen)).centre for seen in (2, 10, 500))
    assert (two < ten).all() and (ten < most).all()
    assert (most - two <= roots + 1e-12).all()  # at most twice as much
    unknown = signs(n=50)._replace(seen=10, connected=False)
    assert np.array_equal(Belief(roots, unknown).centre, two)
    may_be, nothing_more = (Belief(roots, which).bounds(0.05)[1] for which in (unknown, unknown._replace(seen=2)))
    assert (may_be > nothing_more).all()
    explained = signs(n=50)._replace(seen=10, unexplained=0.0)
    assert np.allclose(Belief(roots, explained).centre, Belief(roots, explained._replace(seen=2)).centre)
