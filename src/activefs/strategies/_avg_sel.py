"""AVG-SEL: the ablation without the bias correction."""

from __future__ import annotations

from typing import ClassVar

from activefs.pool import RowScores
from activefs.strategies._afs import AFS
from activefs.strategies._base import State
from activefs.strategies._sums import sum_of_scores
from activefs.types import Ints


class AverageOfContested(AFS):
    """Label the row with the largest average single-feature score over the contested features.

    AFS without the factor rho that corrects for sampling bias; all else, the safeguard included, is
    as in AFS. An ablation of the paper.

    Parameters
    ----------
    safeguard, tolerance, unseen
        As for :class:`AFS`.

    See Also
    --------
    AFS : With the correction.
    AverageOfAll : For all features instead of the contested ones.

    Notes
    -----
    What else the ablations leave out: :doc:`/method/algorithm`. How they compare: :doc:`/guide/strategies`.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(100, 6))
    >>> y = X[:, 2] ^ (rng.random(100) < 0.05)
    >>> session = Session(X, k=1, strategy="avg-sel", random_state=0)
    >>> while not session.finished:
    ...     row = session.ask()
    ...     session.tell(row, int(y[row]))
    >>> session.leaders().tolist(), session.settled
    ([2], True)
    """

    name: ClassVar[str] = "avg-sel"
    stops_when_settled: ClassVar[bool] = True

    def __init__(self, *, safeguard: int | None = 30, tolerance: float = 0.005, unseen: float = 0.5) -> None:
        super().__init__(safeguard=safeguard, tolerance=tolerance, unseen=unseen)

    def row_scores(self, state: State, features: Ints) -> RowScores:
        """Sum over F of a_j(x_j); the average is a constant multiple.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        features : array of int
            F, numbers of the contested features.

        Returns
        -------
        RowScores
            What a pool computes wherever its rows are.
        """
        return sum_of_scores(state, features)
