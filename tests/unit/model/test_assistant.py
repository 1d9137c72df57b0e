"""What the assistant can be given, and that it says the same every time."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from activefs import Pool
from activefs.exceptions import InvalidInputError
from activefs.model import Assistant, _assistant
from activefs.model._design import Design

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, size=(300, 8))
Y = (X[:, 2] + X[:, 5] > 3).astype(np.int64)


def accuracy(found, y):
    return float(np.mean(found.probabilities.argmax(axis=1) == y))


@pytest.mark.parametrize("model", [None, LogisticRegression(), make_pipeline(StandardScaler(), GaussianNB())])
def test_models_learn_and_say_the_same_again(model):
    rows = np.arange(80)
    one, other = (Assistant(Pool.from_table(X), model, seed=3).complete(rows, Y[rows], 2) for _ in range(2))
    assert np.array_equal(one.probabilities, other.probabilities)
    assert np.array_equal(one.leave_one_out, other.leave_one_out)
    assert accuracy(one, Y) > 0.85
    assert one.probabilities.shape == (300, 2) and np.allclose(one.probabilities.sum(axis=1), 1)
    assert one.leave_one_out.shape == (80, 2) and np.allclose(one.leave_one_out.sum(axis=1), 1)
    draws = [one.posterior_draw(np.random.default_rng(7)) for _ in range(2)]
    assert np.array_equal(draws[0], draws[1]) and np.allclose(draws[0].sum(axis=1), 1)


def test_dense_and_sparse_are_the_same():
    rows = np.arange(60)
    found = [Assistant(Pool.from_table(t), seed=0).complete(rows, Y[rows], 2) for t in (X, sparse.csr_array(X))]
    assert np.array_equal(found[0].probabilities, found[1].probabilities)


def test_unordered_categories_are_no_numbers():
    """The label depends on a category in the middle of the alphabet: a number could not tell it."""
    rng = np.random.default_rng(1)
    colour = rng.choice(["ash", "blue", "cyan", "dun", "ecru"], size=500)
    frame = pd.DataFrame({"colour": colour, "age": rng.normal(size=500), "n": rng.integers(0, 9, 500)})
    y = (colour == "cyan").astype(np.int64)
    rows = np.arange(60)
    assert accuracy(Assistant(Pool.from_table(frame), seed=0).complete(rows, y[rows], 2), y) > 0.97


def test_missing_values_have_a_column_of_their_own():
    values = np.array([[1.0], [2.0], [np.nan], [3.0]] * 5)
    pool = Pool.from_table(values, missing="value")
    design = Design(pool).of(np.arange(4))
    assert design.shape == (4, 2)
    assert design[:, 1].tolist() == [0, 0, 1, 0] and design[2, 0] == design[1, 0]


def test_columns_that_say_nothing_about_the_sampled_rows_are_not_made(monkeypatch):
    """Of many words, most do not occur in a sample of texts; a word that is only elsewhere changes nothing there."""
    monkeypatch.setattr("activefs.model._assistant._MOST_ROWS", 200)
    monkeypatch.setattr("activefs.model._assistant._MOST_INDICATORS", 0)  # as with very many words
    words = (np.random.default_rng(0).random((300, 40)) < 0.2).astype(np.uint8)
    whole = Assistant(Pool.from_table(words), seed=0)
    absent = np.zeros((300, 5), dtype=np.uint8)
    absent[np.setdiff1d(np.arange(300), whole.rows)[:5], np.arange(5)] = 1
    more = Assistant(Pool.from_table(np.hstack([words, absent])), seed=0)
    assert np.array_equal(more.rows, whole.rows) and more.pool.n_features == 45
    rows, labels = whole.rows[:60], words[whole.rows[:60], 3].astype(np.int64)
    found, wanted = (assistant.complete(rows, labels, 2).probabilities for assistant in (more, whole))
    assert np.array_equal(found, wanted)


def test_a_sample_in_which_all_rows_are_alike(monkeypatch):
    monkeypatch.setattr("activefs.model._assistant._MOST_ROWS", 20)
    rare = np.zeros((5000, 2), dtype=np.uint8)
    sampled = Assistant(Pool.from_table(np.arange(5000)[:, None] % 2), seed=0).rows
    rare[np.setdiff1d(np.arange(5000), sampled)[:2], [0, 1]] = 1
    assistant = Assistant(Pool.from_table(rare), seed=0)
    assert np.array_equal(assistant.rows, sampled)
    found = assistant.complete(np.flatnonzero(rare.any(axis=1)), np.array([0, 1]), 2)
    assert np.isfinite(found.probabilities).all()


def test_one_class_two_labels_and_unseen_classes():
    assistant = Assistant(Pool.from_table(X), seed=0)
    one = assistant.complete(np.array([4, 5]), np.array([1, 1]), 2)
    assert np.allclose(one.probabilities, [1 / 6, 5 / 6])
    two = assistant.complete(np.array([4, 5]), np.array([0, 1]), 2)
    assert np.isfinite(two.probabilities).all()
    three = assistant.complete(np.arange(60), Y[:60], 3)
    assert three.probabilities.shape == (300, 3) and (three.probabilities[:, 2] == 0).all()
    none = assistant.complete(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), 2)
    assert (none.probabilities == 0.5).all()


def test_many_classes():
    y = X[:, 2].astype(np.int64)
    rows = np.arange(120)
    assert accuracy(Assistant(Pool.from_table(X), seed=0).complete(rows, y[rows], 4), y) > 0.9


@pytest.mark.parametrize("rows", [2, 3, 4, 12])
def test_tiny_tables(rows):
    small = np.arange(rows)[:, None] % 3 + np.arange(3)[None, :] * (np.arange(rows)[:, None] % 2)
    found = Assistant(Pool.from_table(small), seed=0).complete(np.array([0, 1]), np.array([0, 1]), 2)
    assert np.isfinite(found.probabilities).all()


def test_equal_rows_and_outliers():
    table = np.concatenate([np.zeros((200, 4), dtype=int), np.ones((200, 4), dtype=int), [[9, 0, 9, 0]]])
    y = np.repeat([0, 1, 1], [200, 200, 1])
    found = Assistant(Pool.from_table(table), seed=0).complete(np.array([0, 200]), np.array([0, 1]), 2)
    assert accuracy(found, y) > 0.99


def test_large_pools_are_sampled(monkeypatch):
    monkeypatch.setattr(_assistant, "_MOST_ROWS", 120)
    assistant = Assistant(Pool.from_table(X), seed=0)
    assert assistant.rows.size == 120 and (np.diff(assistant.rows) > 0).all()
    rows = np.arange(100)  # most of them are not in the sample
    found = assistant.complete(rows, Y[rows], 2)
    assert found.probabilities.shape == (120, 2)
    assert accuracy(found, Y[assistant.rows]) > 0.8


@pytest.mark.parametrize("model", [None, LogisticRegression()])
@pytest.mark.parametrize("most", [20_000, 120])
def test_another_seed_is_as_if_it_had_been_given_first(monkeypatch, model, most):
    monkeypatch.setattr(_assistant, "_MOST_ROWS", most)
    pool, rows = Pool.from_table(X), np.arange(60)
    one = Assistant(pool, model, seed=0)
    before = one.complete(rows, Y[rows], 2)
    found, wanted = one.with_seed(5), Assistant(pool, model, seed=5)
    assert np.array_equal(found.rows, wanted.rows) and found.model is model
    a, b = (each.complete(rows, Y[rows], 2) for each in (found, wanted))
    assert np.array_equal(a.probabilities, b.probabilities) and np.array_equal(a.leave_one_out, b.leave_one_out)
    assert one.seed == 0 and one.complete(rows, Y[rows], 2) is before


def test_another_seed_prepares_nothing_unless_rows_are_sampled(monkeypatch):
    prepared = []

    def prepare(*given):
        prepared.append(given)
        return []

    monkeypatch.setattr(_assistant, "prepared", prepare)
    one = Assistant(Pool.from_table(X), seed=0)
    one.with_seed(1).with_seed(2)
    assert len(prepared) == 1
    monkeypatch.setattr(_assistant, "_MOST_ROWS", 120)
    Assistant(Pool.from_table(X), seed=0).with_seed(1)
    assert len(prepared) == 3


@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression, "trees", 3])
def test_models_that_give_no_probabilities(model):
    with pytest.raises(InvalidInputError, match="classifier with predict_proba"):
        Assistant(Pool.from_table(X), model)
