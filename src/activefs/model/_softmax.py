"""Bayesian multinomial logistic regression by Laplace's approximation, one curvature for all classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import logsumexp, softmax

from activefs.model._targets import expected, one_hot
from activefs.types import Floats, Matrix, Targets

_STEPS = 20
_INNER_STEPS = 10
_INNER_ENOUGH = 0.01
_ENOUGH = 1e-2  # nats
_FLAT = 1e-8  # smallest curvature of the likelihood: rows that are certain still count a little


@dataclass(frozen=True, eq=False)
class Softmax:
    """The posterior of the weights, taken as Gaussian around its peak.

    The scores of K classes are scores of K - 1 directions and a level that changes nothing. The curvature of the
    likelihood of a row, diag(p) - p p', is replaced by its mean over these directions, (1 - sum_c p_c^2) / (K - 1): all
    directions then have one covariance matrix, and the time hardly depends on how many classes there are. For two
    classes that is exact.

    Attributes
    ----------
    weights : array of shape (r, K)
        Where the posterior is largest.
    cholesky_factor : array of shape (r, r)
        Lower Cholesky factor of the precision matrix of each direction there.
    log_evidence : float
        Log marginal likelihood of the labels: the weights are integrated out.
    leave_one_out : array of shape (t, K)
        Class probabilities of each labelled row, its own label left out (one Newton step each).
    """

    weights: Floats
    cholesky_factor: Floats
    log_evidence: float
    leave_one_out: Floats

    def probabilities(self, features: Matrix) -> Floats:
        """Return P(y = c | x), averaged over the posterior (MacKay's approximation of the integral)."""
        mean = features @ self.weights.astype(np.float32)
        half = features @ self._inverse_factor().astype(np.float32)
        return _averaged(mean.astype(np.float64), np.einsum("ij,ij->i", half, half).astype(np.float64))

    def posterior_draw(self, features: Matrix, rng: np.random.Generator) -> Floats:
        """Return P(y = c | x) for one set of weights drawn from the posterior."""
        noise = rng.standard_normal(self.weights.shape)
        noise -= noise.mean(axis=1, keepdims=True)
        weights = self.weights + self._inverse_factor() @ noise
        return np.asarray(softmax((features @ weights.astype(np.float32)).astype(np.float64), axis=1))

    def _inverse_factor(self) -> Floats:
        identity = np.eye(len(self.cholesky_factor))
        return np.asarray(solve_triangular(self.cholesky_factor, identity, lower=True, trans="T", check_finite=False))


def fit(features: Floats, labels: Targets, n_classes: int, variance: float, start: Floats | None = None) -> Softmax:
    """Find the posterior of the weights; the difference of the weights of two classes has prior N(0, variance I).

    Parameters
    ----------
    features : array of shape (t, r)
        One row per label; a column of ones is the offset.
    labels : array of int, shape (t,), or of float, shape (t, K)
        Class numbers, all below `n_classes`, or class probabilities: their likelihood is the expected one.
    n_classes : int
        K, at least two.
    variance : float
        Of the prior.
    start : array of shape (r, K), optional
        Where to begin; the result does not depend on it, the time does.
    """
    r = features.shape[1]
    each = variance / 2.0  # of the weights of one class
    positive = one_hot(labels, n_classes)
    weights = np.zeros((r, n_classes)) if start is None else start

    def log_posterior(w: Floats) -> tuple[float, Floats]:
        scores = features @ w
        fit = expected(scores, labels).sum() - logsumexp(scores, axis=1).sum()
        return float(fit - 0.5 * np.vdot(w, w) / each), scores

    best, scores = log_posterior(weights)
    for _ in range(_STEPS):
        p = softmax(scores, axis=1)
        factor = _precision(features, _mean_curvature(p), each)
        gradient = features.T @ (positive - p) - weights / each
        step = _newton_step(features, p, each, factor, gradient)
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
    p = softmax(scores, axis=1)
    curvature = _mean_curvature(p)
    factor = _precision(features, curvature, each)
    log_evidence = best - (n_classes - 1) * (0.5 * r * np.log(each) + np.log(np.diag(factor)).sum())
    half = solve_triangular(factor, features.T, lower=True, check_finite=False)
    spread = np.einsum("ij,ij->j", half, half)
    left = 1.0 - np.minimum(spread * curvature, 1.0 - 1e-6)
    leave_one_out = _averaged(scores - (spread / left)[:, None] * (positive - p), spread / left)
    return Softmax(weights, factor, float(log_evidence), leave_one_out)


def _mean_curvature(p: Floats) -> Floats:
    """Return the curvature of the likelihood of each row, averaged over all directions."""
    return np.asarray(np.maximum((1.0 - np.einsum("ij,ij->i", p, p)) / (p.shape[1] - 1), _FLAT))


def _newton_step(features: Floats, p: Floats, variance: float, factor: Floats, gradient: Floats) -> Floats:
    """Solve for Newton's step by conjugate gradients, roughly: curvatures differ little from their mean."""
    step, left = np.zeros_like(gradient), gradient.copy()
    towards = conjugate = cho_solve((factor, True), left, check_finite=False)
    size = first = float(np.vdot(left, towards))
    if first <= 0.0:
        return step
    for _ in range(_INNER_STEPS):
        scores = p * (features @ conjugate)
        scores -= p * scores.sum(axis=1, keepdims=True)
        curved = features.T @ scores + conjugate / variance
        length = size / float(np.vdot(conjugate, curved))
        step += length * conjugate
        left -= length * curved
        towards = cho_solve((factor, True), left, check_finite=False)
        size, before = float(np.vdot(left, towards)), size
        if size < _INNER_ENOUGH * first:
            break
        conjugate = towards + (size / before) * conjugate
    return step


def _precision(features: Floats, curvature: Floats, variance: float) -> Floats:
    """Return the Cholesky factor of the posterior's precision."""
    precision = (features * np.maximum(curvature, _FLAT)[:, None]).T @ features
    precision[np.diag_indices_from(precision)] += 1.0 / variance
    return np.asarray(cholesky(precision, lower=True, check_finite=False))


def _averaged(mean: Floats, variance: Floats) -> Floats:
    """Return the mean of the softmax over a normal distribution of scores, approximately.

    The difference of two scores has twice the variance of one: for two classes this is MacKay's (1992) approximation.
    """
    return np.asarray(softmax(mean / np.sqrt(1.0 + np.pi * variance / 4.0)[:, None], axis=1))
