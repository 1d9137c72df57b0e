"""Extra trees: what depends on a few features, in any way, is what they find."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from activefs._kernels.completion import sum_leaves
from activefs.model._completion import class_rates
from activefs.model._targets import repeated
from activefs.types import Floats, Int32s, Ints, Matrix, Targets

TREES = 50
_PER_DRAW = 8
_MANY_FEATURES = 1000


@dataclass(frozen=True, eq=False)
class Forest:
    """Extremely randomised trees on bootstrap samples of the labels.

    Attributes
    ----------
    leaves : array of shape (trees, M)
        The leaf of every row in every tree, as a row of `shares`.
    shares : array of shape (nodes of all trees, C)
        Class shares in each node, by tree.
    out_of_bag : array of shape (t, C)
        Probabilities of the labelled rows by the trees whose bootstrap sample did not have them.
    """

    leaves: Int32s
    shares: Matrix
    out_of_bag: Floats

    def probabilities(self) -> Floats:
        """Return the mean class shares of every row, over all trees."""
        return self._mean(np.arange(len(self.leaves)))

    def posterior_draw(self, rng: np.random.Generator) -> Floats:
        """Return the mean class shares of every row, over a few trees drawn at random."""
        return self._mean(rng.integers(len(self.leaves), size=_PER_DRAW))

    def _mean(self, trees: Ints) -> Floats:
        sums = np.zeros((self.leaves.shape[1], self.shares.shape[1]), dtype=np.float32)
        sum_leaves(self.leaves, self.shares, trees, sums)
        return (sums / np.float32(trees.size)).astype(np.float64)


def grow(training: Matrix, labels: Targets, n_classes: int, rows: Matrix, seed: int) -> Forest:
    """Grow trees on the labelled rows, and find the leaves of all rows.

    The trees are scikit-learn's. Its forest of them is not used because it prepares every tree for general use,
    which takes longer than growing trees on a few hundred labels. A row whose label is uncertain is learnt from once
    per class, with the weight of its probability; it is in a bootstrap sample, or not, as a whole.
    """
    from sklearn import config_context
    from sklearn.tree import ExtraTreeClassifier

    width = training.shape[1]
    tried = min(width, int(np.sqrt(width)) * (3 if width < _MANY_FEATURES else 1))
    rng = np.random.default_rng(seed)
    leaves, shares = np.empty((TREES, len(rows)), dtype=np.int32), []
    size = len(labels)
    n_unseen, unseen = np.zeros((size, 1)), np.zeros((size, n_classes))
    of_row, classes, parts = repeated(labels)
    by_column = np.asfortranarray(training if parts is None else training[of_row])  # a tree looks at one at a time
    n_nodes = 0
    # Checked once by us, not fifty times by every tree.
    with warnings.catch_warnings(), config_context(assume_finite=True, skip_parameter_validation=True):
        # That labels are classes was found out before; with hundreds of classes most may have one label.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        for t in range(TREES):
            weights = np.bincount(rng.integers(size, size=size), minlength=size).astype(np.float64)
            shared = weights if parts is None else weights[of_row] * parts
            tree = ExtraTreeClassifier(max_features=tried, random_state=int(rng.integers(2**31)))
            tree.fit(by_column, classes, sample_weight=shared, check_input=False)
            leaves[t] = tree.apply(rows, check_input=False)
            leaves[t] += n_nodes
            n_nodes += tree.tree_.node_count
            own = np.zeros((tree.tree_.node_count, n_classes))
            own[:, tree.classes_] = tree.tree_.value[:, 0, :]
            shares.append(own.astype(np.float32))
            outside = np.flatnonzero(weights == 0)
            n_unseen[outside] += 1.0
            unseen[outside] += own[tree.apply(training, check_input=False)[outside]]
    # One vote for the classes' shares: where few trees may speak, they cannot be sure of anything.
    out_of_bag = (unseen + class_rates(labels, n_classes)) / (n_unseen + 1.0)
    return Forest(leaves, np.concatenate(shares), out_of_bag)
