"""Clusters of a pool's rows and the density that they model, for strategies that look at density."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import logsumexp

from activefs._kernels.distances import hamming, modes, nearest_centres
from activefs.pool import Pool
from activefs.types import Array, Codes, Floats, Ints

# Centres do not become better with more rows than this, only later.
_SAMPLE = 2000
_MAX_ROUNDS = 50
_MOST_ROWS = 200_000
_MAX_EM = 200


class Clusters:
    """A mixture of equally wide Gaussians around modes, in Hamming distance.

    log p(x | k) = -h(x, c_k) / (2 s) - d / 2 log(2 pi s), h the Hamming distance, s the common
    variance per feature. The weights of the clusters and s are fitted to at most 200,000 rows.

    Attributes
    ----------
    centres : array of shape (K, d)
        The modes.
    densities : callable
        Gives log p(x) and P(k | x) of rows from their distances, of shape (rows, K).
    inputs : array of shape (K, K + 1)
        Coordinates of the centres for a regression, the last one being 1. The products of the others
        are the shares of features in which two centres agree: with a quadratic penalty that is the
        same regression as on the thousands of one-hot coordinates.
    """

    def __init__(self, pool: Pool, n_clusters: int, seed: int) -> None:
        self.pool = pool
        rng = np.random.default_rng(seed)
        self.centres = _k_modes(pool, n_clusters, rng)
        rows = np.arange(pool.n_rows)
        if pool.n_rows > _MOST_ROWS:
            rows = np.sort(rng.choice(pool.n_rows, _MOST_ROWS, replace=False))
        weights, variance = _fit_mixture(self._distances(rows), pool.n_features)
        self.densities = partial(_densities, log_weight=weights, variance=variance, dimensions=pool.n_features)
        agree = (self.centres[:, None, :] == self.centres[None, :, :]).mean(axis=2)
        values, vectors = np.linalg.eigh(agree)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        self.inputs: Floats = np.column_stack([root, np.ones(len(self.centres))])

    def of(self, rows: Ints) -> tuple[Floats, Floats]:
        """Return log p(x) and P(k | x) of some rows."""
        return self.densities(self._distances(rows))

    def _distances(self, rows: Ints) -> Floats:
        return distances(self.pool.codes_of(rows), np.arange(self.pool.n_features), self.centres, 0, rows.size)


def distances(codes: Codes, features: Ints, centres: Codes, at: int, size: int) -> Floats:
    """Return the Hamming distances of some rows from the centres, of shape (rows, K); the first is at `at` in codes."""
    found = np.empty((len(centres), size), dtype=np.int32)
    for k, centre in enumerate(centres):
        hamming(codes, features, centre, at, at + size, found[k])
    return found.T.astype(np.float64)


def _k_modes(pool: Pool, n_clusters: int, rng: np.random.Generator) -> Array:
    """Centres of k-modes, started from rows drawn far from each other (as in k-means++)."""
    if pool.n_rows <= _MOST_ROWS:
        rows = np.sort(rng.permutation(pool.n_rows)[:_SAMPLE])
    else:  # the same without a list of all rows
        rows = np.sort(rng.choice(pool.n_rows, _SAMPLE, replace=False))
    codes = np.ascontiguousarray(pool.codes_of(rows))
    count, every = min(n_clusters, rows.size), np.arange(pool.n_features)
    centres = np.empty((count, pool.n_features), dtype=codes.dtype)
    nearest = np.full(rows.size, np.inf)
    distance = np.empty(rows.size, dtype=np.int32)
    for k in range(count):
        weight = nearest if k and nearest.sum() > 0 else np.ones(rows.size)
        centres[k] = codes[:, rng.choice(rows.size, p=weight / weight.sum())]
        hamming(codes, every, centres[k], 0, rows.size, distance)
        nearest = np.minimum(nearest, distance)
    own = np.full(rows.size, -1, dtype=np.int64)
    for _ in range(_MAX_ROUNDS):
        before = own.copy()
        nearest_centres(codes, centres, own, distance)
        if np.array_equal(before, own):
            break
        modes(codes, own, pool.cardinalities, centres)
    return centres


def _fit_mixture(distance: Floats, dimensions: int) -> tuple[Floats, float]:
    """EM for the weights of the clusters, returned as logarithms, and the common variance."""
    rows, clusters = distance.shape
    log_weight = np.full(clusters, -np.log(clusters))
    variance = max(float(distance.min(axis=1).mean()), 1e-3) / dimensions
    last = -np.inf
    for _ in range(_MAX_EM):
        log_density, membership = _densities(distance, log_weight, variance, dimensions)
        likelihood = float(log_density.mean())
        if likelihood - last <= 1e-9 * abs(likelihood):
            break
        last = likelihood
        log_weight = np.log(np.maximum(membership.sum(axis=0), 1e-300) / rows)
        variance = max(float((membership * distance).sum()) / rows, 1e-3) / dimensions
    return log_weight, variance


def _densities(distance: Floats, log_weight: Floats, variance: float, dimensions: int) -> tuple[Floats, Floats]:
    """Return log p(x) and P(k | x) of every row."""
    joint = log_weight - distance / (2 * variance) - dimensions / 2 * np.log(2 * np.pi * variance)
    log_density = logsumexp(joint, axis=1)
    return log_density, np.ascontiguousarray(np.exp(joint - log_density[:, None]))
