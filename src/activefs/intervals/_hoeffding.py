"""The interval from Hoeffding's inequality (1963)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.intervals._base import Interval
from activefs.types import Floats


class Hoeffding(Interval):
    """q +- sqrt(ln(2/delta) / (2 n)).

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
