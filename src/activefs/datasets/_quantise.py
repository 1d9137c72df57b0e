"""Raw integers to small codes: at most 10 bins a numeric column, constant columns dropped."""

from __future__ import annotations

import numpy as np

from activefs.tables import bin_edges
from activefs.types import Integers, Ints, UInt8s

__all__ = ["QUANTISER_VERSION", "quantise"]

# Part of the name of the cached result: raise it whenever the same raw files give other codes.
QUANTISER_VERSION = 1
_BINS = 10


def quantise(values: Integers, categorical: frozenset[int] = frozenset()) -> tuple[UInt8s, Ints]:
    """Code each column as 0, 1, ... and drop the columns with one value only.

    A column with more than 10 distinct values is put into 10 bins by 1-D k-means, unless it is in
    `categorical`; any other column is coded by rank.

    Returns
    -------
    codes : array of uint8, rows by kept columns
        C-contiguous.
    kept : array of int
        Original index of each column of `codes`.

    Examples
    --------
    >>> import numpy as np
    >>> codes, kept = quantise(np.array([[7, 1, 30], [7, 1, 10], [7, 0, 20]]))
    >>> codes
    array([[1, 2], [1, 0], [0, 1]], dtype=uint8)
    >>> kept
    array([1, 2])
    """
    columns = np.ascontiguousarray(values.T)
    codes = np.empty(columns.shape, dtype=np.uint8)
    kept: list[int] = []
    for j, column in enumerate(columns):
        distinct, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(distinct) == 1:
            continue
        code_of = np.arange(len(distinct))
        if len(distinct) > _BINS and j not in categorical:
            edges = bin_edges(distinct.astype(np.float64), counts, bins=_BINS, binning="kmeans")
            bins = np.searchsorted(edges, distinct, side="right")
            code_of = np.unique(bins, return_inverse=True)[1]
        if code_of[-1] > np.iinfo(np.uint8).max:
            raise ValueError(f"column {j} has {len(distinct)} categories, more than a byte can number")
        codes[len(kept)] = code_of[inverse]
        kept.append(j)
    return np.ascontiguousarray(codes[: len(kept)].T), np.array(kept, dtype=np.int64)
