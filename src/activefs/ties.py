"""Order statistics with ties broken at random."""

from __future__ import annotations

import numpy as np

from activefs.types import Floats, Ints

# Scores and estimates that differ by less than this, relatively, are taken as tied: they differ only
# in the order in which the same numbers were added.
TIE = 1e-12


def smallest(values: Floats, k: int, rng: np.random.Generator) -> Ints:
    """Positions of the k smallest values, in ascending position, ties at the border broken at random.

    Examples
    --------
    >>> smallest(np.array([0.3, 0.1, 0.2]), 2, np.random.default_rng(0)).tolist()
    [1, 2]
    """
    border = np.partition(values, k - 1)[k - 1]
    margin = TIE * max(abs(border), 1.0) if np.isfinite(border) else 0.0
    inside = np.flatnonzero(values < border - margin)
    tied = np.flatnonzero((values >= border - margin) & (values <= border + margin))
    chosen = rng.permutation(tied)[: k - inside.size]
    return np.sort(np.concatenate([inside, chosen]))


def in_order(positions: Ints, values: Floats, rng: np.random.Generator) -> Ints:
    """Sort positions by their values, smallest first, ties in random order.

    Examples
    --------
    >>> in_order(np.array([0, 1]), np.array([0.3, 0.1]), np.random.default_rng(0)).tolist()
    [1, 0]
    """
    shuffled = rng.permutation(positions)
    return np.asarray(shuffled[np.argsort(np.round(values[shuffled], 12), kind="stable")])


def largest_one(values: Floats, rng: np.random.Generator) -> int:
    """Position of the largest value, ties broken at random.

    Examples
    --------
    >>> largest_one(np.array([0.1, 0.3]), np.random.default_rng(0))
    1
    """
    best = values.max()
    tied = np.flatnonzero(values >= best - TIE * max(abs(best), 1.0))
    return int(tied[0] if tied.size == 1 else tied[rng.integers(tied.size)])
