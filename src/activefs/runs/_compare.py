"""When one line is better than another: the rule behind every verdict."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.stats import ttest_ind

from activefs.runs._bundle import Bundle
from activefs.types import Floats

# Variance of a mean from which on a sample is more than one number again and again.
_CONSTANT = 1e-24


@dataclass(frozen=True)
class Difference:
    """Mean of one sample minus mean of another, with its 95% interval.

    Examples
    --------
    >>> Difference(0.2, 0.1, 0.3).sign
    1
    """

    mean: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 or -1 if the interval lies on one side of zero, else 0."""
        return int(self.low > 0) - int(self.high < 0)

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


def score(bundle: Bundle, first: float = 0.0, last: float = 1.0) -> Floats:
    """Mean gap of every run over a part of its labels (by default all): the area under its curve."""
    size = bundle.gaps.shape[1]
    start, stop = int(size * first), max(int(size * first) + 1, int(size * last))
    return np.asarray(bundle.gaps[:, start:stop].mean(axis=1))


def difference(a: Floats, b: Floats) -> Difference:
    """Welch's 95% interval of mean(a) - mean(b); the runs of two lines are independent.

    Two constant samples have an interval of width zero; of a single run nothing is known.

    Examples
    --------
    >>> difference(np.array([1.0, 1.2, 1.1]), np.array([0.1, 0.2, 0.0])).sign
    1
    """
    mean = float(a.mean() - b.mean())
    if min(a.size, b.size) < 2:
        return Difference(mean, -np.inf, np.inf)
    if a.var(ddof=1) / a.size + b.var(ddof=1) / b.size <= _CONSTANT:
        return Difference(mean, mean, mean)
    with warnings.catch_warnings():
        # One of the samples may be constant, of which scipy warns: its variance is not exact, but next to zero.
        warnings.simplefilter("ignore", RuntimeWarning)
        interval = ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    return Difference(mean, float(interval.low), float(interval.high))


def paired(a: Floats, b: Floats) -> Difference:
    """Student's 95% interval of the mean of a - b, for runs that share their seed and most of their labels.

    Examples
    --------
    >>> paired(np.array([1.0, 3.0, 2.0]), np.array([0.9, 2.9, 1.89])).sign
    1
    """
    # Against a constant sample, Welch's interval is Student's.
    return difference(a - b, np.zeros_like(a))
