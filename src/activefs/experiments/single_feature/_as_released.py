"""The policies as the authors' released code computes them, slips included.

Facts about that code (its intervals, its weights and its two MAX policies), written anew so that
the published table can be explained; nobody should use these for anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from activefs.allocation import Information, MaxB, MaxH, Policy, Proportional, Variance
from activefs.intervals import ClopperPearson, Interval
from activefs.types import Floats


class ReleasedHoeffding(Interval):
    """q +- sqrt(ln(2/delta) n / 2): multiplied by n where it should be divided, so always [0, 1]."""

    name: ClassVar[str] = "hoeffding-as-released"

    def _bounds(self, ones: Floats, n: Floats, delta: float) -> tuple[Floats, Floats]:
        eps = np.sqrt(log(2.0 / delta) / 2.0 * n)
        return ones / n - eps, ones / n + eps


class ReleasedBernstein(Interval):
    """q +- sqrt(2 v (2/delta)) / n + 7 ln(2/delta) / (3 (n-1)): 2/delta without its logarithm, 1/n."""

    name: ClassVar[str] = "bernstein-as-released"

    def _bounds(self, ones: Floats, n: Floats, delta: float) -> tuple[Floats, Floats]:
        q = ones / n
        rest = np.maximum(n - 1.0, 1e-300)  # n = 1 gives [0, 1]
        eps = np.sqrt(2.0 * q * (1.0 - q) * 2.0 / delta) / n + 7.0 / 3.0 * log(2.0 / delta) / rest
        return q - eps, q + eps


class ReleasedClopperPearson(ClopperPearson):
    """Clopper-Pearson with all of delta on one side where all labels are equal."""

    name: ClassVar[str] = "clopper-pearson-as-released"

    def _bounds(self, ones: Floats, n: Floats, delta: float) -> tuple[Floats, Floats]:
        lower, upper = super()._bounds(ones, n, delta)
        upper = np.where(ones == 0, 1.0 - delta ** (1.0 / n), upper)
        lower = np.where(ones == n, delta ** (1.0 / n), lower)
        return lower, upper


@dataclass(frozen=True)
class _Root(Information):
    """The square root of UCB(g) where the paper has UCB(g) itself."""

    def weight(self, p: Floats, ones: Floats, n: Floats) -> Floats:
        return p * np.sqrt(self.spread_upper(ones, n))


@dataclass(frozen=True)
class _MaxH(MaxH):
    """MAX-H with the bonus 3 sqrt(ln(1/delta) / n) for 5 sqrt(ln(1/delta) / (2n))."""

    def _index(self, p: Floats, ones: Floats, n: Floats, budget: int) -> Floats:
        q = ones / n
        return (q * (1.0 - q) + 3.0 * np.sqrt(log(1.0 / self.delta) / n)) / n + 0.0 * p


@dataclass(frozen=True)
class _MaxB(MaxB):
    """MAX-B told the longest budget, 500, whatever the budget it is judged at."""

    uses_budget: ClassVar[bool] = False

    def _index(self, p: Floats, ones: Floats, n: Floats, budget: int) -> Floats:
        return super()._index(p, ones, n, 500)


class _VarH(Variance):
    name: ClassVar[str] = "VAR-H"
    interval: ClassVar[Interval] = ReleasedHoeffding()


class _VarB(Variance):
    name: ClassVar[str] = "VAR-B"
    interval: ClassVar[Interval] = ReleasedBernstein()


class _VarCP(Variance):
    name: ClassVar[str] = "VAR-CP"
    interval: ClassVar[Interval] = ReleasedClopperPearson()


class _InformationH(_Root):
    name: ClassVar[str] = "I-H"
    interval: ClassVar[Interval] = ReleasedHoeffding()


class _InformationB(_Root):
    name: ClassVar[str] = "I-B"
    interval: ClassVar[Interval] = ReleasedBernstein()


class _InformationCP(_Root):
    name: ClassVar[str] = "I-CP"
    interval: ClassVar[Interval] = ReleasedClopperPearson()


def as_released(delta: float = 0.05) -> tuple[Policy, ...]:
    """Return the nine policies with the slips of the released code, in the paper's order.

    Examples
    --------
    >>> [policy.name for policy in as_released()][-2:]
    ['I-B', 'I-CP']
    """
    kinds = (_MaxH, _MaxB, _VarH, _VarB, _VarCP, _InformationH, _InformationB, _InformationCP)
    return (Proportional(), *(kind(delta=delta) for kind in kinds))
