"""What every criterion shares: bounds over a confidence box, and the largest spread in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from activefs._kernels import box
from activefs.registry import Component
from activefs.types import Floats, Ints


def delta_per_class(delta: float, n_classes: int) -> float:
    """Confidence parameter of each class's interval, so that together they hold with 1 - delta.

    Two classes share one interval (the second is the mirror image of the first), so nothing has to
    be divided; with more classes, each gets an equal part of delta.

    Parameters
    ----------
    delta : float
        Confidence parameter of all intervals together, in (0, 1).
    n_classes : int
        Number of classes.

    Returns
    -------
    float
        That of one interval.

    Examples
    --------
    >>> delta_per_class(0.05, 2), delta_per_class(0.05, 5)
    (0.05, 0.01)
    """
    return delta if n_classes <= 2 else delta / n_classes


def scatter(q: ArrayLike, variance: ArrayLike) -> Floats:
    """Return sum_c variance_c / sum_c q_c (1 - q_c), between 0 and 1: how far class shares scatter around q."""
    p, v = np.asarray(q, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    most = (p * (1.0 - p)).sum(axis=-1)
    return np.asarray(np.clip(np.divide(v.sum(axis=-1), most, out=np.zeros_like(most), where=most > 0), 0.0, 1.0))


class Criterion(Component, ABC):
    """Impurity of a class distribution: symmetric in the classes, concave, zero when one is certain.

    Subclasses give :meth:`value`, :meth:`spread` and :attr:`phi`; those that know :meth:`expected_value` in closed form
    give that, too.

    See Also
    --------
    MutualInformation : The default.
    Gini : The probability that two rows differ in their label.
    activefs.testing.CriterionContract : Tests that every criterion passes.

    Notes
    -----
    Guide: :doc:`/guide/extending` makes one. How it is used: :doc:`/method/algorithm`; more than two classes:
    :doc:`/guide/many-classes`.
    """

    name: ClassVar[str]
    adjusted: ClassVar[bool] = False
    """Whether the quality of a feature is counted from what chance alone would give it."""
    phi: ClassVar[float]
    """Where in (0, 1/2) the spread of two classes is largest; it rises before, falls after."""

    @abstractmethod
    def value(self, q: ArrayLike) -> Floats:
        """Impurity of each class distribution.

        Parameters
        ----------
        q : array-like of float, shape (..., C)
            Class probabilities; the classes lie along the last axis.

        Returns
        -------
        array of float, shape (...)
            One impurity per distribution.
        """

    @abstractmethod
    def spread(self, q: ArrayLike) -> Floats:
        """Standard deviation of sqrt(n) value(q_hat) by the delta method.

        Parameters
        ----------
        q : array-like of float, shape (..., C)
            Class probabilities; the classes lie along the last axis.

        Returns
        -------
        array of float, shape (...)
            One spread per distribution.
        """

    def lost_by_chance(self, q: ArrayLike, variance: ArrayLike) -> Floats:
        """How much smaller the impurity of class shares is, on average, than that of their means q.

        The shares of n labels that are still unknown scatter around their probabilities, and the impurity is
        concave. With v = sum_c variance_c / sum_c q_c (1 - q_c), from 0 (the shares are known) to 1 (one label
        decides), v value(q) is lost: exact for the Gini impurity, and for every impurity if v is 0 or 1.

        Parameters
        ----------
        q : array, classes along the last axis
            Mean class shares.
        variance : array of the same shape
            Their variances.

        Examples
        --------
        >>> from activefs.criteria import Gini, MutualInformation
        >>> float(Gini().lost_by_chance([0.5, 0.5], [0.01, 0.01]))
        0.02
        >>> round(float(MutualInformation().lost_by_chance([0.5, 0.5], [0.01, 0.01])), 4)
        0.0204
        """
        return np.asarray(self.value(q) * scatter(q, variance))

    def expected_value(self, sizes: Ints, class_counts: Ints) -> Floats:
        """Expected impurity of some rows, drawn at random without replacement from rows whose classes are known.

        This is what a value of a feature shows that has nothing to do with the label: less than the impurity of all
        rows, the fewer rows have the value the less. Here it is exact for two classes, and the mean of 1,000 draws,
        the same ones each time, for more.

        Parameters
        ----------
        sizes : array of int, shape (r,)
            How many rows are drawn, from one to all of them.
        class_counts : array of int, shape (C,)
            Rows of each class.
        """
        found = np.empty(len(sizes))
        for i, size in enumerate(sizes):
            if len(class_counts) == 2:
                seconds = np.arange(size + 1)
                p = hypergeom.pmf(seconds, class_counts.sum(), class_counts[1], size)
                found[i] = p @ self.binary_value(seconds / size)
            else:
                rng = np.random.default_rng(0)
                drawn = rng.multivariate_hypergeometric(class_counts, size, size=_DRAWS, method="marginals")
                found[i] = self.value(drawn / size).mean()
        return found

    def most_by_chance(self, n_values: Ints, n_classes: int, n_rows: int) -> Floats:
        """Return a bound of the quality that chance alone would give, for features of so many values.

        Here nothing is known, and it is infinite; criteria that are `adjusted` should know better.

        Parameters
        ----------
        n_values : array of int
            Values of each feature.
        n_classes : int
            Classes of the label.
        n_rows : int
            Labelled rows.

        Returns
        -------
        array of float
            One bound per feature.
        """
        return np.full(np.shape(n_values), np.inf)

    # --- two classes: the paper's closed forms, q = probability of the second class ---

    def binary_value(self, q: ArrayLike) -> Floats:
        """Impurity when the second class has probability q, as H_b(q) in the paper.

        Parameters
        ----------
        q : array-like of float
            Probabilities of the second of two classes.

        Returns
        -------
        array of float, of the same shape
            The impurities.
        """
        return self.value(_two_classes(q))

    def binary_spread(self, q: ArrayLike) -> Floats:
        """Spread when the second class has probability q, as g(q) in the paper.

        Parameters
        ----------
        q : array-like of float
            Probabilities of the second of two classes.

        Returns
        -------
        array of float, of the same shape
            The spreads.
        """
        return self.spread(_two_classes(q))

    def binary_bounds(self, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
        """LCB and UCB: smallest and largest impurity for q in [lower, upper] (Eq. ucbmon).

        The impurity rises up to 1/2 and falls after it: its maximum is at the point of the
        interval nearest to 1/2, its minimum at one of the two ends.

        Parameters
        ----------
        lower, upper : array-like of float
            Intervals of the probability of the second class.

        Returns
        -------
        smallest, largest : array of float
            The bounds.

        Examples
        --------
        >>> from activefs.criteria import MutualInformation
        >>> [float(bound.round(3)) for bound in MutualInformation().binary_bounds(0.1, 0.6)]
        [0.325, 0.693]
        """
        low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        smallest = np.minimum(self.binary_value(low), self.binary_value(high))
        return smallest, self.binary_value(np.clip(0.5, low, high))

    def binary_spread_upper(self, lower: ArrayLike, upper: ArrayLike) -> Floats:
        """UCB(g, lower, upper): largest spread for q in [lower, upper].

        g(phi) where phi lies in [lower, upper] or in [1 - upper, 1 - lower]; else the larger end.

        Parameters
        ----------
        lower, upper : array-like of float
            Intervals of the probability of the second class.

        Returns
        -------
        array of float
            The largest spreads.
        """
        low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        phi = self.phi
        peak = ((low <= phi) & (phi <= high)) | ((1 - high <= phi) & (phi <= 1 - low))
        ends = np.maximum(self.binary_spread(low), self.binary_spread(high))
        return np.where(peak, self.binary_spread(phi), ends)

    # --- any number of classes ---

    def bounds(self, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
        """Smallest and largest impurity over boxes of class probabilities cut with the simplex.

        A concave symmetric function is largest at the most even point and smallest at the most
        uneven one. Both exist because the classes' intervals are ordered as their counts are.

        Parameters
        ----------
        lower, upper : array-like of shape (r, C)
            One interval per class; r boxes.

        Returns
        -------
        smallest, largest : array of float, shape (r,)
            The bounds.
        """
        low, high = _sorted_box(lower, upper)
        even, uneven = np.empty_like(low), np.empty_like(low)
        box.flattest(low, high, even)
        box.steepest(low, high, uneven)
        return self.value(uneven), self.value(even)

    def spread_upper(self, lower: ArrayLike, upper: ArrayLike) -> Floats:
        """Largest spread over boxes of class probabilities cut with the simplex.

        At a maximum some classes stand at their upper bound, at most one is free, and all others
        are level (see docs/guide/many-classes.md for the proof): a path of one parameter that is searched on a grid,
        then refined around the best point.

        Parameters
        ----------
        lower, upper : array-like of shape (r, C)
            One interval per class; r boxes.

        Returns
        -------
        array of float, shape (r,)
            The largest spreads.
        """
        low, high = _sorted_box(lower, upper)
        boxes, classes = low.shape
        grid = np.arange(8 * _end_of_path(low, high) + 1) / 8.0
        size = max(1, _MOST_NUMBERS // (grid.size * classes))
        if boxes > size:  # hundreds of classes: the points of all boxes at once would be too many
            parts = (slice(i, i + size) for i in range(0, boxes, size))
            return np.concatenate([self.spread_upper(low[part], high[part]) for part in parts])
        where = np.broadcast_to(grid, (boxes, grid.size)).copy()
        best = np.zeros(boxes)
        step = 1 / 8
        for _ in range(_REFINEMENTS):
            points = np.empty((boxes, where.shape[1], classes))
            box.path_points(low, high, where, points)
            found = self.spread(points)
            at = np.argmax(found, axis=1)
            rows = np.arange(boxes)
            best = np.maximum(best, found[rows, at])
            offsets = np.linspace(-step, step, 9)
            where = np.clip(where[rows, at][:, None] + offsets, 0.0, float(classes))
            step /= 4
        return best


_DRAWS = 1000
# Each refinement divides the distance to the maximum by four, and the value's error by sixteen:
# after ten of them it is below 1e-12.
_REFINEMENTS = 11


_MOST_NUMBERS = 4_000_000
"""Numbers in the points of a grid that are looked at in one go."""


def _end_of_path(low: Floats, high: Floats) -> int:
    """Classes of which the path needs to know: once those before have all that the lower bounds leave, it has ended."""
    left = 1.0 - np.cumsum(high, axis=1) + high
    needed = np.cumsum(low[:, ::-1], axis=1)[:, ::-1]
    classes = low.shape[1]
    ended = np.where((left <= needed).any(axis=1), np.argmax(left <= needed, axis=1), classes)
    return int(min(classes, ended.max(initial=0) + 1))  # one more: sums may differ in their last digit


def _two_classes(q: ArrayLike) -> Floats:
    second = np.asarray(q, dtype=np.float64)
    return np.stack([1.0 - second, second], axis=-1)


def _sorted_box(lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    low = -np.sort(-np.asarray(lower, dtype=np.float64), axis=-1)
    high = -np.sort(-np.asarray(upper, dtype=np.float64), axis=-1)
    return low, high
