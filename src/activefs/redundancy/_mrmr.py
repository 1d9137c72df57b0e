"""mRMR: minimum redundancy, maximum relevance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.estimates import Estimates
from activefs.redundancy._base import Rule
from activefs.redundancy._greedy import greedy, likely
from activefs.redundancy._pool_information import PoolInformation
from activefs.types import Floats, Ints


class MRMR(Rule):
    """Next feature: argmax of I(X_f; Y) - mean over s in S of I(X_f; X_s) (Peng et al. 2005).

    Only the relevance I(X_f; Y) needs labels. What features tell about each other is known exactly
    from the pool, and computed only for features that may be next: their relevance bounds their score.

    Examples
    --------
    >>> from activefs import Pool
    >>> table = [[a, a, b] for a in (0, 1) for b in (0, 1)] * 5  # the second column repeats the first
    >>> estimates = Estimates(Pool.from_table(table))
    >>> estimates.add_many(range(20), [a and b for a in (0, 1) for b in (0, 1)] * 5)
    >>> sorted(MRMR().choose(estimates, 2, np.random.default_rng(0)).tolist())[1]
    2
    """

    name: ClassVar[str] = "mrmr"

    def __init__(self) -> None:
        self._information: PoolInformation | None = None

    def choose(self, estimates: Estimates, k: int, rng: np.random.Generator, losses: Floats | None = None) -> Ints:
        """Choose greedily; H(Y) is the same for all features, so -H(Y | X_f) serves as relevance."""
        information = self._of(estimates)
        values = estimates.value if losses is None else losses
        if losses is None:
            return greedy(-values, k, rng, information.between)
        among = likely(losses, k, rng)
        chosen = greedy(
            -losses[among], k, rng, lambda features, other: information.between(among[features], int(among[other]))
        )
        return np.asarray(among[chosen])

    def objective(self, estimates: Estimates, features: Ints, losses: Floats | None = None) -> float:
        """Add up relevance less mean redundancy with the features before."""
        values = estimates.value if losses is None else losses
        total = -float(values[features].sum())
        for i in range(1, features.size):
            shared = [self._of(estimates).between(features[i : i + 1], int(s))[0] for s in features[:i]]
            total -= float(np.mean(shared))
        return total

    def _of(self, estimates: Estimates) -> PoolInformation:
        if self._information is None or self._information.pool is not estimates.pool:
            self._information = PoolInformation(estimates.pool)
        return self._information
