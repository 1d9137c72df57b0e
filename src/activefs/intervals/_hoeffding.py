"""The interval from Hoeffding's inequality (1963)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.intervals._base import Interval
from activefs.types import Floats


class Hoeffding(Interval):
    r"""The interval from Hoeffding's inequality [1]_, whose width depends on the number of draws only.

    See Also
    --------
    ClopperPearson : Exact.
    EmpiricalBernstein : Narrower near 0 and 1.

    Notes
    -----
    With q the share of ones among n draws, it is

    .. math::

       q \pm \sqrt{\frac{\ln(2 / \delta)}{2 n}},

    cut to [0, 1]. Where it is used: :doc:`/method/algorithm`.

    References
    ----------
    .. [1] Hoeffding, W. (1963): Probability inequalities for sums of bounded random variables. Journal of the American
       Statistical Association 58.

    Examples
    --------
    >>> lower, upper = Hoeffding().bounds(50, 100)
    >>> round(float(upper - lower) / 2, 4)
    0.1358
    """

    name: ClassVar[str] = "hoeffding"

    def _bounds(self, ones: Floats, n: Floats, delta: float) -> tuple[Floats, Floats]:
        q = ones / n
        eps = np.sqrt(np.log(2.0 / delta) / (2.0 * n))
        return q - eps, q + eps
