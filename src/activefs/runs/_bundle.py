"""All runs of one line: their mean, and its interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import t as student

from activefs.types import Floats


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
    >>> Bundle(np.array([[0.2, 0.1], [0.4, 0.1]]), False).mean.round(6).tolist()
    [0.3, 0.1]
    """

    gaps: Floats
    same_rows: bool

    @cached_property
    def mean(self) -> Floats:
        """Mean over runs."""
        return np.asarray(self.gaps.mean(axis=0))

    @cached_property
    def half_width(self) -> Floats:
        """Half of the 95% interval of the mean (Student's t); 0 for a single run, which has none."""
        runs = len(self.gaps)
        if runs < 2:
            return np.zeros(self.gaps.shape[1])
        error = self.gaps.std(axis=0, ddof=1) / np.sqrt(runs)
        return np.asarray(student.ppf(0.975, runs - 1) * error)
