"""Sums of predicted class probabilities: over the trees of a forest, over the rows that share a value."""

from __future__ import annotations

from activefs._kernels.jit import kernel
from activefs.types import Array, Floats, Ints, Matrix


@kernel
def sum_leaves(leaves: Array, shares: Matrix, trees: Ints, sums: Matrix) -> None:
    """Add up the class shares of each row's leaf, ``shares[leaves[t, i]]``, in the order of `trees`."""
    for p in range(trees.shape[0]):
        t = trees[p]
        for i in range(sums.shape[0]):
            leaf = leaves[t, i]
            for c in range(sums.shape[1]):
                sums[i, c] += shares[leaf, c]


@kernel
def sum_cells(codes: Array, features: Ints, starts: Ints, probabilities: Matrix | Floats, sums: Floats) -> None:
    """Add up ``probabilities[i]`` of all rows i in the cell of their value, for each of the features.

    ``codes`` is feature-major and has the rows of ``probabilities`` only; the cells of the p-th feature begin at
    ``starts[p]``. Each feature writes to its own cells, so parts of `features` may be done side by side.
    """
    for p in range(features.shape[0]):
        j, start = features[p], starts[p]
        for i in range(probabilities.shape[0]):
            cell = start + codes[j, i]
            for c in range(probabilities.shape[1]):
                sums[cell, c] += probabilities[i, c]


@kernel
def sum_labelled(codes: Array, offsets: Ints, amounts: Floats, sums: Floats) -> None:
    """Add ``amounts[i]`` of labelled row i to the cell of its value, for every feature; `codes` are of these rows."""
    for j in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            cell = offsets[j] + codes[j, i]
            for c in range(amounts.shape[1]):
                sums[cell, c] += amounts[i, c]
