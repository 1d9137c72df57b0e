"""JMI: joint mutual information."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from activefs.estimates import Estimates
from activefs.redundancy._base import Rule
from activefs.redundancy._conditional import PairEntropies
from activefs.redundancy._greedy import likely
from activefs.ties import largest_one
from activefs.types import Floats, Ints


class TripleRule(Rule):
    """Greedy rules that look at the label together with two features, H(Y | X_f, X_s).

    When bounds are assumed for the features, H(Y | X_f, X_s) moves by as much as H(Y | X_f) does.
    """

    needs_rows: ClassVar[bool] = True

    def __init__(self) -> None:
        self._pairs: PairEntropies | None = None

    def choose(self, estimates: Estimates, k: int, rng: np.random.Generator, losses: Floats | None = None) -> Ints:
        """Choose greedily.

        Parameters
        ----------
        estimates, k, rng, losses
            As for :meth:`Rule.choose`.
        """
        pairs = self._of(estimates)
        values = estimates.value if losses is None else losses
        among = np.arange(values.size) if losses is None else likely(losses, k, rng)
        shift = (values - estimates.value)[among]
        score = self._alone(estimates, values, k)[among]
        free = np.ones(among.size, dtype=bool)
        chosen: list[int] = []
        while True:
            best = largest_one(np.where(free, score, -np.inf), rng)
            free[best] = False
            chosen.append(best)
            if len(chosen) == k:
                return np.asarray(among[chosen])
            partner = int(among[best])
            together = pairs.given(among, partner) + shift
            score = self._joined(score, float(values[partner]), together, first=len(chosen) == 1)

    def objective(self, estimates: Estimates, features: Ints, losses: Floats | None = None) -> float:
        """Add up the scores that features have when those before them were chosen.

        Parameters
        ----------
        estimates, features, losses
            As for :meth:`Rule.objective`.
        """
        pairs = self._of(estimates)
        values = estimates.value if losses is None else losses
        shift = (values - estimates.value)[features]
        score = self._alone(estimates, values, features.size)[features]
        total = 0.0
        for i, feature in enumerate(features.tolist()):
            total += float(score[i])
            together = pairs.given(features, feature) + shift
            score = self._joined(score, float(values[feature]), together, first=i == 0)
        return total

    def _of(self, estimates: Estimates) -> PairEntropies:
        if self._pairs is None or self._pairs.pool is not estimates.pool:
            self._pairs = PairEntropies(estimates.pool)
        self._pairs.update(estimates)
        return self._pairs

    @abstractmethod
    def _alone(self, estimates: Estimates, values: Floats, k: int) -> Floats:
        """Score of every feature before any was chosen."""

    @abstractmethod
    def _joined(self, score: Floats, partner_value: float, together: Floats, first: bool) -> Floats:
        """Score after one more feature was chosen, with H(Y | X_s) = partner_value."""


class JMI(TripleRule):
    r"""Joint mutual information: what a feature tells together with each of those chosen before, added up [1]_.

    The first feature is the one with the largest I(X_f; Y). H(Y) is the same for all features and left out.

    See Also
    --------
    CMIM : The smallest instead of the sum.
    MRMR : Needs no labels for what features have in common.
    TopK : Whatever features have in common.

    Notes
    -----
    The next feature, S being those chosen, is

    .. math::

       \mathrm{argmax}_f \sum_{s \in S} I(X_f, X_s; Y).

    Guide: :doc:`/guide/redundancy`.

    References
    ----------
    .. [1] Yang, H. H. and Moody, J. (1999): Data visualization and feature selection: new algorithms for
       nongaussian data. NIPS.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> one, other = rng.integers(0, 2, size=(2, 200))
    >>> X = np.column_stack([one, one, other])  # the second column repeats the first
    >>> session = Session(X, k=2, redundancy="jmi", strategy="random", random_state=0)
    >>> session.tell(range(200), 2 * one + (rng.random(200) < 0.2) * other)
    >>> 2 in session.leaders()  # and not both of the others
    True
    """

    name: ClassVar[str] = "jmi"

    def _alone(self, estimates: Estimates, values: Floats, k: int) -> Floats:
        return -values

    def _joined(self, score: Floats, partner_value: float, together: Floats, first: bool) -> Floats:
        return -together if first else score - together
