"""Greedy choice that looks at a feature only when it may win."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from activefs.ties import largest_one, smallest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# When challengers are sought, this many times k of the best features are looked at: beyond them a feature
# would have to overtake all of those by being less redundant alone.
_CANDIDATES = 4
_BATCH = 16


def lazy_greedy(relevance: Floats, k: int, rng: np.random.Generator, look: Callable[[Ints, int], Floats]) -> Ints:
    """Choose k features one after the other: argmax of relevance minus the mean redundancy with those chosen.

    Redundancies are not negative, so the mean over those looked at so far (the others taken as zero) bounds a
    feature's score from above: a feature is compared with the chosen ones only when its bound is the largest.

    Parameters
    ----------
    relevance : array of float
        Score of a feature alone.
    k : int
        Number of features.
    rng : Generator
        Breaks ties.
    look : callable
        ``look(features, chosen)`` gives the redundancy of features with a chosen one.
    """
    chosen = [largest_one(relevance, rng)]
    redundancy = np.zeros(relevance.size)
    looked = np.zeros(relevance.size, dtype=np.int64)
    while len(chosen) < k:
        bound = relevance - redundancy / len(chosen)
        bound[chosen] = -np.inf
        while looked[best := largest_one(bound, rng)] < len(chosen):
            # The next few by their bounds are brought up to date together: one call, not many.
            behind = np.flatnonzero(looked < len(chosen))
            batch = behind if behind.size <= _BATCH else behind[np.argpartition(-bound[behind], _BATCH)[:_BATCH]]
            batch = np.union1d(batch, best)
            for step in range(int(looked[batch].min()), len(chosen)):
                late = batch[looked[batch] <= step]
                redundancy[late] += look(late, chosen[step])
            looked[batch] = len(chosen)
            free = batch[np.isfinite(bound[batch])]
            bound[free] = relevance[free] - redundancy[free] / len(chosen)
        chosen.append(best)
    return np.asarray(chosen, dtype=np.int64)


def likely(losses: Floats, k: int, rng: np.random.Generator) -> Ints:
    """The features among which challengers are sought."""
    return smallest(losses, min(losses.size, max(_CANDIDATES * k, 32)), rng)
