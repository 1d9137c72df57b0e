"""All runs of one line: their mean, and its interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import t as student

from activefs.types import Floats


def half_width(sd: Floats, n: int, confidence: float = 0.95) -> Floats:
    """Half of Student's interval of a mean, from the standard deviation of n values; 0 for one value, which has none.

    Examples
    --------
    >>> half_width(np.array([1.0]), 10_000).round(4).tolist()
    [0.0196]
    """
    if n < 2:
        return np.zeros_like(sd)
    return np.asarray(float(student.ppf(0.5 + confidence / 2, n - 1)) * sd / np.sqrt(n))


@dataclass(frozen=True, eq=False)
class Bundle:
    """All runs of one line in one cell.

    Attributes
    ----------
    gaps : array of shape (runs, labels)
        Gap after every label.
    same_rows : bool
        Whether all runs labelled the same rows in the same order.

    Examples
    --------
    >>> Bundle(np.array([[0.2, 0.1], [0.4, 0.1]])).mean.round(6).tolist()
    [0.3, 0.1]
    """

    gaps: Floats
    same_rows: bool = False

    @cached_property
    def mean(self) -> Floats:
        """Mean over runs."""
        return np.asarray(self.gaps.mean(axis=0))

    @cached_property
    def half_width(self) -> Floats:
        """Half of the 95% interval of the mean (Student's t); 0 for a single run, which has none."""
        spread = self.gaps.std(axis=0, ddof=min(1, len(self.gaps) - 1))
        return half_width(spread, len(self.gaps))
