"""SINGLE: the ablation that scores with one feature drawn at random."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.strategies._base import State, Strategy, pick_best
from activefs.strategies._sums import sum_of_scores


class SingleFeature(Strategy):
    """Label the row with the largest score for one feature, drawn at random for each question.

    The choice does not depend on k.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    Examples
    --------
    >>> SingleFeature().name
    'single'
    """

    name: ClassVar[str] = "single"
    stops_when_settled: ClassVar[bool] = True
    needs_k: ClassVar[bool] = False

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Choose the available row with the largest score of the feature drawn."""
        feature = rng.integers(state.pool.n_features, size=1)
        return pick_best(sum_of_scores(state, feature), state, rng)
