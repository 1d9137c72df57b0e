"""Features that have the same value in most rows: only the other rows need to be visited."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activefs._kernels.jit import kernel

Codes = NDArray[Any]
Ints = NDArray[np.int64]

# A feature is worth a list of its exceptional rows if at most this share of the rows is in it; the
# lists then take at most one byte per cell.
WORTH = 0.25


@kernel
def exceptional_rows(codes: Codes, mode: Ints, start: Ints, rows: NDArray[np.int32]) -> None:
    """List, for each feature with room for it, the rows whose value is not the most common one."""
    for j in range(codes.shape[0]):
        at = start[j]
        if start[j + 1] > at:
            for i in range(codes.shape[1]):
                if codes[j, i] != mode[j]:
                    rows[at] = i
                    at += 1


@kernel
def count_sparse_pair(
    x: Codes,
    y: Codes,
    width: int,
    mode: int,
    exceptions: NDArray[np.int32],
    marginal: Ints,
    cardinality: int,
    counts: NDArray[np.int32],
    transposed: bool,
) -> None:
    """Count the pairs of values of x and y when x is mostly `mode`.

    Rows with another value are counted one by one; what remains of each value's `marginal` count of y
    belongs to the mode. Entry (v, w) of (x, y) is at ``v * width + w``, or at ``w * width + v`` if transposed.
    """
    for i in exceptions:
        if transposed:
            counts[np.int64(y[i]) * width + x[i]] += 1
        else:
            counts[np.int64(x[i]) * width + y[i]] += 1
    for w in range(marginal.shape[0]):
        rest = marginal[w]
        for v in range(cardinality):
            if v != mode:
                rest -= counts[w * width + v] if transposed else counts[v * width + w]
        counts[w * width + mode if transposed else mode * width + w] = rest
