"""The largest of many scores, and where it is."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Floats, Ints


@kernel
def best_of(gains: Floats) -> float:
    """Return the largest of them; minus infinity if there is none."""
    best = -np.inf
    for i in range(gains.shape[0]):
        best = max(best, gains[i])
    return best


@kernel
def ties_of(gains: Floats, least: float, rows: Ints) -> int:
    """Write the places of those that are at least `least`, as far as there is room; return how many they are."""
    count = 0
    for i in range(gains.shape[0]):
        if gains[i] >= least:
            if count < rows.shape[0]:
                rows[count] = i
            count += 1
    return count
