"""Neighbours against brute force; smooth functions of clusters."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from activefs.model import _graph
from activefs.model._graph import nearest_neighbours, smooth_functions


@pytest.mark.parametrize("block", [7, 64, 1024])
def test_neighbours_against_brute_force(monkeypatch, block):
    monkeypatch.setattr(_graph, "_BLOCK", block)
    points = np.random.default_rng(0).normal(size=(150, 4)).astype(np.float32)
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    assert np.array_equal(nearest_neighbours(points, 6), np.argsort(distances, axis=1)[:, :6])


@pytest.mark.parametrize("block", [4, 1024])
def test_of_equally_near_rows_the_first_are_taken(monkeypatch, block):
    monkeypatch.setattr(_graph, "_BLOCK", block)
    points = np.repeat(np.array([[0, 0], [8, 0]], dtype=np.float32), 6, axis=0)
    found = nearest_neighbours(points, 3)
    assert found[:6].tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
    assert (found[6:] == found[:6] + 6).all()


def test_clusters_are_smooth_functions():
    points = np.concatenate([np.random.default_rng(s).normal(10 * s, 0.1, size=(50, 3)) for s in range(3)])
    functions, smoothness = smooth_functions(points.astype(np.float32), 3, np.random.default_rng(0))
    assert np.allclose(smoothness, 1.0, atol=1e-3)
    for cluster in np.split(functions, 3):
        assert np.abs(cluster - cluster.mean(axis=0)).max() < 0.05


def test_smoothness_is_that_of_the_random_walk():
    """Eigenvalues of the whole matrix, where it is small enough to be made."""
    points = np.random.default_rng(1).normal(size=(200, 2)).astype(np.float32)
    joined = np.zeros((200, 200))
    joined[np.arange(200)[:, None], nearest_neighbours(points, 10)] = 1.0
    joined = np.maximum(joined, joined.T)
    half = 1.0 / np.sqrt(joined.sum(axis=1))
    expected = np.linalg.eigvalsh(half[:, None] * joined * half[None, :])[-8:]
    _, found = smooth_functions(points, 8, np.random.default_rng(0))
    assert np.allclose(found, expected, atol=1e-4)
