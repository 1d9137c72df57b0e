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
    def of(cls, codes: Codes, mode: Ints, often: Ints) -> RareValues:
        """Find them; `often` says in how many rows each feature has its most common value."""
        others = codes.shape[1] - often
        sparse = others <= WORTH * codes.shape[1]
        start = np.concatenate([[0], np.cumsum(np.where(sparse, others, 0))]).astype(np.int64)
        rows = np.empty(int(start[-1]), dtype=np.int32)
        exceptional_rows(codes, mode, start, rows)
        return cls(mode, start, sparse, rows)

    @classmethod
    def none(cls, mode: Ints) -> RareValues:
        """List nothing."""
        none = np.zeros(mode.size + 1, dtype=np.int64)
        return cls(mode, none, np.zeros(mode.size, dtype=bool), np.empty(0, dtype=np.int32))
