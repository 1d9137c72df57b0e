"""The regression against scikit-learn, against an integral, and against leaving labels out for real."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from activefs.model import _softmax


def problem(t=80, r=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(t, r)), np.ones((t, 1))])
    p = softmax(X @ rng.normal(size=(r + 1, classes)), axis=1)
    return X, (rng.random((t, 1)) > np.cumsum(p, axis=1)).sum(axis=1)


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("variance", [0.5, 4.0, 64.0])
def test_the_peak_is_that_of_scikit_learn(variance, classes):
    X, y = problem(200, classes=classes)
    there = LogisticRegression(C=variance / 2, fit_intercept=False, tol=1e-10, max_iter=10_000)
    if classes == 2:  # scikit-learn has one set of weights then, the difference
        expected = there.set_params(C=variance).fit(X, y).coef_[0]
        weights = _softmax.fit(X, y, 2, variance).weights
        found = weights[:, 1] - weights[:, 0]
    else:
        expected = there.fit(X, y).coef_.T
        found = _softmax.fit(X, y, classes, variance).weights
    assert np.allclose(softmax(X @ found) if classes > 2 else expit(X @ found), softmax(X @ expected)
                       if classes > 2 else expit(X @ expected), atol=0.01)  # fmt: skip


@pytest.mark.parametrize("classes", [2, 5])
def test_where_it_begins_does_not_matter(classes):
    X, y = problem(classes=classes)
    one = _softmax.fit(X, y, classes, 4.0)
    other = _softmax.fit(X, y, classes, 4.0, start=np.random.default_rng(0).normal(size=(5, classes)))
    assert np.allclose(one.leave_one_out, other.leave_one_out, atol=0.02)
    assert abs(one.log_evidence - other.log_evidence) < 0.05


def test_the_names_of_classes_do_not_matter():
    X, y = problem(classes=4)
    one, other = _softmax.fit(X, y, 4, 16.0), _softmax.fit(X, 3 - y, 4, 16.0)
    assert np.allclose(one.leave_one_out, other.leave_one_out[:, ::-1], atol=1e-6)
    assert one.log_evidence == pytest.approx(other.log_evidence)


def test_evidence_and_average_against_integrals():
    """With one weight everything can be integrated."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 1))
    y = (rng.random(40) < expit(1.5 * x[:, 0])).astype(int)
    variance = 2.0

    def joint(w):
        likelihood = np.prod(np.where(y == 1, expit(w * x[:, 0]), expit(-w * x[:, 0])))
        return likelihood * np.exp(-w * w / 2 / variance) / np.sqrt(2 * np.pi * variance)

    whole = quad(joint, -10, 10, epsabs=0, epsrel=1e-10)[0]
    fitted = _softmax.fit(x, y, 2, variance)
    assert abs(fitted.log_evidence - np.log(whole)) < 0.05
    expected = quad(lambda w: expit(2.0 * w) * joint(w), -10, 10, epsabs=0, epsrel=1e-10)[0] / whole
    assert abs(fitted.probabilities(np.array([[2.0]], dtype=np.float32))[0, 1] - expected) < 0.02


def test_evidence_of_three_classes_against_sampling():
    """The mean likelihood of weights drawn from the prior is the evidence."""
    rng = np.random.default_rng(2)
    x = np.hstack([rng.normal(size=(25, 1)), np.ones((25, 1))])
    y = (rng.random((25, 1)) > np.cumsum(softmax(x @ rng.normal(size=(2, 3)), axis=1), axis=1)).sum(axis=1)
    variance = 2.0
    weights = rng.normal(size=(200_000, 2, 3)) * np.sqrt(variance / 2)
    logs = np.log(softmax(np.einsum("ti,nic->ntc", x, weights), axis=2)[:, np.arange(25), y]).sum(axis=1)
    expected = np.log(np.mean(np.exp(logs - logs.max()))) + logs.max()
    assert abs(_softmax.fit(x, y, 3, variance).log_evidence - expected) < 0.4  # one curvature for all directions


@pytest.mark.parametrize("classes", [2, 4])
def test_leave_one_out_is_close_to_leaving_labels_out(classes):
    X, y = problem(t=60, classes=classes)
    found = _softmax.fit(X, y, classes, 4.0).leave_one_out
    for i in range(0, 60, 7):
        rest = np.arange(60) != i
        expected = _softmax.fit(X[rest], y[rest], classes, 4.0).probabilities(X[i : i + 1].astype(np.float32))[0]
        assert np.abs(found[i] - expected).max() < 0.05


@pytest.mark.parametrize("classes", [2, 4])
def test_draws_scatter_around_the_average(classes):
    X, y = problem(classes=classes)
    fitted = _softmax.fit(X, y, classes, 4.0)
    rng = np.random.default_rng(0)
    rows = X.astype(np.float32)
    draws = np.array([fitted.posterior_draw(rows, rng) for _ in range(400)])
    assert np.abs(draws.mean(axis=0) - fitted.probabilities(rows)).max() < 0.06
    assert np.median(draws.std(axis=0)) > 0.02


def test_labels_that_a_line_separates():
    X = np.hstack([np.linspace(-1, 1, 20)[:, None], np.ones((20, 1))])
    fitted = _softmax.fit(X, (X[:, 0] > 0).astype(int), 2, 1e4)
    assert np.isfinite(fitted.weights).all() and np.isfinite(fitted.log_evidence)
    assert ((fitted.probabilities(X.astype(np.float32))[:, 1] > 0.5) == (X[:, 0] > 0)).all()


def test_a_class_that_was_seen_once():
    X, y = problem(classes=2)
    y[0] = 2
    fitted = _softmax.fit(X, y, 3, 16.0)
    assert np.allclose(fitted.leave_one_out.sum(axis=1), 1.0) and fitted.leave_one_out.min() >= 0.0
