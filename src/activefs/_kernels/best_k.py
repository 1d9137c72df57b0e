"""Sum of one quantity over the k features that are smallest in another, for several k at once."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs._kernels.splitmix64 import STEP, word
from activefs.types import Floats, Ints, UInt64s


@kernel
def _uniform(state: UInt64s) -> float:
    """Next number in [0, 1), of 53 bits; the one entry of `state` is the state of the generator, which moves on."""
    z = word(state[0], 0)
    state[0] += STEP
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def sums_over_smallest(values: Floats, weights: Floats, ks: Ints, tie: float, state: UInt64s, out: Floats) -> None:
    """out[a] = sum of `weights` over the ks[a] features with the smallest `values`, ties drawn at random.

    `ks` ascends. Values within `tie` of the border count as tied with it; `state` is the random state,
    which moves on.
    """
    top = ks[-1]
    heap = np.full(top, np.inf)  # the smallest so far, in ascending order
    for j in range(values.shape[0]):
        v = values[j]
        if v < heap[top - 1]:
            i = top - 1
            while i > 0 and heap[i - 1] > v:
                heap[i] = heap[i - 1]
                i -= 1
            heap[i] = v
    for a in range(ks.shape[0]):
        border = heap[ks[a] - 1]
        margin = tie * max(abs(border), 1.0)
        low, high = border - margin, border + margin
        total = 0.0
        needed = ks[a]
        tied = 0
        for j in range(values.shape[0]):
            v = values[j]
            if v <= high:
                if v < low:
                    total += weights[j]
                    needed -= 1
                else:
                    tied += 1
        for j in range(values.shape[0]):
            if needed == 0:
                break
            v = values[j]
            if low <= v <= high:
                if tied <= needed or _uniform(state) * tied < needed:
                    total += weights[j]
                    needed -= 1
                tied -= 1
        out[a] = total
