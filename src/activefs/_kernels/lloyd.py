"""Lloyd's algorithm on one column: points are assigned to the nearest centre, centres move to the mean of theirs."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Floats, Ints


@kernel
def assign_and_sum(points: Floats, weights: Floats, centres: Floats, labels: Ints, sums: Floats, sizes: Floats) -> bool:
    """Assign every point to its nearest centre (the first of several), and add up points and weights of each centre.

    Returns whether any point changed its centre.
    """
    changed = False
    sums[:] = 0.0
    sizes[:] = 0.0
    for i in range(points.shape[0]):
        best, at = 0.0, -1
        for c in range(centres.shape[0]):
            distance = centres[c] * centres[c] - 2.0 * (points[i] * centres[c])  # but for the square of the point
            if at < 0 or distance < best:
                best, at = distance, c
        changed |= labels[i] != at
        labels[i] = at
        sums[at] += points[i] * weights[i]
        sizes[at] += weights[i]
    return changed


@kernel
def move_centres(centres: Floats, sums: Floats, sizes: Floats) -> float:
    """Move every centre to the mean of its points; returns the sum of squared moves.

    A centre that lost its last point goes to where scikit-learn puts it: to the largest one, which is still a sum if
    its turn comes later.
    """
    largest = np.argmax(sizes)
    moved = 0.0
    for c in range(centres.shape[0]):
        sums[c] = sums[c] * (1.0 / sizes[c]) if sizes[c] > 0.0 else sums[largest]
        moved += (sums[c] - centres[c]) ** 2
        centres[c] = sums[c]
    return moved


@kernel
def iterate(
    points: Floats,
    weights: Floats,
    centres: Floats,
    labels: Ints,
    sums: Floats,
    sizes: Floats,
    tolerance: float,
    most: int,
) -> tuple[int, bool]:
    """Go on until centres stay, or until one of them has no points.

    Returns how many assignments were made, and whether it ended because of an empty centre; no centre was moved then
    after the last assignment, which `sums` and `sizes` are about.
    """
    for i in range(most):
        changed = assign_and_sum(points, weights, centres, labels, sums, sizes)
        for c in range(sizes.shape[0]):
            if sizes[c] == 0.0:
                return (i + 1 if changed else most), True
        if move_centres(centres, sums, sizes) <= tolerance or not changed:
            return most, False
    return most, False
