"""Tables of c ln c, which entropies of counts are made of."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import xlogy

from activefs.types import Floats

MOST_LOGS = (1 << 20) - 1
"""Largest count for which it is worth having a logarithm ready: larger ones are rare."""


def count_logs(largest: int) -> Floats:
    """Table of c ln c for c = 0 .. largest, or further; it must not be changed.

    Examples
    --------
    >>> count_logs(3)[:3].round(4).tolist()
    [0.0, 0.0, 1.3863]
    """
    return _table(1 << max(8, int(largest).bit_length()))


# By powers of two: a count that grows label by label needs a new table now and then only.
@lru_cache(maxsize=4)
def _table(size: int) -> Floats:
    counts = np.arange(size, dtype=np.float64)
    made = np.asarray(xlogy(counts, counts))
    made.setflags(write=False)
    return made
