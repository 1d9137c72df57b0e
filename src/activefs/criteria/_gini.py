"""Expected Gini impurity of the label once the feature's value is known."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from activefs.criteria._base import Criterion
from activefs.types import Floats, Ints


class Gini(Criterion):
    r"""Gini impurity: the probability that two rows of a value differ in their label.

    See Also
    --------
    MutualInformation : The default.

    Notes
    -----
    With q the class probabilities, the impurity and its spread (of two classes, x being the probability of one) are

    .. math::

       1 - \sum_y q_y^2, \qquad g(x) = 2 \sqrt{x (1 - x)} \, \lvert 1 - 2x \rvert.

    In general the spread is twice the standard deviation of q_y under q; g is largest where x (1 - x) = 1/8. Scores are
    the reduction of this impurity, without a unit. Guide: :doc:`/guide/many-classes`; in the paper's algorithm:
    :doc:`/method/algorithm`.

    Examples
    --------
    >>> gini = Gini()
    >>> float(gini.binary_value(0.5)), float(gini.binary_spread(0.5))
    (0.5, 0.0)
    >>> round(float(gini.binary_spread(gini.phi)), 12)
    0.5
    """

    name: ClassVar[str] = "gini"
    phi: ClassVar[float] = (1 - sqrt(0.5)) / 2

    def value(self, q: ArrayLike) -> Floats:
        """Gini impurity.

        Parameters
        ----------
        q : array-like of float, shape (..., C)
            Class probabilities.
        """
        p = np.asarray(q, dtype=np.float64)
        return np.asarray(1.0 - (p * p).sum(axis=-1))

    def spread(self, q: ArrayLike) -> Floats:
        """Twice the standard deviation of the probability of the class drawn.

        Parameters
        ----------
        q : array-like of float, shape (..., C)
            Class probabilities.
        """
        p = np.asarray(q, dtype=np.float64)
        mean = (p * p).sum(axis=-1, keepdims=True)
        return np.asarray(2.0 * np.sqrt((p * (p - mean) ** 2).sum(axis=-1)))

    def expected_value(self, sizes: Ints, class_counts: Ints) -> Floats:
        """G n (a - 1) / ((n - 1) a), with G the impurity of all n rows: two of a rows differ as two of all rows do.

        Two rows drawn from all n differ with probability G n / (n - 1), and so do two of the a rows; drawn with
        replacement, they are the same row once in a times.

        Parameters
        ----------
        sizes, class_counts
            As for :meth:`Criterion.expected_value`.
        """
        n = int(class_counts.sum())
        impurity = float(self.value(class_counts / n))
        return np.asarray(impurity * n * (sizes - 1.0) / (max(n - 1, 1) * sizes.astype(np.float64)))
