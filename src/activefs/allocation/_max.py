"""Policies of Carpentier et al. (2011), which make the worst estimate of any q_v as good as can be."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log, sqrt
from typing import ClassVar

import numpy as np

from activefs.allocation._base import Policy, check_delta
from activefs.types import Floats


@dataclass(frozen=True)
class MaxH(Policy):
    r"""MAX-H: the algorithm CH-AS, with Hoeffding's bound on the variance; p_v is ignored.

    .. math::

       \mathrm{index}(v) = \frac{1}{n} \left( s^2 + 5 \sqrt{\frac{\ln(1/\delta)}{2 n}} \right), \qquad s^2 = q (1 - q).

    Parameters
    ----------
    delta : float, default 0.05
        Confidence parameter.

    Examples
    --------
    >>> MaxH().index([0.5, 0.5], ones=[0, 2], n=[4, 4], budget=100).round(4).tolist()
    [0.7649, 0.8274]
    """

    name: ClassVar[str] = "MAX-H"
    delta: float = 0.05

    def __post_init__(self) -> None:
        check_delta(self.delta)

    def _index(self, p: Floats, ones: Floats, n: Floats, budget: int) -> Floats:
        bonus = 5.0 * np.sqrt(log(1.0 / self.delta) / (2.0 * n))
        return (_variance(ones, n) + bonus) / n + 0.0 * p


@dataclass(frozen=True)
class MaxB(Policy):
    r"""MAX-B: the algorithm B-AS, with Bernstein's bound on the variance; p_v is ignored.

    .. math::

       \mathrm{index}(v) = \frac{1}{n} \left( s^2 + 4 A s \sqrt{\frac{\ln(2/\delta)}{n}}
       + 4 A^2 \frac{\ln(2/\delta)}{n} \right), \qquad s^2 = q (1 - q),

    with :meth:`a`, for a budget of T labels,

    .. math::

       A = \sqrt{2 c_1 \ln \frac{c_2}{\delta}} + \frac{\sqrt{c_1 \delta \left(1 + c_2 + \ln \frac{c_2}{\delta}\right)}}
       {(1 - \delta) \sqrt{2 \ln \frac{2}{\delta}}} \sqrt{T}.

    Parameters
    ----------
    delta : float, default 0.05
        Confidence parameter.
    c1, c2 : float, default 1 and e
        Constants of the tail of the labels' distribution.

    Examples
    --------
    >>> MaxB().index([0.5, 0.5], ones=[0, 2], n=[4, 4], budget=100).round(2).tolist()
    [25.26, 27.84]
    """

    name: ClassVar[str] = "MAX-B"
    uses_budget: ClassVar[bool] = True
    delta: float = 0.05
    c1: float = 1.0
    c2: float = e

    def __post_init__(self) -> None:
        check_delta(self.delta)

    def _index(self, p: Floats, ones: Floats, n: Floats, budget: int) -> Floats:
        variance = _variance(ones, n)
        rate = log(2.0 / self.delta) / n
        a = self.a(budget)
        bonus = 4.0 * a * np.sqrt(variance * rate) + 4.0 * a * a * rate
        return (variance + bonus) / n + 0.0 * p

    def a(self, budget: int) -> float:
        """Scale of the confidence term at this budget.

        Parameters
        ----------
        budget : int
            Labels to be spent in all.
        """
        tail = log(self.c2 / self.delta)
        first = sqrt(2.0 * self.c1 * tail)
        second = sqrt(self.c1 * self.delta * (1.0 + self.c2 + tail))
        return first + second / ((1.0 - self.delta) * sqrt(2.0 * log(2.0 / self.delta))) * sqrt(budget)


def _variance(ones: Floats, n: Floats) -> Floats:
    q = ones / n
    return q * (1.0 - q)
