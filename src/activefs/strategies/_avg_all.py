"""AVG-ALL: the ablation that scores with all features."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.strategies._base import State, Strategy, pick_best
from activefs.strategies._sums import sum_of_scores


class AverageOfAll(Strategy):
    """Label the row with the largest average single-feature score over all features.

    The choice does not depend on k.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    Examples
    --------
    >>> AverageOfAll().name
    'avg-all'
    """

    name: ClassVar[str] = "avg-all"
    stops_when_settled: ClassVar[bool] = True
    needs_k: ClassVar[bool] = False

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Choose the available row with the largest average score."""
        return pick_best(sum_of_scores(state, np.arange(state.pool.n_features)), state, rng)
