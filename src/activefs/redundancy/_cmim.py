"""CMIM: conditional mutual information maximisation."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.estimates import Estimates
from activefs.redundancy._jmi import TripleRule
from activefs.types import Floats, Ints


class CMIM(TripleRule):
    r"""Conditional mutual information maximisation: what a feature tells beside the one that leaves it the least [1]_.

    What a feature tells alone, I(X_f; Y), is among those of which the
    smallest counts, so one that tells something only beside another one is not found.

    See Also
    --------
    JMI : The sum instead of the smallest.
    MRMR : Needs no labels for what features have in common.
    TopK : Whatever features have in common.

    Notes
    -----
    The next feature, S being those chosen, is

    .. math::

       \mathrm{argmax}_f \min \left( I(X_f; Y), \, \min_{s \in S} I(X_f; Y \mid X_s) \right), \qquad
       I(X_f; Y \mid X_s) = H(Y \mid X_s) - H(Y \mid X_f, X_s).

    Guide: :doc:`/guide/redundancy`.

    References
    ----------
    .. [1] Fleuret, F. (2004): Fast binary feature selection with conditional mutual information. Journal of Machine
       Learning Research 5.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> one, other = rng.integers(0, 2, size=(2, 200))
    >>> X = np.column_stack([one, one, other])  # the second column repeats the first
    >>> session = Session(X, k=2, redundancy="cmim", strategy="random", random_state=0)
    >>> session.tell(range(200), 2 * one + (rng.random(200) < 0.2) * other)
    >>> 2 in session.leaders()  # and not both of the others
    True
    """

    name: ClassVar[str] = "cmim"

    def _alone(self, estimates: Estimates, values: Floats, k: int) -> Floats:
        best: Ints = np.argpartition(values, k - 1)[:k]
        return float(estimates.criterion.value(estimates.class_shares(best))) - values

    def _joined(self, score: Floats, partner_value: float, together: Floats, first: bool) -> Floats:
        return np.minimum(score, partner_value - together)
