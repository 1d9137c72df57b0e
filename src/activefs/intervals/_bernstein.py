"""The interval from the empirical Bernstein inequality."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.intervals._base import Interval
from activefs.types import Floats


class EmpiricalBernstein(Interval):
    r"""The interval from the empirical Bernstein inequality [1]_, which is narrow where labels hardly vary.

    See Also
    --------
    ClopperPearson : Exact.
    Hoeffding : Narrower around 1/2.

    Notes
    -----
    With q the share of ones among n draws, it is

    .. math::

       q \pm \left( \sqrt{\frac{2 q (1 - q) \ln(2 / \delta)}{n}} + \frac{7 \ln(2 / \delta)}{3 (n - 1)} \right),

    cut to [0, 1]; of one draw, all of that. Where it is used: :doc:`/method/algorithm`.

    References
    ----------
    .. [1] Maurer, A. and Pontil, M. (2009): Empirical Bernstein bounds and sample variance penalization. COLT.

    Examples
    --------
    >>> lower, upper = EmpiricalBernstein().bounds([1, 50], [1, 1000])
    >>> upper.round(4).tolist()
    [1.0, 0.0773]
    """

    name: ClassVar[str] = "empirical-bernstein"

    def _bounds(self, ones: Floats, n: Floats, delta: float) -> tuple[Floats, Floats]:
        q = ones / n
        log_term = np.log(2.0 / delta)
        enough = n >= 2
        eps = np.ones_like(q)  # at n = 1 the second term is infinite: the interval is [0, 1]
        m = n[enough]
        v = q[enough] * (1.0 - q[enough])
        eps[enough] = np.sqrt(2.0 * v * log_term / m) + 7.0 * log_term / (3.0 * (m - 1.0))
        return q - eps, q + eps
