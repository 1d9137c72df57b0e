"""Counts per (feature, value, class), and what a single label changes in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activefs._kernels.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def count_labels(
    codes: NDArray[Any], offsets: Ints, rows: Ints, labels: Ints, sign: int, counts: NDArray[np.int32]
) -> None:
    """Add (sign = 1) or remove (sign = -1) labelled rows in counts[cell, class]."""
    for j in range(codes.shape[0]):
        for i in range(rows.shape[0]):
            counts[offsets[j] + codes[j, rows[i]], labels[i]] += sign


@kernel
def update_two_classes(
    codes: NDArray[Any],
    offsets: Ints,
    shares: Floats,
    row: int,
    label: int,
    sign: int,
    max_draws: int,
    entries: Floats,
    counts: NDArray[np.int32],
    cells: Floats,
    totals: Floats,
) -> bool:
    """One label of two classes: counts, statistics of the touched cells, and sums per feature.

    `entries` is a triangular table over (ones, n) whose columns are those of `cells`; `totals`
    holds, per feature, the share-weighted sums of its first columns. Returns False, with the counts
    changed but nothing else, if a cell has outgrown the table.
    """
    features = codes.shape[0]
    fits = True
    for j in range(features):
        cell = offsets[j] + np.int64(codes[j, row])
        counts[cell, label] += sign
        if counts[cell, 0] + counts[cell, 1] > max_draws:
            fits = False
    if not fits:
        return False
    for j in range(features):
        cell = offsets[j] + np.int64(codes[j, row])
        ones = np.int64(counts[cell, 1])
        n = np.int64(counts[cell, 0]) + ones
        at = n * (n + 1) // 2 + ones
        for s in range(totals.shape[1]):
            totals[j, s] += shares[cell] * (entries[at, s] - cells[cell, s])
        for s in range(cells.shape[1]):
            cells[cell, s] = entries[at, s]
    return True
