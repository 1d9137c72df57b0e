"""The forest against the trees that it is made of."""

import numpy as np
import pytest
from sklearn.tree import ExtraTreeClassifier

from activefs.model import _trees
from activefs.model._completion import class_rates


@pytest.mark.parametrize(("n_classes", "seen"), [(2, 2), (7, 5)])
def test_probabilities_are_those_of_the_trees_to_the_digit(n_classes, seen):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, size=(300, 9)).astype(np.float32)
    labels = (rows[:60, :3].sum(axis=1) % seen).astype(np.int64)
    forest = _trees.grow(rows[:60], labels, n_classes, rows, seed=5)

    again = np.random.default_rng(5)
    votes = np.zeros((_trees.TREES, 300, n_classes), dtype=np.float32)
    unseen, n_unseen = np.tile(class_rates(labels, n_classes), (60, 1)), np.ones((60, 1))
    for vote in votes:
        weights = np.bincount(again.integers(60, size=60), minlength=60).astype(np.float64)
        tree = ExtraTreeClassifier(max_features=9, random_state=int(again.integers(2**31)))
        tree.fit(rows[:60], labels, sample_weight=weights)
        vote[:, tree.classes_] = tree.predict_proba(rows)
        outside = weights == 0
        unseen[np.ix_(outside, tree.classes_)] += tree.predict_proba(rows[:60])[outside]
        n_unseen[outside] += 1
    assert np.array_equal(forest.probabilities(), votes.mean(axis=0).astype(np.float64))
    some = np.random.default_rng(1).integers(_trees.TREES, size=8)
    assert np.array_equal(forest.posterior_draw(np.random.default_rng(1)), votes[some].mean(axis=0).astype(np.float64))
    assert np.allclose(forest.out_of_bag, unseen / n_unseen)
    assert forest.leaves.nbytes + forest.shares.nbytes < votes.nbytes or n_classes == 2
