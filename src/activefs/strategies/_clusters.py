"""Clusters of a pool's rows and the density that they model, for strategies that look at density."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from activefs._kernels.distances import hamming, modes, nearest_centres
from activefs.pool import Pool
from activefs.types import Array, Floats

# Centres do not become better with more rows than this, only later.
_SAMPLE = 2000
_MAX_ROUNDS = 50
_MAX_EM = 200


class Clusters:
    """A mixture of equally wide Gaussians around modes, in Hamming distance.

    log p(x | k) = -h(x, c_k) / (2 s) - d / 2 log(2 pi s), h the Hamming distance, s the common
    variance per feature.

    Attributes
    ----------
    log_density : array of shape (m,)
        log p(x) of every row.
    membership : array of shape (m, K)
        P(k | x) of every row.
    inputs : array of shape (K, K + 1)
        Coordinates of the centres for a regression, the last one being 1. The products of the others
        are the shares of features in which two centres agree: with a quadratic penalty that is the
        same regression as on the thousands of one-hot coordinates.
    """

    def __init__(self, pool: Pool, n_clusters: int, seed: int) -> None:
        self.pool = pool
        centres = _k_modes(pool, n_clusters, np.random.default_rng(seed))
        distance = np.empty((len(centres), pool.n_rows), dtype=np.int32)
        for k, centre in enumerate(centres):
            hamming(pool.codes, centre, distance[k])
        self.log_density, self.membership = _fit_mixture(distance.T.astype(np.float64), pool.n_features)
        agree = (centres[:, None, :] == centres[None, :, :]).mean(axis=2)
        values, vectors = np.linalg.eigh(agree)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        self.inputs: Floats = np.column_stack([root, np.ones(len(centres))])


def _k_modes(pool: Pool, n_clusters: int, rng: np.random.Generator) -> Array:
    """Centres of k-modes, started from rows drawn far from each other (as in k-means++)."""
    rows = np.sort(rng.permutation(pool.n_rows)[:_SAMPLE])
    codes = np.ascontiguousarray(pool.codes[:, rows])
    count = min(n_clusters, rows.size)
    centres = np.empty((count, pool.n_features), dtype=codes.dtype)
    nearest = np.full(rows.size, np.inf)
    distance = np.empty(rows.size, dtype=np.int32)
    for k in range(count):
        weight = nearest if k and nearest.sum() > 0 else np.ones(rows.size)
        centres[k] = codes[:, rng.choice(rows.size, p=weight / weight.sum())]
        hamming(codes, centres[k], distance)
        nearest = np.minimum(nearest, distance)
    own = np.full(rows.size, -1, dtype=np.int64)
    for _ in range(_MAX_ROUNDS):
        before = own.copy()
        nearest_centres(codes, centres, own, distance)
        if np.array_equal(before, own):
            break
        modes(codes, own, pool.cardinalities, centres)
    return centres


def _fit_mixture(distance: Floats, dimensions: int) -> tuple[Floats, Floats]:
    """EM for the weights of the clusters and the common variance; returns log p(x) and P(k | x)."""
    rows, clusters = distance.shape
    log_weight = np.full(clusters, -np.log(clusters))
    variance = max(float(distance.min(axis=1).mean()), 1e-3) / dimensions
    last = -np.inf
    for _ in range(_MAX_EM):
        joint = log_weight - distance / (2 * variance) - dimensions / 2 * np.log(2 * np.pi * variance)
        log_density = logsumexp(joint, axis=1)
        membership = np.exp(joint - log_density[:, None])
        likelihood = float(log_density.mean())
        if likelihood - last <= 1e-9 * abs(likelihood):
            break
        last = likelihood
        log_weight = np.log(np.maximum(membership.sum(axis=0), 1e-300) / rows)
        variance = max(float((membership * distance).sum()) / rows, 1e-3) / dimensions
    return log_density, np.ascontiguousarray(membership)
