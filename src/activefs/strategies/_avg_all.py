"""AVG-ALL: the ablation that scores with all features."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.strategies._base import State, Strategy, pick_best
from activefs.strategies._sums import sum_of_scores


class AverageOfAll(Strategy):
    """Label the row with the largest average single-feature score over all features.

    The choice does not depend on k. An ablation of the paper.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    See Also
    --------
    AverageOfContested : For the contested features only.
    SingleFeature : For one feature at a time.

    Notes
    -----
    What else the ablations leave out: :doc:`/method/algorithm`. How they compare: :doc:`/guide/strategies`.

    Examples
    --------
    A fifth of the rows have another value, and so do a fifth of those that are asked first:

    >>> from activefs import Session
    >>> X = [["a"]] * 80 + [["b"]] * 20
    >>> session = Session(X, k=1, strategy="avg-all", when_certified="continue", random_state=0)
    >>> [X[row][0] for row in session.ask(10)].count("b")
    2
    """

    name: ClassVar[str] = "avg-all"
    stops_when_settled: ClassVar[bool] = True
    needs_k: ClassVar[bool] = False

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Choose the available row with the largest average score.

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
        return pick_best(sum_of_scores(state, np.arange(state.pool.n_features)), state, rng)
