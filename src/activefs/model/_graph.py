"""Neighbourhoods: rows that resemble each other tend to have one label."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, lu
from scipy.sparse import csr_array, diags_array, sparray
from scipy.sparse.csgraph import reverse_cuthill_mckee

from activefs._kernels.neighbours import keep_nearest
from activefs.types import Floats, Ints, Matrix

NEIGHBOURS = 10
_BLOCK = 1024
_SPARE = 10
_ROUNDS = 10
_STEPS = 4


def nearest_neighbours(points: Matrix, n: int) -> Ints:
    """Return the n nearest other rows of each row, by Euclidean distance, nearest first.

    Every pair is looked at once, in single precision. On one thread that takes a third of the time of
    scikit-learn's NearestNeighbors, which looks at every pair twice, in double precision; preparing a table is mostly
    this.
    """
    squares = np.einsum("ij,ij->i", points, points)[:, None]
    ones = np.ones_like(squares)
    left, right = np.hstack([points, squares, ones]), np.hstack([-2.0 * points, ones, squares])
    size = len(points)
    distances, neighbours = np.full((size, n), np.inf, dtype=np.float32), np.zeros((size, n), dtype=np.int64)
    farthest = np.full(size, np.inf, dtype=np.float32)
    for a in range(0, size, _BLOCK):
        for b in range(a, size, _BLOCK):
            block = left[a : a + _BLOCK] @ right[b : b + _BLOCK].T  # squared distances
            keep_nearest(block, a, b, farthest, distances, neighbours)
    return neighbours


def smooth_functions(points: Matrix, n: int, rng: np.random.Generator) -> tuple[Matrix, Floats]:
    """Return the n functions on the rows that vary least between neighbours, and how little (1: not at all).

    They are the leading eigenvectors of the random walk on the graph that joins each row with its nearest ones,
    and the eigenvalues. Clusters of rows that hang together appear as functions that are constant on them.
    """
    size = len(points)
    neighbours = min(NEIGHBOURS, size - 1)
    pairs = nearest_neighbours(points, neighbours)
    one_way = csr_array(
        (np.ones(pairs.size), (np.repeat(np.arange(size), neighbours), pairs.ravel())), shape=(size, size)
    )
    graph = one_way.maximum(one_way.T)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    half = diags_array(1.0 / np.sqrt(degree))
    # Neighbours next to each other in memory: that halves the time of a product.
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    walk = csr_array(half @ graph @ half, dtype=np.float32)[order][:, order]
    vectors = np.empty((size, n))
    values, vectors[order] = _leading(walk, n, rng)
    vectors /= np.sqrt(degree)[:, None]
    vectors /= np.sqrt(np.mean(vectors**2, axis=0))
    return vectors.astype(np.float32), np.clip(values, 0.0, 1.0)


def _leading(walk: sparray, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the n largest eigenvalues of a symmetric matrix, ascending, and their vectors, by subspace iteration.

    Separate clusters make 1 an eigenvalue as often as there are clusters. A method that starts from one vector
    (Lanczos, as in scipy's eigsh) finds it once; a block of vectors finds them all. What is only nearly found lies at
    the small end, where a function is not smooth anyway.
    """
    block = rng.standard_normal((walk.shape[0], min(walk.shape[0], n + _SPARE)), dtype=np.float32)
    for _ in range(_ROUNDS):
        for _ in range(_STEPS):  # an even number, so that negative eigenvalues shrink, too
            block = walk @ block
        block = lu(block, permute_l=True, overwrite_a=True, check_finite=False)[0]  # keeps the columns apart
    exact = block.astype(np.float64)
    values, axes = eigh(exact.T @ (walk @ exact), exact.T @ exact)
    return values[-n:], exact @ axes[:, -n:]
