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
    as in AFS.

    Parameters
    ----------
    safeguard, tolerance, unseen
        As for :class:`AFS`.

    Examples
    --------
    >>> AverageOfContested(safeguard=None).safeguard is None
    True
    """

    name: ClassVar[str] = "avg-sel"
    stops_when_settled: ClassVar[bool] = True

    def __init__(self, *, safeguard: int | None = 30, tolerance: float = 0.005, unseen: float = 0.5) -> None:
        super().__init__(safeguard=safeguard, tolerance=tolerance, unseen=unseen)

    def row_scores(self, state: State, features: Ints) -> RowScores:
        """Sum over F of a_j(x_j); the average is a constant multiple."""
        return sum_of_scores(state, features)
