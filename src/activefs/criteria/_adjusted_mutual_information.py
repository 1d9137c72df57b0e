"""Mutual information with the label, less what chance alone would give."""

from __future__ import annotations

from typing import ClassVar

from activefs.criteria._mutual_information import MutualInformation


class AdjustedMutualInformation(MutualInformation):
    """I(X; Y) - E[I(X; Y)], the expectation being that of labels which have nothing to do with X.

    By chance alone a feature of V values shows about (V - 1)(C - 1) / (2n) nats about C classes of n labelled rows. The
    expectation is exact: over all orders in which the labels could stand beside the rows [1]_.
    It moves the value of a feature and its bounds alike; a feature that tells nothing is at 0, or a little below.

    See Also
    --------
    MutualInformation : As it is.

    Notes
    -----
    Guide: :doc:`/guide/certainty` (chance), :doc:`/guide/columns` (columns of many values).

    References
    ----------
    .. [1] Vinh, N. X., Epps, J. and Bailey, J. (2010): Information theoretic measures for clusterings comparison.
       Journal of Machine Learning Research 11.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> X = np.column_stack([rng.integers(0, 9, 300), np.where(rng.random(300) < 0.6, y, 1 - y)])
    >>> for criterion in ("mutual_information", "adjusted_mutual_information"):
    ...     session = Session(X, 1, criterion=criterion, strategy="random", random_state=0)
    ...     session.tell(range(60), y[:60])
    ...     print(session.leaders()[0])
    0
    1
    """

    name: ClassVar[str] = "adjusted_mutual_information"
    adjusted: ClassVar[bool] = True
