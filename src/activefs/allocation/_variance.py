"""Policies that minimise the variance of the weighted mean of the q_v (the paper's second approach)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from activefs.allocation._base import StaticAllocation
from activefs.intervals import ClopperPearson, EmpiricalBernstein, Hoeffding, Interval
from activefs.types import Floats


def variance_upper(lower: Floats, upper: Floats) -> Floats:
    """UCB(f, lower, upper) of f(x) = x (1 - x): its value at the point nearest to 1/2 (Eq. ucbmon)."""
    nearest = np.clip(0.5, lower, upper)
    return np.asarray(nearest * (1.0 - nearest))


@dataclass(frozen=True)
class Variance(StaticAllocation):
    """w_var(v) = p_v sqrt(UCB(q_v (1 - q_v))); subclasses name the interval.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.
    """

    interval: ClassVar[Interval]

    def weight(self, p: Floats, ones: Floats, n: Floats) -> Floats:
        """Share of the draws, up to a common factor.

        Parameters
        ----------
        p, ones, n
            As for :meth:`StaticAllocation.weight`.
        """
        lower, upper = self.interval.bounds(ones, n, self.delta)
        return p * np.sqrt(variance_upper(lower, upper))


@dataclass(frozen=True)
class VarH(Variance):
    """VAR-H: p_v sqrt(UCB(q_v (1 - q_v))) with Hoeffding's interval.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.

    Examples
    --------
    >>> VarH().index([0.5, 0.5], ones=[0, 50], n=[100, 100], budget=300).round(5).tolist()
    [0.00171, 0.0025]
    """

    name: ClassVar[str] = "VAR-H"
    interval: ClassVar[Interval] = Hoeffding()


@dataclass(frozen=True)
class VarB(Variance):
    """VAR-B: p_v sqrt(UCB(q_v (1 - q_v))) with the empirical Bernstein interval.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.

    Examples
    --------
    >>> VarB().index([0.5, 0.5], ones=[0, 50], n=[100, 100], budget=300).round(5).tolist()
    [0.00141, 0.0025]
    """

    name: ClassVar[str] = "VAR-B"
    interval: ClassVar[Interval] = EmpiricalBernstein()


@dataclass(frozen=True)
class VarCP(Variance):
    """VAR-CP: p_v sqrt(UCB(q_v (1 - q_v))) with the Clopper-Pearson interval.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.

    Examples
    --------
    >>> VarCP().index([0.5, 0.5], ones=[0, 50], n=[100, 100], budget=300).round(5).tolist()
    [0.00093, 0.0025]
    """

    name: ClassVar[str] = "VAR-CP"
    interval: ClassVar[Interval] = ClopperPearson()
