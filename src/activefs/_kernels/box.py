"""Points of a box cut with the simplex: { q : lo <= q <= hi, sum q = 1 }, one box per row.

Classes must come sorted so that both `lo` and `hi` descend. Binomial intervals have this order: of
two classes with the same number of draws, the one with more successes has both bounds larger.
"""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Floats


@kernel
def _level(lo: Floats, hi: Floats, first: int, mass: float) -> float:
    """The level x with sum over c >= first of clip(x, lo_c, hi_c) = mass."""
    classes = lo.shape[0]
    below, sum_below = -np.inf, 0.0
    above, sum_above = np.inf, 0.0
    # The sum is piecewise linear in x with its corners at the bounds: find the two corners around
    # the mass, then interpolate.
    for which in range(2):
        for c in range(first, classes):
            corner = lo[c] if which == 0 else hi[c]
            if c > first and corner == (lo[c - 1] if which == 0 else hi[c - 1]):
                continue  # bounds are sorted, and of hundreds of classes most have the same few counts
            total = 0.0
            for e in range(first, classes):
                total += min(max(corner, lo[e]), hi[e])
            if total <= mass and corner > below:
                below, sum_below = corner, total
            if total >= mass and corner < above:
                above, sum_above = corner, total
    if below == -np.inf:
        return above
    if above == np.inf or sum_above <= sum_below:
        return below
    return below + (above - below) * (mass - sum_below) / (sum_above - sum_below)


@kernel
def flattest(lo: Floats, hi: Floats, out: Floats) -> None:
    """The most even point of each box: every class as near to a common level as its bounds allow."""
    for i in range(lo.shape[0]):
        x = _level(lo[i], hi[i], 0, 1.0)
        for c in range(lo.shape[1]):
            out[i, c] = min(max(x, lo[i, c]), hi[i, c])


@kernel
def steepest(lo: Floats, hi: Floats, out: Floats) -> None:
    """The most uneven point of each box: all spare mass to the largest classes first."""
    for i in range(lo.shape[0]):
        spare = 1.0
        for c in range(lo.shape[1]):
            spare -= lo[i, c]
        for c in range(lo.shape[1]):
            take = min(max(spare, 0.0), hi[i, c] - lo[i, c])
            out[i, c] = lo[i, c] + take
            spare -= take


@kernel
def path_points(lo: Floats, hi: Floats, where: Floats, out: Floats) -> None:
    """Points on the path from the flattest to the steepest point of each box.

    Position ``s + u`` (0 <= u <= 1) has the s largest classes at their upper bound, class s the
    fraction u of its way from the common level to the most it can take, and the others level.
    """
    classes = lo.shape[1]
    for i in range(lo.shape[0]):
        for k in range(where.shape[1]):
            s = min(int(where[i, k]), classes - 1)
            u = where[i, k] - s
            mass = 1.0
            for c in range(s):
                out[i, k, c] = min(hi[i, c], mass)
                mass -= out[i, k, c]
            floor = 0.0
            for c in range(s + 1, classes):
                floor += lo[i, c]
            if mass <= floor + lo[i, s]:  # the path has ended before this position
                steepest(lo[i : i + 1], hi[i : i + 1], out[i, k : k + 1])
                continue
            start = min(max(_level(lo[i], hi[i], s, mass), lo[i, s]), hi[i, s])
            stop = max(min(hi[i, s], mass - floor), start)
            out[i, k, s] = start + u * (stop - start)
            rest = mass - out[i, k, s]
            if s + 1 < classes:
                x = _level(lo[i], hi[i], s + 1, rest)
                for c in range(s + 1, classes):
                    out[i, k, c] = min(max(x, lo[i, c]), hi[i, c])
