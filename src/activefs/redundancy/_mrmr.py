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
    r"""Minimum redundancy, maximum relevance: what a feature tells, less what it tells about those chosen before [1]_.

    Only the relevance I(X_f; Y) needs labels. What features tell about each other is known exactly
    from the pool, and computed only for features that may be next: their relevance bounds their score.

    See Also
    --------
    TopK : Whatever features have in common.
    JMI : Looks at the label together with two features.
    PoolInformation : What features tell about each other.

    Notes
    -----
    The next feature, S being those chosen, is

    .. math::

       \mathrm{argmax}_f \left( I(X_f; Y) - \frac{1}{\lvert S \rvert} \sum_{s \in S} I(X_f; X_s) \right).

    Guide: :doc:`/guide/redundancy`.

    References
    ----------
    .. [1] Peng, H., Long, F. and Ding, C. (2005): Feature selection based on mutual information: criteria of
       max-dependency, max-relevance, and min-redundancy. IEEE Transactions on Pattern Analysis and Machine Intelligence
       27.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> one, other = rng.integers(0, 2, size=(2, 200))
    >>> X = np.column_stack([one, one, other])  # the second column repeats the first
    >>> session = Session(X, k=2, redundancy="mrmr", strategy="random", random_state=0)
    >>> session.tell(range(200), 2 * one + (rng.random(200) < 0.2) * other)
    >>> 2 in session.leaders()  # and not both of the others
    True
    """

    name: ClassVar[str] = "mrmr"

    def __init__(self) -> None:
        self._information: PoolInformation | None = None

    def choose(self, estimates: Estimates, k: int, rng: np.random.Generator, losses: Floats | None = None) -> Ints:
        """Choose greedily; H(Y) is the same for all features, so -H(Y | X_f) serves as relevance.

        Parameters
        ----------
        estimates, k, rng, losses
            As for :meth:`Rule.choose`.
        """
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
        """Add up relevance less mean redundancy with the features before.

        Parameters
        ----------
        estimates, features, losses
            As for :meth:`Rule.objective`.
        """
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
