"""Rules against brute force written from their definitions, sharing no code."""

import math
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from activefs import ActiveFeatureSelector, Pool, Session
from activefs.estimates._plug_in import Estimates
from activefs.exceptions import InvalidInputError
from activefs.redundancy import available, create
from activefs.redundancy._conditional import PairEntropies
from activefs.redundancy._pool_information import PoolInformation

RULES = [name for name in available() if name != "none"]


def entropy(labels: np.ndarray) -> float:
    shares = np.bincount(labels) / len(labels)
    return float(-sum(p * np.log(p) for p in shares if p > 0))


def conditional_entropy(columns: np.ndarray, pool: np.ndarray, labels: np.ndarray, classes: int) -> float:
    """H(Y | columns): pool weights, class shares from the labelled rows, ln C where nothing was labelled."""
    total = 0.0
    for values in product(*(np.unique(pool[:, c]) for c in range(pool.shape[1]))):
        weight = float(np.mean(np.all(pool == values, axis=1)))
        seen = np.all(columns == values, axis=1)
        if weight > 0:
            total += weight * (entropy(labels[seen]) if seen.any() else math.log(classes))
    return total


def problem(seed: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray, Estimates]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(150, 9))
    X[:, 5] = np.where(rng.random(150) < 0.9, X[:, 2], X[:, 5])
    X[:, 6] = np.where(rng.random(150) < 0.9, 0, X[:, 6])  # mostly one value: counted through its exceptions
    X[:, 7] = np.where(rng.random(150) < 0.8, 2, X[:, 7])
    X[:, 8] = np.where(rng.random(150) < 0.8, (X[:, 1] + X[:, 7]) % 3, X[:, 8])  # noisy: no exact ties
    y = (X[:, 2] + X[:, 1] + rng.integers(0, 2, 150)) % classes
    rows = rng.permutation(150)[:60]
    estimates = Estimates(Pool.from_table(X), classes)
    estimates.add_many(rows, y[rows])
    return X, y, rows, estimates


def brute_force(name: str, X: np.ndarray, y: np.ndarray, rows: np.ndarray, classes: int, k: int) -> list[int]:
    d = X.shape[1]
    alone = [conditional_entropy(X[rows][:, [f]], X[:, [f]], y[rows], classes) for f in range(d)]
    pair = {
        (f, s): conditional_entropy(X[rows][:, [f, s]], X[:, [f, s]], y[rows], classes)
        for f in range(d)
        for s in range(d)
        if f != s
    }
    chosen = [int(np.argmin(alone))]
    while len(chosen) < k:
        scores = {}
        for f in set(range(d)) - set(chosen):
            if name == "mrmr":
                scores[f] = -alone[f] - np.mean([mutual_info_score(X[:, f], X[:, s]) for s in chosen])
            elif name == "jmi":
                scores[f] = -sum(pair[f, s] for s in chosen)
            else:  # cmim; I(f; Y) = H(Y) - H(Y | f) has the unknown H(Y): pass it in through the slack below
                scores[f] = min(alone[s] - pair[f, s] for s in chosen)
        chosen.append(max(scores, key=lambda f: scores[f]))
    return chosen


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["mrmr", "jmi"])
def test_greedy_choice_equals_brute_force(name, seed, classes):
    X, y, rows, estimates = problem(seed, classes)
    expected = brute_force(name, X, y, rows, classes, k=5)
    assert create(name).choose(estimates, 5, np.random.default_rng(seed)).tolist() == expected


@pytest.mark.parametrize("seed", range(8))
def test_cmim_maximises_the_smallest_conditional_information(seed):
    X, y, rows, estimates = problem(seed)
    chosen = create("cmim").choose(estimates, 5, np.random.default_rng(0)).tolist()
    shares = estimates.class_shares(np.argpartition(estimates.value, 4)[:5])
    total = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())

    def score(f, before):
        looks = [total - conditional_entropy(X[rows][:, [f]], X[:, [f]], y[rows], 2)]
        for s in before:
            partner = conditional_entropy(X[rows][:, [s]], X[:, [s]], y[rows], 2)
            looks.append(partner - conditional_entropy(X[rows][:, [f, s]], X[:, [f, s]], y[rows], 2))
        return min(looks)

    for step, feature in enumerate(chosen):
        before = chosen[:step]
        rest = [score(f, before) for f in range(X.shape[1]) if f not in before]
        assert score(feature, before) == pytest.approx(max(rest), abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ["jmi", "cmim"])
def test_features_of_very_many_values_are_counted_by_what_occurs(name, classes, monkeypatch):
    """Tables of all pairs of values would be too large then; the choice does not depend on the way."""
    chosen, by_what_occurs = [], []
    count = PairEntropies._wide

    def counted(self, *pair):
        by_what_occurs.append(pair)
        return count(self, *pair)

    monkeypatch.setattr(PairEntropies, "_wide", counted)
    for wide in (False, True):
        *_, estimates = problem(2, classes)
        if wide:
            monkeypatch.setattr(PairEntropies, "_wide_from", property(lambda _: 5, lambda *_: None), raising=False)
        chosen.append(create(name).choose(estimates, 5, np.random.default_rng(0)).tolist())
        assert bool(by_what_occurs) == wide
    assert chosen[0] == chosen[1]


def test_information_between_features_is_exact_and_symmetric():
    X, *_ = problem(3)
    information = PoolInformation(Pool.from_table(X))
    for s in range(X.shape[1]):
        row = information.between(np.arange(X.shape[1]), s)
        assert row == pytest.approx([mutual_info_score(X[:, f], X[:, s]) for f in range(X.shape[1])], abs=1e-12)


def test_information_between_features_of_many_values():
    rng = np.random.default_rng(0)
    X = np.stack([rng.integers(0, 400, 900), rng.integers(0, 300, 900), rng.integers(0, 2, 900)], axis=1)
    information = PoolInformation(Pool.from_table(X, binning="none"))
    assert information.between(np.array([1, 2]), 0) == pytest.approx(
        [mutual_info_score(X[:, 1], X[:, 0]), mutual_info_score(X[:, 2], X[:, 0])], abs=1e-12
    )


def with_copies():
    """The label follows columns 0, 1 and 2; columns 4 and 5 repeat column 0."""
    base = np.random.default_rng(1).integers(0, 2, size=(400, 4))
    return np.column_stack([base, base[:, 0], base[:, 0]]), 2 * base[:, 0] + base[:, 1] + base[:, 2] > 2


@pytest.mark.parametrize("name", RULES)
def test_a_copy_of_a_chosen_feature_comes_late(name):
    X, y = with_copies()
    session = Session(X, k=3, redundancy=name, random_state=0)
    session.tell(np.arange(400), y)
    plain = Session(X, k=3, random_state=0)
    plain.tell(np.arange(400), y)
    assert sorted(plain.selection().features.tolist()) == [0, 4, 5]
    chosen = session.selection().features.tolist()
    assert chosen[0] in {0, 4, 5}
    assert chosen[1] in {1, 2}  # jmi may come back to a copy later: joint with column 1 it tells much
    if name != "jmi":
        assert chosen[2] in {1, 2}


@pytest.mark.parametrize("name", RULES)
def test_the_contested_set_follows_the_rule(name):
    X, y, _, _ = problem(0)
    session = Session(X, k=3, redundancy=name, random_state=0)
    session.tell(np.arange(40), y[:40])
    found = session.contested()
    assert session.selection().features.tolist() == found.leaders.tolist()
    assert found.features.tolist() == sorted(set(found.leaders) ^ set(found.challengers))
    row = session.ask()
    session.tell(row, y[row])
    assert session.n_labels == 41


@pytest.mark.parametrize("name", RULES)
def test_same_seed_same_run(name):
    X, y, _, _ = problem(2)
    runs = []
    for _ in range(2):
        session = Session(X, k=3, redundancy=name, budget=25, random_state=5)
        while not session.finished:
            row = session.ask()
            session.tell(row, y[row])
        runs.append((session.labelled.tolist(), session.selection().features.tolist()))
    assert runs[0] == runs[1]


def test_wrong_names_and_wrong_criteria_are_refused():
    with pytest.raises(InvalidInputError, match="cmim, jmi, mrmr, none"):
        Session(np.eye(3, dtype=int), k=1, redundancy="mrrm")
    with pytest.raises(InvalidInputError, match="goes with criterion 'mutual_information'"):
        Session(np.eye(3, dtype=int), k=1, redundancy="mrmr", criterion="gini")


def test_selector_takes_the_rule():
    X, y = with_copies()
    chosen = {}
    for name in ("none", "mrmr"):
        selector = ActiveFeatureSelector(k=3, strategy="afs", budget=50, redundancy=name, random_state=0).fit(X, y)
        session = Session(X, 3, strategy="afs", budget=50, redundancy=name, random_state=0)
        while not session.finished:
            row = session.ask()
            session.tell(row, y[row])
        chosen[name] = selector.get_support(indices=True).tolist()
        assert chosen[name] == sorted(session.selection().features.tolist())
    assert chosen["none"] == [0, 4, 5] and len({0, 4, 5} & set(chosen["mrmr"])) == 1
