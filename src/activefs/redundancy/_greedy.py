"""Greedy choice among the features that may win."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from activefs.ties import TIE, largest_one, smallest
from activefs.types import Floats, Ints

Look = Callable[[Ints, int], Floats]

# When challengers are sought, this many times k of the best features are looked at: beyond them a feature
# would have to overtake all of those by being less redundant alone.
_CANDIDATES = 4
_FIRST_TRY = 8


def greedy(relevance: Floats, k: int, rng: np.random.Generator, look: Look) -> Ints:
    """Choose k features one after the other: argmax of relevance minus the mean redundancy with those chosen.

    Redundancies are not negative, so a feature whose relevance is below the score of every winner could not have
    won: the choice is made among the most relevant features, and among more of them only if that cannot be said.

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
    size = min(relevance.size, max(_FIRST_TRY * k, 64))
    while True:
        among = smallest(-relevance, size, rng)
        chosen, weakest = _among(among, relevance, k, rng, look)
        outside = np.ones(relevance.size, dtype=bool)
        outside[among] = False
        if size == relevance.size or relevance[outside].max() < weakest - TIE:
            return chosen
        size = min(relevance.size, 4 * size)


def _among(among: Ints, relevance: Floats, k: int, rng: np.random.Generator, look: Look) -> tuple[Ints, float]:
    """The greedy choice, and the smallest score of a winner."""
    score = relevance[among]
    redundancy = np.zeros(among.size)
    free = np.ones(among.size, dtype=bool)
    chosen: list[int] = []
    weakest = np.inf
    while True:
        best = largest_one(np.where(free, score, -np.inf), rng)
        weakest = min(weakest, float(score[best]))
        free[best] = False
        chosen.append(int(among[best]))
        if len(chosen) == k:
            return np.asarray(chosen, dtype=np.int64), weakest
        redundancy += look(among, chosen[-1])
        score = relevance[among] - redundancy / len(chosen)


def likely(losses: Floats, k: int, rng: np.random.Generator) -> Ints:
    """The features among which challengers are sought."""
    return smallest(losses, min(losses.size, max(_CANDIDATES * k, 32)), rng)
