"""Binning of real-valued columns into a few ordered bins."""

from __future__ import annotations

import numpy as np

from activefs._kernels.lloyd import iterate, move_centres
from activefs.constraints import BINNINGS
from activefs.exceptions import InvalidInputError
from activefs.types import Binning, Floats, Ints

# As scikit-learn has them: the share of the variance that centres may still move by, the narrowest bin.
_TOLERANCE = 1e-4
_MOST_ITERATIONS = 300
_NARROWEST = 1e-8
# Half ranges within which no square overflows, and bins are wider than the narrowest; other columns are scaled.
_SMALLEST, _LARGEST = 5e-7, 1e140


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
    half_range = values[-1] / 2 - values[0] / 2  # the range itself may be too large for a float
    if not _SMALLEST <= half_range <= _LARGEST:
        # No unit of measurement makes a difference: metres are binned as light years and picometres are.
        exponent = int(np.frexp(half_range)[1]) + 1
        return np.asarray(np.ldexp(_edges(np.ldexp(values, -exponent), counts, bins, binning), exponent))
    return _edges(values, counts, bins, binning)


def _edges(values: Floats, counts: Ints, bins: int, binning: Binning) -> Floats:
    if binning == "quantile":
        share = np.cumsum(counts) / counts.sum()
        cut = np.searchsorted(share, np.arange(1, bins) / bins)
        last = len(values) - 2
        cut = np.unique(np.minimum(cut, last))
        return np.asarray((values[cut] + values[cut + 1]) / 2)
    if binning == "uniform":
        return np.linspace(values[0], values[-1], bins + 1)[1:-1]
    centres = np.sort(_kmeans(values, counts.astype(np.float64), bins))
    edges = (centres[1:] + centres[:-1]) * 0.5
    ends = np.concatenate((values[:1], edges, values[-1:]))
    wide = ends[1:] - ends[:-1] > _NARROWEST
    return np.asarray(edges[wide[:-1]][: np.count_nonzero(wide) - 1])


def _kmeans(values: Floats, counts: Floats, bins: int) -> Floats:
    """Centres that Lloyd's algorithm finds from the middles of equally wide bins: scikit-learn's, to the digit.

    scikit-learn's own takes 2 ms for a column, however short it is: most of a minute for a table of 20,000 columns.
    """
    edges = np.linspace(values[0], values[-1], bins + 1)
    # Sums instead of mean() and var(), which give the same digits but take longer than all the rest.
    mean = np.add.reduce(values) / len(values)
    points, centres = values - mean, (edges[1:] + edges[:-1]) * 0.5 - mean
    around = points - np.add.reduce(points) / len(points)
    tolerance = float(np.add.reduce(around * around)) / len(points) * _TOLERANCE
    labels, sums, sizes = np.full(len(points), -1), np.empty(bins), np.empty(bins)
    left, empty = _MOST_ITERATIONS, True
    while left > 0 and empty:
        made, empty = iterate(points, counts, centres, labels, sums, sizes, tolerance, left)
        left -= made
        if empty:
            _fill_empty(points, counts, centres, labels, sums, sizes)
            if move_centres(centres, sums, sizes) <= tolerance:
                break
    return np.asarray(centres + mean)


def _fill_empty(points: Floats, counts: Floats, centres: Floats, labels: Ints, sums: Floats, sizes: Floats) -> None:
    """Give to centres without points the points that are farthest from theirs."""
    empty = np.flatnonzero(sizes == 0.0)
    distances = (points - centres[labels]) ** 2
    if distances.max() == 0.0:
        return
    farthest = np.argpartition(distances, -empty.size)[: -empty.size - 1 : -1]
    for centre, point in zip(empty, farthest, strict=True):
        moved = points[point] * counts[point]
        sums[labels[point]] -= moved
        sizes[labels[point]] -= counts[point]
        sums[centre], sizes[centre] = moved, counts[point]
