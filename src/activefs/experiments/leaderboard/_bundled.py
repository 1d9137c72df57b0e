"""The tables that come with scikit-learn, each with two classes."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from activefs.runs import Loaded


def breast_cancer() -> Loaded:
    """Benign or malignant tumours, 30 measurements of cells.

    Examples
    --------
    >>> breast_cancer()[0].shape
    (569, 30)
    """
    loaded = load_breast_cancer()
    return loaded.data, tuple(map(str, loaded.feature_names)), loaded.target.astype(np.int64)


def digits(first: int, second: int) -> Loaded:
    """Two of the handwritten digits, 64 pixels; the second one is the positive class.

    Examples
    --------
    >>> digits(3, 5)[0].shape
    (365, 64)
    """
    loaded = load_digits()
    wanted = np.isin(loaded.target, (first, second))
    return loaded.data[wanted], tuple(loaded.feature_names), (loaded.target[wanted] == second).astype(np.int64)


def wine(positive: int) -> Loaded:
    """One of three growers against the others, 13 chemical measurements.

    Examples
    --------
    >>> X, _, y = wine(0)
    >>> X.shape, int(y.sum())
    ((178, 13), 59)
    """
    loaded = load_wine()
    return loaded.data, tuple(loaded.feature_names), (loaded.target == positive).astype(np.int64)
