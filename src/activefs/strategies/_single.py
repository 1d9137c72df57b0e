"""SINGLE: the ablation that scores with one feature drawn at random."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.strategies._base import State, Strategy, pick_best
from activefs.strategies._sums import sum_of_scores


class SingleFeature(Strategy):
    """Label the row with the largest score for one feature, drawn at random for each question.

    The choice does not depend on k. An ablation of the paper.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    See Also
    --------
    AverageOfAll : For all features at once.
    activefs.allocation.allocate : Spends labels on one feature alone.

    Notes
    -----
    What else the ablations leave out: :doc:`/method/algorithm`. How they compare: :doc:`/guide/strategies`.

    Examples
    --------
    Of one feature, whose values get their shares of the labels:

    >>> from activefs import Session
    >>> X = [["a"]] * 80 + [["b"]] * 20
    >>> session = Session(X, k=1, strategy="single", when_certified="continue", random_state=0)
    >>> [X[row][0] for row in session.ask(10)].count("b")
    2
    """

    name: ClassVar[str] = "single"
    stops_when_settled: ClassVar[bool] = True
    needs_k: ClassVar[bool] = False

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Choose the available row with the largest score of the feature drawn.

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
        feature = rng.integers(state.pool.n_features, size=1)
        return pick_best(sum_of_scores(state, feature), state, rng)
