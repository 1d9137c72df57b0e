"""Neighbourhoods: rows that resemble each other tend to have one label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, sparray

from activefs.types import Ints, Matrix

NEIGHBOURS = 10
_BLOCK = 1024
_SPARE = 10
_ROUNDS = 20


def nearest(points: Matrix, among: Matrix, n: int, *, same: bool = False) -> Ints:
    """The n nearest rows of `among` for each point; with `same`, a point is no neighbour of itself."""
    squares = np.einsum("ij,ij->i", among, among)
    found = np.empty((len(points), n), dtype=np.int64)
    for a in range(0, len(points), _BLOCK):
        part = points[a : a + _BLOCK]
        distance = squares[None, :] - 2.0 * (part @ among.T)  # the point's own square changes nothing
        if same:
            distance[np.arange(len(part)), np.arange(a, a + len(part))] = np.inf
        found[a : a + _BLOCK] = np.argpartition(distance, n - 1, axis=1)[:, :n]
    return found


def smooth_functions(points: Matrix, n: int, rng: np.random.Generator) -> tuple[Matrix, NDArray[np.float64]]:
    """The n functions on the rows that vary least between neighbours, and how little (1: not at all).

    They are the leading eigenvectors of the random walk on the graph that joins each row with its nearest ones,
    and the eigenvalues. Clusters of rows that hang together appear as functions that are constant on them.
    """
    size = len(points)
    neighbours = min(NEIGHBOURS, size - 1)
    pairs = nearest(points, points, neighbours, same=True)
    one_way = csr_array(
        (np.ones(pairs.size), (np.repeat(np.arange(size), neighbours), pairs.ravel())), shape=(size, size)
    )
    graph = one_way.maximum(one_way.T)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    half = diags_array(1.0 / np.sqrt(degree))
    walk = half @ graph @ half
    values, vectors = _leading(walk, n, rng)
    vectors = vectors / np.sqrt(degree)[:, None]
    vectors /= np.sqrt(np.mean(vectors**2, axis=0))
    return vectors.astype(np.float32), np.clip(values, 0.0, 1.0)


def _leading(walk: sparray, n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The n largest eigenvalues of a symmetric matrix, ascending, and their vectors, by iteration of a subspace.

    Separate clusters make 1 an eigenvalue as often as there are clusters. A method that starts from one vector
    finds it once; a block of vectors finds them all. What is only nearly found lies at the small end, where a
    function is not smooth anyway.
    """
    size = walk.shape[0]
    block = np.linalg.qr(rng.standard_normal((size, min(size, n + _SPARE))))[0]
    for _ in range(_ROUNDS):
        block = np.linalg.qr(walk @ (walk @ block))[0]  # squared, so that negative ones shrink
    values, turn = np.linalg.eigh(block.T @ (walk @ block))
    return values[-n:], block @ turn[:, -n:]
