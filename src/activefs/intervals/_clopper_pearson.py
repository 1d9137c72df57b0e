"""The exact binomial interval of Clopper and Pearson (1934)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from activefs.intervals._base import Interval
from activefs.types import Floats


class ClopperPearson(Interval):
    """Exact interval: delta/2 on each side, also at the two ends.

    lower = BetaQuantile(delta/2; ones, n - ones + 1),
    upper = BetaQuantile(1 - delta/2; ones + 1, n - ones).

    Examples
    --------
    >>> lower, upper = ClopperPearson().bounds(3, 10)
    >>> round(float(lower), 4), round(float(upper), 4)
    (0.0667, 0.6525)
    """

    name: ClassVar[str] = "clopper-pearson"

    def _bounds(self, ones: Floats, n: Floats, delta: float) -> tuple[Floats, Floats]:
        lower = np.zeros_like(ones)
        some = ones > 0
        lower[some] = betaincinv(ones[some], n[some] - ones[some] + 1, delta / 2)
        # The upper bound is the mirror image; computing it as such keeps the interval exactly
        # symmetric under exchange of the two labels.
        upper = np.ones_like(ones)
        zeros = n - ones
        some = zeros > 0
        upper[some] = 1.0 - betaincinv(zeros[some], n[some] - zeros[some] + 1, delta / 2)
        return lower, upper
