"""Which features are still contested (lines 4 to 8 of Alg. AFS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.estimates import Estimates
from activefs.strategies._base import Ints, smallest


@dataclass(frozen=True)
class Contested:
    """Leaders, challengers, and the features between whom the labels must decide.

    Attributes
    ----------
    leaders : array of int
        F_k, the k features with the smallest estimates H_j.
    challengers : array of int
        F~_k, the k smallest after the leaders got their upper and all others their lower bound.
    features : array of int
        F, the symmetric difference of the two; empty if the top k is certified.
    """

    leaders: Ints
    challengers: Ints
    features: Ints


def contested(estimates: Estimates, k: int, rng: np.random.Generator) -> Contested:
    """Find the contested features, ties broken at random.

    The paper prints the two bounds the other way round; with entropies, where smaller is better,
    that would make the challengers equal to the leaders always. As in the combinatorial
    exploration that it adapts, be pessimistic about the leaders and optimistic about the rest.
    """
    leaders = smallest(estimates.value, k, rng)
    tilted = estimates.lower.copy()
    tilted[leaders] = estimates.upper[leaders]
    if is_certified(estimates, leaders):
        return Contested(leaders, leaders, np.empty(0, dtype=np.int64))
    challengers = smallest(tilted, k, rng)
    return Contested(leaders, challengers, np.setxor1d(leaders, challengers, assume_unique=True))


def is_certified(estimates: Estimates, leaders: Ints) -> bool:
    """Whether no other feature can be better than a leader, at the estimates' confidence."""
    others = np.ones(estimates.value.size, dtype=bool)
    others[leaders] = False
    if not others.any():
        return True
    return bool(estimates.lower[others].min() >= estimates.upper[leaders].max())
