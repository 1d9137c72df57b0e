"""The cells of some features, and impurities from the class shares in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from activefs.criteria import Criterion
from activefs.pool import Pool
from activefs.types import Floats, Ints


class Cells(NamedTuple):
    """The cells of some features, one feature after the other.

    Attributes
    ----------
    numbers : array of int
        Which cells of the pool they are.
    starts : array of int
        Where the cells of each feature begin.
    owners : array of int
        The feature that each cell belongs to, as a position among these features.
    """

    numbers: Ints
    starts: Ints
    owners: Ints


def cells_of(pool: Pool, features: Ints) -> Cells:
    """Return the cells of some features."""
    sizes = pool.cardinalities[features]
    starts = np.cumsum(sizes) - sizes
    owners = np.repeat(np.arange(features.size), sizes)
    numbers = np.arange(int(sizes.sum())) - starts[owners] + pool.offsets[features][owners]
    return Cells(numbers, starts, owners)


def by_feature(amounts: Floats, cells: Cells) -> Floats:
    """Add up amounts of cells for each feature."""
    return np.bincount(cells.owners, weights=amounts, minlength=cells.starts.size).astype(np.float64)


def shares_of(sums: Floats, otherwise: Floats, n: Floats | None = None) -> Floats:
    """Return class shares from sums of probabilities over n rows; for a cell without rows, those given.

    Without n, the sum of all classes counts as the number of rows, which it is but for rounding.
    """
    n = sums.sum(axis=1, keepdims=True) if n is None else n
    return np.where(n > 0.5, sums / np.maximum(n, 1e-9), otherwise)


def impurities(pool: Pool, criterion: Criterion, q: Floats, cells: Cells) -> Floats:
    """Return the conditional impurity sum_v p_v value(q_v) of each feature."""
    return by_feature(pool.shares[cells.numbers] * criterion.value(q), cells)
