"""Probabilities of all rows, looked at once: with a million rows every further look takes a millisecond."""

from __future__ import annotations

from activefs._kernels.jit import kernel
from activefs.types import Bools, Floats


@kernel
def look_at(probabilities: Floats, available: Bools) -> tuple[int, int, float, float]:
    """Return two rows that should not be (-1: there is none), the sum of all, and the smallest of the available rows.

    The first of the two has an impossible probability; the second could not be drawn, but has a chance.
    """
    bad, taken, total, smallest = -1, -1, 0.0, 1.0
    for i in range(probabilities.size):
        p = probabilities[i]
        if not 0.0 <= p < 1e300:
            if bad < 0:
                bad = i
            continue
        total += p
        if available[i]:
            smallest = min(smallest, p)
        elif p > 0.0 and taken < 0:
            taken = i
    return bad, taken, total, smallest
