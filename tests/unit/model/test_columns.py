"""Models of few columns, and rough ones of all: every label is predicted without itself."""

import numpy as np
import pytest

from activefs import Pool
from activefs.model import Assistant, ColumnsModel, rates_left_out

RNG = np.random.default_rng(0)
X = RNG.integers(0, 6, size=(300, 8))


def gain(left_out, y, n_classes=2):
    at = np.arange(y.size)
    return float(np.mean(np.log(left_out[at, y]) - np.log(rates_left_out(y, n_classes)[at, y])))


def test_shares_without_the_label_itself():
    found = rates_left_out(np.array([0, 0, 1, 2]), 3)
    np.testing.assert_allclose(found[0] * 4.5, [1.5, 1.5, 1.5])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_noise_tells_nothing_and_a_connection_much():
    y = RNG.integers(0, 2, size=300)
    model = ColumnsModel(Pool.from_table(X), np.arange(300), y, 2)
    assert abs(gain(model.left_out([0, 1, 2]), y)) < 0.05 and gain(model.left_out_of_all(), y) < 0.05
    y = (X[:, 2] > 2).astype(int)
    model = ColumnsModel(Pool.from_table(X), np.arange(300), y, 2)
    assert gain(model.left_out([2]), y) > 0.6 and gain(model.left_out_of_all(), y) > 0.3


def test_a_label_is_not_seen_by_the_model_that_predicts_it():
    """Changing one label must not make it likelier itself."""
    y = (X[:60, 2] > 2).astype(int)
    before = ColumnsModel(Pool.from_table(X), np.arange(60), y, 2).left_out([2])
    y[7] = 1 - y[7]
    after = ColumnsModel(Pool.from_table(X), np.arange(60), y, 2).left_out([2])
    assert after[7, y[7]] < 0.4 and before[7, 1 - y[7]] > 0.6


@pytest.mark.parametrize("kind", [float, str])
def test_missing_values_orders_and_names(kind):
    table = np.array([[kind(v) for v in row] for row in X[:, :3]], dtype=object)
    table[::5, 0] = None
    pool = Pool.from_table(table, missing="value")
    y = (X[:, 0] > 2).astype(int)
    found = ColumnsModel(pool, np.arange(300), y, 2).left_out([0])
    assert np.isfinite(found).all() and gain(found, y) > 0.3


def test_many_classes_of_which_some_were_never_seen():
    y = X[:, 1].astype(int)
    found = ColumnsModel(Pool.from_table(X), np.arange(300), y, 9).left_out([1])
    assert found.shape == (300, 9) and gain(found, y, 9) > 1.0


def test_rough_models_learn_from_a_part():
    pool, y = Pool.from_table(X), (X[:, 2] > 2).astype(int)
    rough = Assistant(pool, seed=0).rough(np.arange(120), y[:120], 2)
    assert rough is not None
    found = rough.complete(np.arange(0, 120, 2), 100)
    assert found.labels.tolist() == y[:120:2].tolist() and found.rows.size == 100
    assert np.mean(found.probabilities.argmax(axis=1) == y[found.rows]) > 0.8
    from sklearn.linear_model import LogisticRegression

    assert Assistant(pool, LogisticRegression()).rough(np.arange(120), y[:120], 2) is None
