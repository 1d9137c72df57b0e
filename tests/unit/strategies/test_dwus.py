"""DWUS: expected error times density, in log space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from activefs import Pool, Session
from activefs._kernels.mixtures import classes_of_centres, log_errors
from activefs.exceptions import InvalidInputError
from activefs.strategies._clusters import Clusters


def two_groups(rows: int = 200, columns: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, size=rows)
    X = np.where(rng.random((rows, columns)) < 0.85, group[:, None], rng.integers(0, 3, size=(rows, columns)))
    return X, group


def test_clusters_find_the_groups_and_their_density_is_a_density() -> None:
    X, group = two_groups()
    clusters = Clusters(Pool.from_table(X), 2, seed=0)
    log_density, membership = clusters.of(np.arange(len(X)))
    found = membership.argmax(axis=1)
    assert max((found == group).mean(), (found != group).mean()) > 0.98
    assert np.allclose(membership.sum(axis=1), 1.0)
    # A row that agrees with its group in more features is denser.
    agree = (group[:, None] == X).sum(axis=1)
    assert np.corrcoef(agree, log_density)[0, 1] > 0.9


def test_thousands_of_features_do_not_underflow() -> None:
    X, _ = two_groups(rows=120, columns=3000)
    clusters = Clusters(Pool.from_table(X), 5, seed=1)
    log_density, _ = clusters.of(np.arange(120))
    assert np.isfinite(log_density).all()
    assert len(np.unique(log_density)) > 50
    session = Session(X, k=3, strategy="dwus", random_state=0)
    for _ in range(5):
        row = session.ask()
        session.tell(row, int(row % 2))
    assert session.n_labels == 5


@pytest.mark.parametrize("classes", [2, 3])
def test_regression_equals_a_general_optimiser(classes: int) -> None:
    rng = np.random.default_rng(classes)
    membership = rng.dirichlet(np.full(4, 0.3), size=60)
    labels = rng.integers(0, classes, size=60)
    inputs = np.column_stack([rng.normal(size=(4, 3)), np.ones(4)])
    penalty = np.array([1.0, 1.0, 1.0, 0.01])

    def loss(flat: np.ndarray) -> float:
        w = flat.reshape(4, classes)
        p = np.exp(log_softmax(inputs @ w, axis=1))
        return float(0.5 * (penalty[:, None] * w**2).sum() - np.log((membership * p[:, labels].T).sum(axis=1)).sum())

    reference = minimize(loss, np.zeros(4 * classes), method="BFGS", options={"gtol": 1e-8})
    expected = np.exp(log_softmax(inputs @ reference.x.reshape(4, classes), axis=1))
    assert np.allclose(classes_of_centres(membership, labels, classes, inputs, penalty), expected, atol=1e-4)


def test_errors_of_rows_by_hand() -> None:
    membership = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    probabilities = np.array([[0.9, 0.1], [0.1, 0.9]])
    out = np.empty(3)
    log_errors(membership, probabilities, out)
    assert np.allclose(np.exp(out), [0.1, 0.5, 0.1])


def test_without_labels_the_densest_row_comes_first() -> None:
    X, _ = two_groups()
    session = Session(X, k=2, strategy="dwus", random_state=0)
    clusters = Clusters(session.pool, 5, seed=0)
    log_density, _ = clusters.of(np.arange(len(X)))
    assert log_density[session.ask()] == log_density.max()


def test_replay_gives_the_same_questions_and_more_classes_work() -> None:
    X, group = two_groups()
    y = ["ab"[i % 2] if g else "c" for i, g in enumerate(group)]
    session = Session(X, k=2, strategy="dwus", random_state=0, budget=25)
    while not session.finished:
        row = session.ask()
        session.tell(row, y[row])
    assert len(set(session.labels)) == 3
    again = Session(X, k=2, strategy="dwus", random_state=0)
    rows = session.labelled.tolist()
    again.tell(rows[:-1], [y[row] for row in rows[:-1]])
    assert again.ask() == rows[-1]


@pytest.mark.parametrize(
    "params", [{"n_clusters": 0}, {"n_clusters": 1.5}, {"penalty": 0}, {"penalty": "x"}, {"clustering_seed": -1}]
)
def test_wrong_parameters_are_refused(params: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(params))):
        Session(np.eye(4, dtype=int), k=1, strategy="dwus", strategy_params=params)


def test_more_clusters_than_rows() -> None:
    X, _ = two_groups(rows=4)
    assert 0 <= Session(X, k=1, strategy="dwus", random_state=0).ask() < 4
