"""What every interval shares: checked arguments, and [0, 1] where nothing was drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from activefs.exceptions import InvalidInputError
from activefs.registry import Component
from activefs.types import Floats


class Interval(Component, ABC):
    """A two-sided confidence interval for the success probability of a binomial variable.

    Subclasses give :meth:`_bounds` for at least one draw.

    See Also
    --------
    ClopperPearson : What bounds of the plug-in estimate rest on.
    activefs.testing.IntervalContract : Tests that every interval passes.

    Notes
    -----
    Guide: :doc:`/guide/extending` makes one.
    """

    name: ClassVar[str]

    def bounds(self, ones: ArrayLike, n: ArrayLike, delta: float = 0.05) -> tuple[Floats, Floats]:
        """Lower and upper bound of the probability, elementwise.

        Parameters
        ----------
        ones : array-like of int
            Successes, between 0 and `n`.
        n : array-like of int
            Draws; where it is 0 the interval is [0, 1] (the paper's convention).
        delta : float, default 0.05
            The interval misses the true probability with probability at most `delta`, in (0, 1).

        Returns
        -------
        lower, upper : array of float
            With the common shape of `ones` and `n`, inside [0, 1].
        """
        if not 0.0 < delta < 1.0:
            raise InvalidInputError(f"delta must lie strictly between 0 and 1, got {delta!r}")
        successes, draws = np.broadcast_arrays(np.asarray(ones, dtype=np.float64), np.asarray(n, dtype=np.float64))
        if np.any(successes < 0) or np.any(successes > draws):
            raise InvalidInputError("ones must lie between 0 and n in every place")
        lower = np.zeros(successes.shape)
        upper = np.ones(successes.shape)
        drawn = draws > 0
        low, high = self._bounds(successes[drawn], draws[drawn], delta)
        lower[drawn] = np.maximum(low, 0.0)
        upper[drawn] = np.minimum(high, 1.0)
        return lower, upper

    @abstractmethod
    def _bounds(self, ones: Floats, n: Floats, delta: float) -> tuple[Floats, Floats]:
        """Bounds for n >= 1, not yet clipped to [0, 1]."""
