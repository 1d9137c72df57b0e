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
    leaders : array of int, shape (k,)
        F_k, the k features that look best by their estimates H_j, best first. Numbers of the pool's features, here and
        below: ``pool.columns`` says which columns of the table they are.
    challengers : array of int, shape (k,)
        F~_k, the k best after the leaders got their upper and all others their lower bound.
    features : array of int
        F, the symmetric difference of the two; empty if the top k is settled.

    See Also
    --------
    activefs.Session.contested : Finds them.

    Notes
    -----
    How they are found: :doc:`/method/algorithm`.
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

    Parameters
    ----------
    estimates : Estimates
        What the labels say, such as ``session.estimates``.
    k : int
        Number of features.
    rule : Rule
        How k features are chosen.
    rng : numpy.random.Generator
        Breaks ties.

    Returns
    -------
    Contested
        Leaders, challengers and contested features.

    Examples
    --------
    >>> from activefs import Session
    >>> from activefs.redundancy import TopK
    >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 5
    >>> session = Session(X, k=1, strategy="afs", random_state=0)
    >>> session.tell(range(40), [b for a, b, c in X])
    >>> found = contested(session.estimates, 1, TopK(), np.random.default_rng(0))
    >>> found.leaders.tolist(), found.features.tolist()  # 40 labels leave nothing contested
    ([1], [])
    """
    leaders = rule.choose(estimates, k, rng)
    return challenged(estimates, leaders, estimates.lower, estimates.upper, rule, rng)


def challenged(
    estimates: Estimates, leaders: Ints, lower: Floats, upper: Floats, rule: Rule, rng: np.random.Generator
) -> Contested:
    """Find who could take the places of the leaders, within bounds of every feature's conditional impurity.

    Parameters
    ----------
    estimates : Estimates
        What the labels say.
    leaders : array of int, shape (k,)
        The features that were chosen.
    lower, upper : array of float, shape (d,)
        Bounds of the impurity of all features, such as ``session.bounds()``.
    rule : Rule
        How k features are chosen.
    rng : numpy.random.Generator
        Breaks ties.

    Returns
    -------
    Contested
        These leaders, challengers and contested features.

    Examples
    --------
    >>> from activefs import Session
    >>> from activefs.redundancy import TopK
    >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 5
    >>> session = Session(X, k=1, strategy="afs", random_state=0)
    >>> session.tell(range(8), [b for a, b, c in X[:8]])
    >>> rng = np.random.default_rng(0)
    >>> found = challenged(session.estimates, session.leaders(), *session.guaranteed_bounds(), TopK(), rng)
    >>> found.leaders.tolist(), found.features.size  # eight labels guarantee little
    ([1], 2)
    """
    k = leaders.size
    tilted = lower.copy()
    tilted[leaders] = upper[leaders]
    others = np.ones(tilted.size, dtype=bool)
    others[leaders] = False
    if not others.any() or tilted[others].min() >= tilted[leaders].max():
        return Contested(leaders, leaders, np.empty(0, dtype=np.int64))
    challengers = rule.choose(estimates, k, rng, losses=tilted)
    return Contested(leaders, challengers, np.setxor1d(leaders, challengers, assume_unique=True))
