"""What chance alone would give as the quality of a feature, and whether an estimate is above it."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from activefs._kernels.counts import sum_features
from activefs.criteria import Criterion
from activefs.pool import Pool
from activefs.types import Bools, Floats, Ints

_COUNTED = 1 << 20
"""Numbers of rows up to which counting is faster than sorting."""


class Chance:
    """The quality that features would show if the label had nothing to do with them.

    The expectation is over all orders in which the labels of some rows could stand beside these rows, whose values
    and classes are as they are. With a(v) of n rows having the value v, and e(a) the expected impurity of a rows that
    are drawn from the n without replacement, it is value(Y) - sum_v p_v e(a(v)); a value that no row has counts as it
    does in the estimate. If the rows are the pool, p_v = a(v) / n, this is the expected mutual information of Vinh,
    Epps and Bailey (2010), and for the Gini impurity it is G (V - 1) / (n - 1).

    Parameters
    ----------
    criterion : Criterion
        The impurity.
    pool : Pool
        The table, with the shares p_v.
    sizes : array of int, one per cell
        a(v), the rows with each value.
    class_counts : array of int
        The rows of each class.
    unseen : float
        Impurity that counts for a value that no row has.

    Attributes
    ----------
    expected : array of shape (d,)
        Expected quality of every feature.

    Examples
    --------
    >>> from activefs.criteria import Gini
    >>> pool = Pool.from_table([[i % 2, i % 5] for i in range(20)])
    >>> found = Chance(Gini(), pool, pool.value_counts, np.array([10, 10]), 0.5)
    >>> (found.expected * 19 / 0.5).round(10).tolist()  # V - 1
    [1.0, 4.0]
    """

    def __init__(self, criterion: Criterion, pool: Pool, sizes: Ints, class_counts: Ints, unseen: float) -> None:
        n = int(class_counts.sum())
        self._starts, self._sizes = pool.offsets[:-1], sizes
        self._classes = int(np.count_nonzero(class_counts))
        if n == 0:
            self.expected = np.zeros(pool.n_features)
            return
        # One entry per number of rows that occurs: thousands of features share a few.
        occurring, place = _different(sizes)
        by_size = np.full(occurring.size, unseen)
        some = occurring > 0
        by_size[some] = criterion.expected_value(occurring[some], class_counts)
        left = np.empty((pool.n_features, 1))
        sum_features(pool.offsets, pool.shares, by_size[place][:, None], left)
        self.expected = np.asarray(float(criterion.value(class_counts / n)) - left[:, 0])

    def p_values(self, qualities: Floats) -> Floats:
        """How probable at least these qualities of the features are by chance.

        Of labels that have nothing to do with a feature, its quality is distributed about as chi-squared, with
        (V - 1)(C - 1) degrees of freedom for the values and classes that occur, scaled so that its mean is as
        expected.

        Parameters
        ----------
        qualities : array of float, shape (d,)
            Quality of every feature.
        """
        values = np.add.reduceat((self._sizes > 0).astype(np.int64), self._starts)
        freedom = np.maximum(values - 1, 0) * max(self._classes - 1, 0)
        some = (freedom > 0) & (self.expected > 0)
        found = np.where((freedom > 0) & (qualities > 0), 0.0, 1.0)
        found[some] = chi2.sf(qualities[some] / self.expected[some] * freedom[some], freedom[some])
        return np.asarray(found)

    def exceeded(self, qualities: Floats, delta: float) -> Bools:
        """Whether qualities of the features are above what chance gives, at confidence delta, to any of them.

        The best of many features are chosen, so delta is divided by their number.

        Parameters
        ----------
        qualities : array of float, shape (d,)
            Quality of every feature.
        delta : float
            Confidence parameter, in (0, 1).
        """
        return np.asarray(self.p_values(qualities) < delta / qualities.size)


def _different(sizes: Ints) -> tuple[Ints, Ints]:
    """Return the different numbers, ascending, and which of them each is."""
    most = int(sizes.max())
    if most > _COUNTED:  # of a large table: there are far fewer cells than rows
        found, place = np.unique(sizes, return_inverse=True)
        return found, np.asarray(place)
    found = np.flatnonzero(np.bincount(sizes))
    places = np.zeros(most + 1, dtype=np.int64)
    places[found] = np.arange(found.size)
    return found, places[sizes]


def whole_counts(shares: Floats, n: int) -> Ints:
    """Numbers of rows, n together, that are nearest to some shares.

    Examples
    --------
    >>> whole_counts(np.array([0.25, 0.25, 0.5]), 10).tolist()
    [3, 2, 5]
    """
    wanted = shares * (n / shares.sum())
    counts: Ints = np.floor(wanted + 1e-9).astype(np.int64)
    short = n - int(counts.sum())
    counts[np.argsort(counts - wanted, kind="stable")[:short]] += 1
    return counts
