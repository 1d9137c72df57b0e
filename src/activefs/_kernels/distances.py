"""Hamming distances between rows of a feature-major matrix of codes."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Codes, Int32s, Ints

# Rows are taken in blocks whose running counts stay in the first-level cache; within a block up to
# 255 features are counted in bytes, which the compiler turns into 32 comparisons at once.
_BLOCK = 4096
_BYTE = 255


@kernel
def hamming(codes: Codes, features: Ints, point: Codes, start: int, stop: int, out: Int32s) -> None:
    """Number of features in which each of the rows start..stop differs from `point`, the first row first."""
    few = np.empty(_BLOCK, dtype=np.uint8)
    for block in range(start, stop, _BLOCK):
        end = min(block + _BLOCK, stop)
        size = end - block
        sums = out[block - start : end - start]
        sums[:] = 0
        for first in range(0, features.shape[0], _BYTE):
            few[:] = 0
            for f in range(first, min(first + _BYTE, features.shape[0])):
                x, c = codes[features[f], block:end], point[f]
                for i in range(size):
                    few[i] += np.uint8(x[i] != c)
            for i in range(size):
                sums[i] += few[i]


@kernel
def nearest_centres(codes: Codes, centres: Codes, own: Ints, distance: Int32s) -> None:
    """Number of the nearest centre of each row (the first of equally near ones) and the distance."""
    other, features = np.empty(codes.shape[1], dtype=np.int32), np.arange(codes.shape[0])
    for k in range(centres.shape[0]):
        hamming(codes, features, centres[k], 0, codes.shape[1], other)
        for i in range(other.shape[0]):
            if k == 0 or other[i] < distance[i]:
                distance[i] = other[i]
                own[i] = k


@kernel
def modes(codes: Codes, own: Ints, cardinalities: Ints, centres: Codes) -> None:
    """Replace each centre by the most frequent code, feature by feature, of the rows that it owns.

    Of equally frequent codes the smallest wins; a centre that owns no row stays as it is.
    """
    counts = np.empty((centres.shape[0], cardinalities.max()), dtype=np.int32)
    for j in range(codes.shape[0]):
        counts[:] = 0
        x = codes[j]
        for i in range(x.shape[0]):
            counts[own[i], x[i]] += 1
        for k in range(centres.shape[0]):
            best = np.int64(0)
            for v in range(1, cardinalities[j]):
                if counts[k, v] > counts[k, best]:
                    best = np.int64(v)
            if counts[k, best] > 0:
                centres[k, j] = best
