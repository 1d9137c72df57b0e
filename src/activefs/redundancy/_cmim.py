"""CMIM: conditional mutual information maximisation."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.estimates import Estimates
from activefs.redundancy._jmi import TripleRule
from activefs.types import Floats, Ints


class CMIM(TripleRule):
    """Next feature: argmax of the smallest I(X_f; Y | X_s) over s in S (Fleuret 2004).

    I(X_f; Y | X_s) = H(Y | X_s) - H(Y | X_f, X_s). What a feature tells alone, I(X_f; Y), is among those of which the
    smallest counts, so one that tells something only beside another one is not found.

    Examples
    --------
    >>> from activefs import Pool
    >>> table = [[a, a, b] for a in (0, 1) for b in (0, 1)] * 5  # the second column repeats the first
    >>> estimates = Estimates(Pool.from_table(table))
    >>> estimates.add_many(range(20), [a and b for a in (0, 1) for b in (0, 1)] * 5)
    >>> sorted(CMIM().choose(estimates, 2, np.random.default_rng(0)).tolist())[1]
    2
    """

    name: ClassVar[str] = "cmim"

    def _alone(self, estimates: Estimates, values: Floats, k: int) -> Floats:
        best: Ints = np.argpartition(values, k - 1)[:k]
        return float(estimates.criterion.value(estimates.class_shares(best))) - values

    def _joined(self, score: Floats, partner_value: float, together: Floats, first: bool) -> Floats:
        return np.minimum(score, partner_value - together)
