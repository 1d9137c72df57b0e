"""DWUS: uncertain rows in dense regions (Nguyen & Smeulders 2004)."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import uuid4

import numpy as np

from activefs._kernels.mixtures import classes_of_centres, log_errors
from activefs.exceptions import InvalidInputError
from activefs.pool import RowScores
from activefs.strategies._base import State, Strategy, check_positive, pick_best
from activefs.strategies._clusters import Clusters, distances
from activefs.types import Codes, Floats, Ints

_REMEMBERED_ROWS = 1_000_000


class DensityWeightedUncertainty(Strategy):
    r"""Label the row with the largest expected error times density.

    After H. T. Nguyen and A. Smeulders [1]_: rows are
    clustered once, p(x) is a mixture of equally wide Gaussians around the clusters' centres, a
    logistic regression tells the classes of the centres, and a row's class probabilities are those
    of its clusters. The choice does not depend on k.

    Parameters
    ----------
    n_clusters : int, default 5
        Number of clusters (at most the number of rows).
    penalty : float, default 1.0
        Weight of the quadratic penalty of the logistic regression.
    clustering_seed : int, default 0
        Seed of the clustering, which is the only random part but for ties.
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    See Also
    --------
    Coreset : The other baseline of the paper, which looks at no label.
    Uncertainty : Uncertain rows, by a model of all columns.

    Notes
    -----
    The next row is

    .. math::

       \mathrm{argmax}_x \left( 1 - \max_y P(y \mid x) \right) p(x), \qquad P(y \mid x) = \sum_k P(k \mid x) \, P(y \mid
       k).

    All densities are kept as logarithms: in thousands of dimensions they would be 0 otherwise.

    Where that paper leaves a choice, or its choice does not fit tables of categories:

    - Distances are Hamming distances, and a cluster's centre is its mode (k-modes, on at most 2,000
      rows drawn by `clustering_seed`) instead of a medoid, which would need all pairs of rows.
    - The width of the Gaussians and the weights of the clusters are the maximum-likelihood ones (EM).
    - As in the package that the active-feature-selection paper names for DWUS (libact), there are 5
      clusters and they stay as they are while labels arrive.
    - Any number of classes. Rows asked and not yet answered are not asked again, but do not change
      the scores of others.

    Guide: :doc:`/guide/strategies`. Beside the other baselines: :doc:`/method/algorithm`.

    References
    ----------
    .. [1] Nguyen, H. T. and Smeulders, A. (2004): Active learning using pre-clustering. ICML.

    Examples
    --------
    Three kinds of rows, of which two have a label; rows of the third are asked, and not the odd one at the end:

    >>> from activefs import Session
    >>> X = [[0, 0, 0, 0]] * 12 + [[1, 1, 1, 1]] * 12 + [[0, 0, 1, 1]] * 12 + [[0, 1, 1, 0]]
    >>> session = Session(X, k=1, strategy="dwus", strategy_params={"n_clusters": 3}, random_state=0)
    >>> session.tell([0, 12], ["ill", "healthy"])
    >>> sorted(X[row] for row in session.ask(3))
    [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]
    """

    name: ClassVar[str] = "dwus"
    needs_k: ClassVar[bool] = False
    reads_values: ClassVar[bool] = True  # ties between clusters are broken by the order of values

    def __init__(
        self, *, n_clusters: int = 5, penalty: float = 1.0, clustering_seed: int = 0, unseen: float = 0.5
    ) -> None:
        check_positive("n_clusters", n_clusters)
        if isinstance(penalty, bool) or not isinstance(penalty, (int, float)) or not penalty > 0:
            raise InvalidInputError(f"penalty must be a number above 0, got {penalty!r}")
        if isinstance(clustering_seed, bool) or not isinstance(clustering_seed, (int, np.integer)):
            raise InvalidInputError(f"clustering_seed must be a whole number, got {clustering_seed!r}")
        if clustering_seed < 0:
            raise InvalidInputError(f"clustering_seed must be at least 0, got {clustering_seed!r}")
        super().__init__(unseen=unseen)
        self.n_clusters = n_clusters
        self.penalty = float(penalty)
        self.clustering_seed = int(clustering_seed)
        self._clusters: Clusters | None = None
        self._scores: ExpectedErrors | None = None

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Choose the available row with the largest expected error times density.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        rng : numpy.random.Generator
            Draws, and breaks ties.

        Returns
        -------
        int
            The row.
        """
        if self._clusters is None or self._clusters.pool is not state.pool:
            self._clusters = Clusters(state.pool, self.n_clusters, self.clustering_seed)
            self._scores = ExpectedErrors(self._clusters)
        clusters = self._clusters
        # The offset, last, bears a small penalty of its own: one class alone gives a finite answer.
        penalty = np.append(np.full(clusters.inputs.shape[1] - 1, self.penalty), 0.01 * self.penalty)
        classes = classes_of_centres(
            clusters.of(state.labelled)[1], state.labels, state.estimates.n_classes, clusters.inputs, penalty
        )
        assert self._scores is not None
        self._scores.classes = classes
        return pick_best(self._scores, state, rng)


class ExpectedErrors(RowScores):
    """Logarithm of the expected error times the density of every row, from its distances to the centres of clusters.

    What the distances of a row amount to never changes; unless there are too many rows, it is remembered.

    Parameters
    ----------
    clusters : Clusters
        The clusters.

    Attributes
    ----------
    classes : array of shape (K, C)
        P(y | k) of every cluster.
    """

    logs: ClassVar[bool] = True

    def __init__(self, clusters: Clusters) -> None:
        self.key = uuid4().hex
        self.features = np.arange(clusters.pool.n_features)
        self.classes: Floats = np.empty((0, 0))
        self._densities, self._centres = clusters.densities, clusters.centres
        self._remembered: Floats | None = None  # of each row log p(x), not a number while it is unknown, and P(k | x)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_remembered": None}

    def follow(self, newer: RowScores) -> None:
        """Take the class probabilities of a later question."""
        assert isinstance(newer, ExpectedErrors)
        self.classes = newer.classes

    def prepare(self, n_rows: int) -> None:
        """Make room for what is remembered of so many rows."""
        if self._remembered is None and n_rows <= _REMEMBERED_ROWS:
            self._remembered = np.full((n_rows, 1 + len(self._centres)), np.nan)

    def score(self, codes: Codes, features: Ints, at: int, start: int, stop: int, out: Floats) -> None:
        """Write log(1 - max P(y | x)) + log p(x)."""
        known = None if self._remembered is None else self._remembered[start:stop]
        if known is None or np.isnan(known[:, 0]).any():
            found = self._densities(distances(codes, features, self._centres, at, stop - start))
            known = np.column_stack(found) if known is None else known
            known[:, 0], known[:, 1:] = found
        log_errors(known[:, 1:], self.classes, out)
        out += known[:, 0]
