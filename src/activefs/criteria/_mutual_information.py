"""Mutual information with the label, through the conditional entropy that remains."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import entr, psi, xlogy

from activefs._kernels.hypergeometric import expected_entropies
from activefs._kernels.logs import MOST_LOGS, count_logs
from activefs.criteria._base import Criterion, scatter
from activefs.types import Floats, Ints

_NO_SCATTER = 1e-12


def _phi() -> float:
    """Solve g'(x) = 0 in (0, 1/2): with l = ln(x/(1-x)), (1 - 2x) l + 2 = 0."""
    return float(brentq(lambda x: (1 - 2 * x) * np.log(x / (1 - x)) + 2, 1e-3, 0.4, xtol=1e-16, rtol=1e-15))


class MutualInformation(Criterion):
    r"""I(X; Y) = H(Y) - H(Y | X): the feature with the smallest conditional entropy is the best.

    See Also
    --------
    AdjustedMutualInformation : Less what chance alone would give.
    Gini : Another impurity.

    Notes
    -----
    With q the class probabilities, the impurity, in nats, and its spread (of two classes, x being the probability of
    one) are

    .. math::

       -\sum_y q_y \ln q_y, \qquad g(x) = \sqrt{x (1 - x)} \left| \ln \frac{x}{1 - x} \right|.

    In general the spread is the standard deviation of the surprisal -ln q_y under q. How it is estimated:
    :doc:`/method/algorithm` and :doc:`/method/assisted`; what a score promises: :doc:`/guide/certainty`.

    Examples
    --------
    >>> mi = MutualInformation()
    >>> round(mi.phi, 7)
    0.0832217
    >>> round(float(mi.binary_spread_upper(0.0, 1.0)), 6)
    0.662743
    """

    name: ClassVar[str] = "mutual_information"
    phi: ClassVar[float] = _phi()

    def value(self, q: ArrayLike) -> Floats:
        """Entropy in nats.

        Parameters
        ----------
        q : array-like of float, shape (..., C)
            Class probabilities.

        Examples
        --------
        >>> MutualInformation().value([[0.5, 0.5], [1.0, 0.0]]).round(4).tolist()
        [0.6931, 0.0]
        """
        return np.asarray(entr(np.asarray(q, dtype=np.float64)).sum(axis=-1))

    def lost_by_chance(self, q: ArrayLike, variance: ArrayLike) -> Floats:
        """H(q) - (psi(a + 1) - sum_c q_c psi(a q_c + 1)), 1 / (a + 1) = v: what Dirichlet(a q) has less of entropy.

        For many labels that is about sum_c variance_c / (2 q_c).

        Parameters
        ----------
        q, variance
            As for :meth:`Criterion.lost_by_chance`.
        """
        p, v = np.asarray(q, dtype=np.float64), scatter(q, variance)
        a = np.divide(1.0 - v, v, out=np.full_like(v, np.inf), where=v > _NO_SCATTER)[..., None]
        with np.errstate(invalid="ignore"):  # infinity minus infinity, where nothing scatters
            expected = psi(a[..., 0] + 1.0) - (p * psi(a * p + 1.0)).sum(axis=-1)
        return np.where(v > _NO_SCATTER, np.maximum(self.value(p) - expected, 0.0), 0.0)

    def most_by_chance(self, n_values: Ints, n_classes: int, n_rows: int) -> Floats:
        """ln(1 + (V - 1)(C - 1) / (n - 1)), since I <= ln(1 + chi^2 / n), of which the expectation is known.

        Parameters
        ----------
        n_values, n_classes, n_rows
            As for :meth:`Criterion.most_by_chance`.

        Examples
        --------
        >>> MutualInformation().most_by_chance(np.array([2, 5]), 2, 101).round(4).tolist()
        [0.01, 0.0392]
        """
        degrees = np.maximum(np.asarray(n_values) - 1.0, 0.0) * max(n_classes - 1, 0)
        return np.asarray(np.log1p(degrees / max(n_rows - 1, 1)))

    def spread(self, q: ArrayLike) -> Floats:
        """Standard deviation of the surprisal.

        Parameters
        ----------
        q : array-like of float, shape (..., C)
            Class probabilities.
        """
        p = np.asarray(q, dtype=np.float64)
        log_p = np.where(p > 0, np.log(np.where(p > 0, p, 1.0)), 0.0)
        mean = xlogy(p, p).sum(axis=-1, keepdims=True)
        return np.asarray(np.sqrt((p * (log_p - mean) ** 2).sum(axis=-1)))

    def expected_value(self, sizes: Ints, class_counts: Ints) -> Floats:
        """Sum over the hypergeometric distribution of each class's count.

        Parameters
        ----------
        sizes, class_counts
            As for :meth:`Criterion.expected_value`.
        """
        found = np.empty(len(sizes))
        counts = np.asarray(class_counts, dtype=np.int64)
        logs = count_logs(min(int(counts.sum()), MOST_LOGS))
        expected_entropies(np.asarray(sizes, dtype=np.int64), counts, logs, found)
        return found
