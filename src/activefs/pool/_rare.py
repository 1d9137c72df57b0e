"""Rows that differ from the most common value of a feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs._kernels.sparse import WORTH, exceptional_rows
from activefs.types import Bools, Codes, Int32s, Ints


@dataclass(frozen=True, eq=False)
class RareValues:
    """The most common value of each feature, and the rows with another one where those are few.

    Attributes
    ----------
    mode : array of shape (d,)
        Most common value of each feature.
    start : array of shape (d + 1,)
        The exceptional rows of feature j are ``rows[start[j]:start[j + 1]]``; none are listed if they are many.
    sparse : array of bool
        Whether a feature's exceptional rows are listed.
    rows : array of int32
        All lists, one after the other.
    """

    mode: Ints
    start: Ints
    sparse: Bools
    rows: Int32s

    @classmethod
    def of(cls, codes: Codes, offsets: Ints, counts: Ints) -> RareValues:
        """Find them."""
        sizes, n_rows = np.diff(offsets), codes.shape[1]
        most = np.maximum.reduceat(counts, offsets[:-1])
        is_mode = counts == np.repeat(most, sizes)
        owner = np.repeat(np.arange(sizes.size), sizes)
        first = np.unique(owner[is_mode], return_index=True)[1]
        mode = np.flatnonzero(is_mode)[first] - offsets[:-1]
        others = n_rows - most
        sparse = others <= WORTH * n_rows
        start = np.concatenate([[0], np.cumsum(np.where(sparse, others, 0))]).astype(np.int64)
        rows = np.empty(int(start[-1]), dtype=np.int32)
        exceptional_rows(codes, mode, start, rows)
        return cls(mode, start, sparse, rows)
