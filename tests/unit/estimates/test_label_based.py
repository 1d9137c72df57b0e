"""Labels against a model that is wrong: right on average, as noisy as is said, exact in the end."""

import numpy as np
import pytest

from activefs import Pool
from activefs.criteria import Gini, MutualInformation
from activefs.estimates._combine import combine
from activefs.estimates._label_based import LabelBased, label_based

N = 1500


def table(classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(0, k, N) for k in (2, 3, 5, 10)], axis=1)
    p = np.full((N, classes), 0.2)
    p[np.arange(N), X[:, 2] % classes] += 1.0
    p /= p.sum(axis=1, keepdims=True)
    return Pool.from_table(X), p, (rng.random((N, 1)) > np.cumsum(p, axis=1)).sum(axis=1)


def shares(pool, p):
    cells = pool.offsets[:-1, None] + pool.codes
    return np.array([p[(cells == c).any(axis=0)].mean(axis=0) for c in range(int(pool.offsets[-1]))])


def conditional(pool, p, criterion):
    q = shares(pool, p)
    out = pool.shares * criterion.value(q)
    return np.array([out[a:b].sum() for a, b in zip(pool.offsets[:-1], pool.offsets[1:], strict=True)])


@pytest.mark.parametrize("criterion", [MutualInformation(), Gini()])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_wrong_model_does_no_harm_on_average(criterion, classes):
    """The model knows nothing. Whatever rows are labelled, the mean of the estimate is near the truth."""
    pool, p, y = table(classes)
    ignorant = np.tile(np.bincount(y) / N, (N, 1))
    truth = conditional(pool, p, criterion)
    rng = np.random.default_rng(1)
    found = []
    for _ in range(60):
        # Twice as many rows with a small value of the last feature, as a strategy might choose them.
        weights = np.where(pool.codes[3] < 5, 2.0, 1.0)
        rows = rng.choice(N, 400, replace=False, p=weights / weights.sum())
        drawn = (rng.random((400, 1)) > np.cumsum(p[rows], axis=1)).sum(axis=1)
        found.append(label_based(pool, criterion, shares(pool, ignorant), rows, drawn, ignorant[rows], 0))
    values = np.array([f.value for f in found])
    assert np.allclose(values.mean(axis=0), truth, atol=0.02)
    said, true = np.sqrt(np.mean([f.variance for f in found], axis=0)), values.std(axis=0)
    assert (said < 3 * true + 0.003).all() and (true < 3 * said).all()


def test_all_labels_are_the_truth():
    pool, _, y = table()
    rows = np.random.default_rng(0).permutation(N)
    ignorant = np.full((N, 3), 1 / 3)
    found = label_based(pool, MutualInformation(), shares(pool, ignorant), rows, y[rows], ignorant, 0)
    assert np.allclose(found.value, conditional(pool, np.eye(3)[y], MutualInformation()))
    assert np.allclose(found.variance, 0)


def test_the_seed_decides():
    pool, p, y = table()
    rows = np.arange(100)
    one, same, other = (
        label_based(pool, MutualInformation(), shares(pool, p), rows, y[rows], p[rows], s) for s in (0, 0, 1)
    )
    assert np.array_equal(one.value, same.value) and not np.array_equal(one.value, other.value)


def made(values, variances):
    return LabelBased(np.array(values), np.array(variances))


def test_a_model_that_agrees_is_believed():
    """Differences are smaller than the noise of the labels: the model cannot be told from the truth."""
    found = combine(np.array([0.5, 0.6, 0.7]), made([0.51, 0.59, 0.7], [0.01, 0.01, 0.01]))
    assert np.allclose(found.value, [0.5, 0.6, 0.7]) and np.allclose(found.weight, 1.0)


def test_a_model_that_disagrees_is_corrected():
    """Differences -0.3, 0, 0.3 of variance 0.06, noise 0.02: excess 0.04, a third of the weight for the model."""
    found = combine(np.array([0.5, 0.5, 0.5]), made([0.2, 0.5, 0.8], [0.02, 0.02, 0.02]))
    assert np.allclose(found.weight, 1 / 3)
    assert np.allclose(found.value, [0.3, 0.5, 0.7])


def test_a_common_level_is_the_model_s():
    """All features alike too small by the labels: nothing that matters to their order."""
    found = combine(np.array([0.5, 0.6, 0.7]), made([0.3, 0.4, 0.5], [0.01, 0.01, 0.01]))
    assert np.allclose(found.value, [0.5, 0.6, 0.7])
