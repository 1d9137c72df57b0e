"""What every policy shares: checked arguments, and values never drawn come first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from activefs.exceptions import InvalidInputError
from activefs.registry import Component
from activefs.types import Floats


class Policy(Component, ABC):
    """A rule that says for which value of the feature the next label is worth most.

    At every step the label goes to the value with the largest :meth:`index`; ties are broken at
    random by the caller. The index of a value depends on that value's own probability and counts
    (and the budget), up to a factor that all values share, so whole tables of it can be computed
    at once. Subclasses give :meth:`_index` for at least one draw.

    Examples
    --------
    A policy of your own, which draws all values equally often:

    >>> from activefs.allocation import allocate
    >>> class Even(Policy):
    ...     name = "EVEN"
    ...
    ...     def _index(self, p, ones, n, budget):
    ...         return 1.0 / n + 0.0 * p
    >>> allocate([0.9, 0.1], draw=lambda value: value, policy=Even(), budget=10).n.tolist()
    [5, 5]
    """

    name: ClassVar[str]
    uses_budget: ClassVar[bool] = False
    """Whether the index depends on the budget; if not, one long run shows all smaller budgets."""

    def index(self, p: ArrayLike, ones: ArrayLike, n: ArrayLike, budget: int) -> Floats:
        """How much the next label is wanted for each value, elementwise.

        Parameters
        ----------
        p : array-like of float
            Probability p_v of each value.
        ones : array-like of int
            Labels 1 obtained for each value, between 0 and `n`.
        n : array-like of int
            Labels obtained for each value; where it is 0 the index is infinite.
        budget : int
            Labels to be spent in all; only policies with `uses_budget` look at it.

        Returns
        -------
        array of float
            Not negative, with the common shape of `p`, `ones` and `n`.
        """
        share = np.asarray(p, dtype=np.float64)
        successes, draws = np.broadcast_arrays(np.asarray(ones, dtype=np.float64), np.asarray(n, dtype=np.float64))
        if np.any(successes < 0) or np.any(successes > draws):
            raise InvalidInputError("ones must lie between 0 and n in every place")
        # Counts are not blown up to the shape of p: a table over (p, ones, n) costs its interval
        # bounds once, not once per p.
        drawn = np.maximum(draws, 1.0)
        found = self._index(share, np.minimum(successes, drawn), drawn, budget)
        return np.where(draws > 0, found, np.inf)

    @abstractmethod
    def _index(self, p: Floats, ones: Floats, n: Floats, budget: int) -> Floats:
        """Index for n >= 1."""


@dataclass(frozen=True)
class StaticAllocation(Policy):
    """Keep the shares of the draws near an estimate of the best fixed shares w.

    The next label goes to argmax_v w(v) / n(v) (Antos et al. 2008); subclasses give w up to its
    normalisation over the values, which does not move the maximum.

    Parameters
    ----------
    delta : float, default 0.05
        Each confidence interval that w rests on misses with probability at most `delta`.

    Examples
    --------
    >>> class SquareRoot(StaticAllocation):
    ...     name = "ROOT"
    ...
    ...     def weight(self, p, ones, n):
    ...         return np.sqrt(p) + 0.0 * n
    >>> SquareRoot().index([0.64, 0.36], ones=[0, 0], n=[8, 2], budget=100).round(2).tolist()
    [0.1, 0.3]
    """

    delta: float = 0.05

    def __post_init__(self) -> None:
        check_delta(self.delta)

    def _index(self, p: Floats, ones: Floats, n: Floats, budget: int) -> Floats:
        return self.weight(p, ones, n) / n

    @abstractmethod
    def weight(self, p: Floats, ones: Floats, n: Floats) -> Floats:
        """Share w(v) of the draws that value v should have, up to a common factor.

        Parameters
        ----------
        p : array of float
            Probability of each value.
        ones, n : array of float
            Labels 1, and labels, that each value has.
        """


def check_delta(delta: float) -> None:
    """Refuse a confidence parameter outside (0, 1)."""
    if not 0.0 < delta < 1.0:
        raise InvalidInputError(f"delta must lie strictly between 0 and 1, got {delta!r}")
