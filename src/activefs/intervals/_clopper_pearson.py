"""The exact binomial interval of Clopper and Pearson (1934)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from activefs.intervals._base import Interval
from activefs.types import Floats


class ClopperPearson(Interval):
    r"""Exact interval: delta/2 on each side, also at the two ends [1]_.

    See Also
    --------
    Hoeffding : Wider, by an inequality.
    EmpiricalBernstein : Wider, and narrower near 0 and 1 than that of Hoeffding.

    Notes
    -----
    With o ones among n draws, and B^-1 the quantile of the beta distribution, it goes from

    .. math::

       B^{-1}\left(\frac{\delta}{2}; \; o, \; n - o + 1\right) \quad \mathrm{to} \quad
       B^{-1}\left(1 - \frac{\delta}{2}; \; o + 1, \; n - o\right).

    Where it is used: :doc:`/method/algorithm`.

    References
    ----------
    .. [1] Clopper, C. J. and Pearson, E. S. (1934): The use of confidence or fiducial limits illustrated in the case of
       the binomial. Biometrika 26.

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
