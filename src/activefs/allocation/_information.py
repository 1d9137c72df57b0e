"""Policies that minimise the variance of the conditional entropy itself (the paper's third approach)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from activefs import criteria
from activefs.allocation._base import StaticAllocation
from activefs.criteria import Criterion
from activefs.intervals import ClopperPearson, EmpiricalBernstein, Hoeffding, Interval
from activefs.types import Floats


@dataclass(frozen=True)
class Information(StaticAllocation):
    """w_I(v) = p_v UCB(g(q_v)) (Eq. winf), g the criterion's spread; subclasses name the interval.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.
    criterion : str or Criterion, default "mutual_information"
        What is estimated; its spread takes the place of g.
    """

    interval: ClassVar[Interval]
    criterion: str | Criterion = "mutual_information"

    def __post_init__(self) -> None:
        super().__post_init__()
        criteria.create(self.criterion)

    def weight(self, p: Floats, ones: Floats, n: Floats) -> Floats:
        """Share of the draws, up to a common factor.

        Parameters
        ----------
        p, ones, n
            As for :meth:`StaticAllocation.weight`.
        """
        return p * self.spread_upper(ones, n)

    def spread_upper(self, ones: Floats, n: Floats) -> Floats:
        """UCB(g, lower, upper) with the bounds of the interval.

        Parameters
        ----------
        ones, n : array of float
            Labels 1, and labels, that each value has.
        """
        lower, upper = self.interval.bounds(ones, n, self.delta)
        return criteria.create(self.criterion).binary_spread_upper(lower, upper)


@dataclass(frozen=True)
class InformationH(Information):
    """I-H: p_v UCB(g(q_v)) with Hoeffding's interval.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.
    criterion : str or Criterion, default "mutual_information"
        What is estimated; its spread takes the place of g.

    Examples
    --------
    >>> InformationH().index([0.5, 0.5], ones=[0, 500], n=[1000, 1000], budget=3000).round(6).tolist()
    [0.000315, 4.3e-05]
    """

    name: ClassVar[str] = "I-H"
    interval: ClassVar[Interval] = Hoeffding()


@dataclass(frozen=True)
class InformationB(Information):
    """I-B: p_v UCB(g(q_v)) with the empirical Bernstein interval.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.
    criterion : str or Criterion, default "mutual_information"
        What is estimated; its spread takes the place of g.

    Examples
    --------
    >>> InformationB().index([0.5, 0.5], ones=[0, 500], n=[1000, 1000], budget=3000).round(6).tolist()
    [0.000219, 5.1e-05]
    """

    name: ClassVar[str] = "I-B"
    interval: ClassVar[Interval] = EmpiricalBernstein()


@dataclass(frozen=True)
class InformationCP(Information):
    """I-CP: p_v UCB(g(q_v)) with the Clopper-Pearson interval; the paper's choice.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval misses with probability at most `delta`.
    criterion : str or Criterion, default "mutual_information"
        What is estimated; its spread takes the place of g.

    Examples
    --------
    >>> InformationCP().index([0.5, 0.5], ones=[0, 500], n=[1000, 1000], budget=3000).round(6).tolist()
    [0.00017, 3.1e-05]
    """

    name: ClassVar[str] = "I-CP"
    interval: ClassVar[Interval] = ClopperPearson()
