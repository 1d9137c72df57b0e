"""Extra trees: what depends on a few features, in any way, is what they find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn import config_context
from sklearn.tree import ExtraTreeClassifier

from activefs.model._completion import class_rates
from activefs.types import Floats, Ints, Matrix

TREES = 50
_PER_DRAW = 8
_MANY_FEATURES = 1000


@dataclass(frozen=True, eq=False)
class Forest:
    """Extremely randomised trees on bootstrap samples of the labels.

    Attributes
    ----------
    votes : array of shape (trees, M, C)
        Class shares in the leaf of every row, by tree.
    held_out : array of shape (t, C)
        Probabilities of the labelled rows by the trees that had not seen their label.
    """

    votes: Matrix
    held_out: Floats

    def probabilities(self) -> Floats:
        """Mean vote on every row."""
        return np.asarray(self.votes.mean(axis=0), dtype=np.float64)

    def draw(self, rng: np.random.Generator) -> Floats:
        """Mean vote of a few trees drawn at random."""
        return np.asarray(self.votes[rng.integers(len(self.votes), size=_PER_DRAW)].mean(axis=0), dtype=np.float64)


def grow(taught: Matrix, labels: Ints, n_classes: int, rows: Matrix, seed: int) -> Forest:
    """Grow trees on the labelled rows, and let them vote on all rows.

    The trees are scikit-learn's. Its forest of them is not used because it prepares every tree for general use,
    which takes longer than growing trees on a few hundred labels.
    """
    width = taught.shape[1]
    tried = min(width, int(np.sqrt(width)) * (3 if width < _MANY_FEATURES else 1))
    rng = np.random.default_rng(seed)
    votes = np.zeros((TREES, len(rows), n_classes), dtype=np.float32)
    unseen_by, unseen_votes = np.zeros((labels.size, 1)), np.zeros((labels.size, n_classes))
    by_column = np.asfortranarray(taught)  # a tree looks at one column at a time
    # Checked once by us, not fifty times by every tree.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for vote in votes:
            weights = np.bincount(rng.integers(labels.size, size=labels.size), minlength=labels.size).astype(np.float64)
            tree = ExtraTreeClassifier(max_features=tried, random_state=int(rng.integers(2**31)))
            tree.fit(by_column, labels, sample_weight=weights, check_input=False)
            vote[:, tree.classes_] = tree.predict_proba(rows, check_input=False)
            outside = np.flatnonzero(weights == 0)
            unseen_by[outside] += 1.0
            unseen_votes[np.ix_(outside, tree.classes_)] += tree.predict_proba(taught, check_input=False)[outside]
    # One vote for the classes' shares: where few trees may speak, they cannot be sure of anything.
    return Forest(votes, (unseen_votes + class_rates(labels, n_classes)) / (unseen_by + 1.0))
