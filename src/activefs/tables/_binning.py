"""Binning of real-valued columns into a few ordered bins."""

from __future__ import annotations

import warnings

import numpy as np

from activefs.constraints import BINNINGS
from activefs.exceptions import InvalidInputError
from activefs.types import Binning, Floats, Ints


def bin_edges(
    values: Floats,
    counts: Ints,
    bins: int = 10,
    binning: Binning = "kmeans",
) -> Floats:
    """Inner edges of the bins of one real-valued column.

    The column comes as its sorted distinct values and how often each occurs: the result is the
    same as for the full column, and a column of 256 grey levels costs 256 points, not m.

    Parameters
    ----------
    values : array of float
        Distinct finite values, ascending, more than `bins` of them.
    counts : array of int
        How many rows have each value.
    bins : int, default 10
        Number of bins, at least 2.
    binning : {"kmeans", "quantile", "uniform"}
        How the edges are placed.

    Returns
    -------
    array of float
        Inner edges, ascending; value ``v`` belongs to bin ``searchsorted(edges, v, side="right")``.

    Examples
    --------
    >>> import numpy as np
    >>> bin_edges(np.array([0., 1., 10., 11., 30.]), np.ones(5, dtype=np.int64), bins=3)
    array([ 5.5 , 20.25])
    """
    if bins < 2:
        raise InvalidInputError(f"bins must be at least 2, got {bins}: with one bin no value differs from another")
    if binning not in BINNINGS:
        raise InvalidInputError(f"binning must be one of {', '.join(BINNINGS)}; got {binning!r}")
    if binning == "quantile":
        share = np.cumsum(counts) / counts.sum()
        cut = np.searchsorted(share, np.arange(1, bins) / bins)
        last = len(values) - 2
        cut = np.unique(np.minimum(cut, last))
        return np.asarray((values[cut] + values[cut + 1]) / 2)
    from sklearn.exceptions import ConvergenceWarning  # it takes a second to load
    from sklearn.preprocessing import KBinsDiscretizer

    discretizer = KBinsDiscretizer(n_bins=bins, encode="ordinal", strategy=binning, subsample=None, dtype=np.float64)
    weight = counts if binning == "kmeans" else None
    with warnings.catch_warnings():
        # Fewer clusters than asked, or bins that fell together: the remaining edges are what we want.
        warnings.simplefilter("ignore", category=ConvergenceWarning)
        warnings.simplefilter("ignore", category=UserWarning)
        discretizer.fit(values[:, None], sample_weight=weight)
    inner: Floats = np.asarray(discretizer.bin_edges_[0][1:-1], dtype=np.float64)
    return inner
