"""The regression against scikit-learn, against an integral, and against leaving labels out for real."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from activefs.model import _logistic


def problem(t=80, r=4, seed=0):
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(t, r)), np.ones((t, 1))])
    return X, (rng.random(t) < expit(X @ rng.normal(size=r + 1))).astype(float)


@pytest.mark.parametrize("variance", [0.5, 4.0, 64.0])
def test_the_peak_is_that_of_scikit_learn(variance):
    X, y = problem()
    expected = LogisticRegression(C=variance, fit_intercept=False, tol=1e-10, max_iter=1000).fit(X, y).coef_[0]
    found = _logistic.fit(X, y, variance).weights
    assert np.allclose(found, expected, atol=0.02)


def test_where_it_begins_does_not_matter():
    X, y = problem()
    one = _logistic.fit(X, y, 4.0)
    other = _logistic.fit(X, y, 4.0, start=np.full(5, 2.0))
    assert np.allclose(one.leave_one_out, other.leave_one_out, atol=0.01)
    assert abs(one.log_evidence - other.log_evidence) < 0.01


def test_evidence_and_average_against_integrals():
    """With one weight everything can be integrated."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 1))
    y = (rng.random(40) < expit(1.5 * x[:, 0])).astype(float)
    variance = 2.0

    def joint(w):
        likelihood = np.prod(np.where(y == 1, expit(w * x[:, 0]), expit(-w * x[:, 0])))
        return likelihood * np.exp(-w * w / 2 / variance) / np.sqrt(2 * np.pi * variance)

    whole = quad(joint, -10, 10, epsabs=0, epsrel=1e-10)[0]
    fitted = _logistic.fit(x, y, variance)
    assert abs(fitted.log_evidence - np.log(whole)) < 0.05
    expected = quad(lambda w: expit(2.0 * w) * joint(w), -10, 10, epsabs=0, epsrel=1e-10)[0] / whole
    assert abs(fitted.probabilities(np.array([[2.0]], dtype=np.float32))[0] - expected) < 0.02


def test_leave_one_out_is_close_to_leaving_labels_out():
    X, y = problem(t=60)
    found = _logistic.fit(X, y, 4.0).leave_one_out
    for i in range(0, 60, 7):
        rest = np.arange(60) != i
        expected = _logistic.fit(X[rest], y[rest], 4.0).probabilities(X[i : i + 1].astype(np.float32))[0]
        assert abs(found[i] - expected) < 0.03


def test_draws_scatter_around_the_average():
    X, y = problem()
    fitted = _logistic.fit(X, y, 4.0)
    rng = np.random.default_rng(0)
    rows = X.astype(np.float32)
    draws = np.array([fitted.posterior_draw(rows, rng) for _ in range(400)])
    assert np.abs(draws.mean(axis=0) - fitted.probabilities(rows)).max() < 0.05
    assert np.median(draws.std(axis=0)) > 0.02


def test_labels_that_a_line_separates():
    X = np.hstack([np.linspace(-1, 1, 20)[:, None], np.ones((20, 1))])
    fitted = _logistic.fit(X, (X[:, 0] > 0).astype(float), 1e4)
    assert np.isfinite(fitted.weights).all() and np.isfinite(fitted.log_evidence)
    assert ((fitted.probabilities(X.astype(np.float32)) > 0.5) == (X[:, 0] > 0)).all()
