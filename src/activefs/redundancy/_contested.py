"""Which features are still contested (lines 4 to 8 of Alg. AFS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.estimates import Estimates
from activefs.redundancy import Rule
from activefs.types import Floats, Ints


@dataclass(frozen=True)
class Contested:
    """Leaders, challengers, and the features between whom the labels must decide.

    Attributes
    ----------
    leaders : array of int
        F_k, the k features that look best by their estimates H_j, best first.
    challengers : array of int
        F~_k, the k best after the leaders got their upper and all others their lower bound.
    features : array of int
        F, the symmetric difference of the two; empty if the top k is settled.
    """

    leaders: Ints
    challengers: Ints
    features: Ints


def contested(estimates: Estimates, k: int, rule: Rule, rng: np.random.Generator) -> Contested:
    """Find the contested features, ties broken at random.

    The paper prints the two bounds the other way round; with entropies, where smaller is better,
    that would make the challengers equal to the leaders always. As in the combinatorial
    exploration that it adapts, be pessimistic about the leaders and optimistic about the rest.
    The rule that will choose the final k names both leaders and challengers.
    """
    leaders = rule.choose(estimates, k, rng)
    return challenged(estimates, leaders, estimates.lower, estimates.upper, rule, rng)


def challenged(
    estimates: Estimates, leaders: Ints, lower: Floats, upper: Floats, rule: Rule, rng: np.random.Generator
) -> Contested:
    """Find who could take the places of the leaders, within bounds of every feature's conditional impurity."""
    k = leaders.size
    tilted = lower.copy()
    tilted[leaders] = upper[leaders]
    others = np.ones(tilted.size, dtype=bool)
    others[leaders] = False
    if not others.any() or tilted[others].min() >= tilted[leaders].max():
        return Contested(leaders, leaders, np.empty(0, dtype=np.int64))
    challengers = rule.choose(estimates, k, rng, losses=tilted)
    return Contested(leaders, challengers, np.setxor1d(leaders, challengers, assume_unique=True))
