"""Counts per (feature, value, class), and what a single label changes in them."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Array, Floats, Int32s, Ints


@kernel
def count_labels(codes: Array, offsets: Ints, labels: Ints, sign: int, counts: Int32s) -> None:
    """Add (sign = 1) or remove (sign = -1) labelled rows, whose codes these are, in counts[cell, class]."""
    for j in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            counts[offsets[j] + codes[j, i], labels[i]] += sign


@kernel
def add_classes(counts: Int32s, draws: Ints) -> None:
    """Labelled rows of each cell, whatever their class."""
    for cell in range(counts.shape[0]):
        total = 0
        for y in range(counts.shape[1]):
            total += counts[cell, y]
        draws[cell] = total


# Up to this many values a feature's sum is made anew from its cells at every label, so that it does not depend on
# the way to the present counts (labels taken back leave no trace); beyond, it is changed by the difference.
_FEW_VALUES = 512


@kernel
def sum_feature(j: int, offsets: Ints, shares: Floats, cells: Floats, totals: Floats) -> None:
    """Share-weighted sums of the first columns of a feature's cells."""
    for s in range(totals.shape[1]):
        total = 0.0
        for cell in range(offsets[j], offsets[j + 1]):
            total += shares[cell] * cells[cell, s]
        totals[j, s] = total


@kernel
def sum_features(offsets: Ints, shares: Floats, cells: Floats, totals: Floats) -> None:
    """`sum_feature` of every feature."""
    for j in range(totals.shape[0]):
        sum_feature(j, offsets, shares, cells, totals)


@kernel
def change_cells(touched: Ints, fresh: Floats, offsets: Ints, shares: Floats, cells: Floats, totals: Floats) -> None:
    """Set one cell of every feature to new statistics, and bring the sums up to date."""
    for j in range(totals.shape[0]):
        cell = touched[j]
        few = offsets[j + 1] - offsets[j] <= _FEW_VALUES
        if not few:
            for s in range(totals.shape[1]):
                totals[j, s] += shares[cell] * (fresh[j, s] - cells[cell, s])
        cells[cell] = fresh[j]
        if few:
            sum_feature(j, offsets, shares, cells, totals)


@kernel
def update_two_classes(
    touched: Ints, label: int, sign: int, max_draws: int, entries: Floats, counts: Int32s, fresh: Floats
) -> bool:
    """One label of two classes: change the counts of its cells, and look these up in a table over (ones, n).

    Returns False, with the counts changed and nothing looked up, if a cell has outgrown the table.
    """
    fits = True
    for j in range(touched.shape[0]):
        cell = touched[j]
        counts[cell, label] += sign
        if counts[cell, 0] + counts[cell, 1] > max_draws:
            fits = False
    if fits:
        for j in range(touched.shape[0]):
            ones = np.int64(counts[touched[j], 1])
            n = np.int64(counts[touched[j], 0]) + ones
            fresh[j] = entries[n * (n + 1) // 2 + ones]
    return fits
