"""Bayesian logistic regression by Laplace's approximation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import expit

from activefs.types import Floats, Matrix

_STEPS = 20
_ENOUGH = 1e-3  # nats
_FLAT = 1e-8  # smallest curvature of the likelihood: rows that are certain still count a little


@dataclass(frozen=True, eq=False)
class Logistic:
    """The posterior of the weights, taken as Gaussian around its peak.

    Attributes
    ----------
    weights : array of shape (r,)
        Where the posterior is largest.
    cholesky_factor : array of shape (r, r)
        Lower Cholesky factor of the precision matrix there.
    log_evidence : float
        Log marginal likelihood of the labels: the weights are integrated out.
    leave_one_out : array of shape (t,)
        Probability of each labelled row being positive, its own label left out (one Newton step each).
    """

    weights: Floats
    cholesky_factor: Floats
    log_evidence: float
    leave_one_out: Floats

    def probabilities(self, features: Matrix) -> Floats:
        """Return P(y = 1 | x), averaged over the posterior (MacKay's approximation of the integral)."""
        mean = features @ self.weights.astype(np.float32)
        half = features @ self._inverse_factor().astype(np.float32)
        return _averaged(mean.astype(np.float64), np.einsum("ij,ij->i", half, half).astype(np.float64))

    def posterior_draw(self, features: Matrix, rng: np.random.Generator) -> Floats:
        """Return P(y = 1 | x) for one set of weights drawn from the posterior."""
        weights = self.weights + self._inverse_factor() @ rng.standard_normal(self.weights.size)
        return np.asarray(expit((features @ weights.astype(np.float32)).astype(np.float64)))

    def _inverse_factor(self) -> Floats:
        identity = np.eye(len(self.cholesky_factor))
        return np.asarray(solve_triangular(self.cholesky_factor, identity, lower=True, trans="T", check_finite=False))


def fit(features: Floats, positive: Floats, variance: float, start: Floats | None = None) -> Logistic:
    """Find the posterior of the weights, whose prior is N(0, variance I).

    Parameters
    ----------
    features : array of shape (t, r)
        One row per label; a column of ones is the offset.
    positive : array of shape (t,)
        1 for positive labels, 0 for others.
    variance : float
        Of the prior.
    start : array of shape (r,), optional
        Where to begin; the result does not depend on it, the time does.
    """
    signs = 2.0 * positive - 1.0
    weights = np.zeros(features.shape[1]) if start is None else start

    def log_posterior(w: Floats) -> tuple[float, Floats]:
        scores = features @ w
        return float(-0.5 * (w @ w) / variance - np.logaddexp(0.0, -signs * scores).sum()), scores

    best, scores = log_posterior(weights)
    for _ in range(_STEPS):
        factor, rates, _ = _precision(features, scores, variance)
        gradient = features.T @ (positive - rates) - weights / variance
        step = cho_solve((factor, True), gradient, check_finite=False)
        size = 1.0
        while True:
            tried, tried_scores = log_posterior(weights + size * step)
            if tried >= best or size < 1e-3:
                break
            size /= 2
        gained = tried - best
        weights, best, scores = weights + size * step, tried, tried_scores
        if gained < _ENOUGH:
            break
    factor, rates, curvature = _precision(features, scores, variance)
    log_evidence = best - 0.5 * weights.size * np.log(variance) - np.log(np.diag(factor)).sum()
    half = solve_triangular(factor, features.T, lower=True, check_finite=False)
    spread = np.einsum("ij,ij->j", half, half)
    left = 1.0 - np.minimum(spread * curvature, 1.0 - 1e-6)
    leave_one_out = _averaged(scores - spread * (positive - rates) / left, spread / left)
    return Logistic(weights, factor, float(log_evidence), leave_one_out)


def _precision(features: Floats, scores: Floats, variance: float) -> tuple[Floats, Floats, Floats]:
    """Return the Cholesky factor of the posterior's precision, the rates, and the curvature per row."""
    rates = expit(scores)
    curvature = np.maximum(rates * (1.0 - rates), _FLAT)
    precision = (features * curvature[:, None]).T @ features
    precision[np.diag_indices_from(precision)] += 1.0 / variance
    return np.asarray(cholesky(precision, lower=True, check_finite=False)), rates, curvature


def _averaged(mean: Floats, variance: Floats) -> Floats:
    """Return the mean of the logistic function over a normal distribution, approximately (MacKay, 1992)."""
    return np.asarray(expit(mean / np.sqrt(1.0 + np.pi * variance / 8.0)))
