"""One estimate from two: what the model says of a feature, and what the labels say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from activefs.estimates._label_based import LabelBased
from activefs.types import Floats

_TINY = 1e-12


class Combined(NamedTuple):
    """Conditional impurities by model and labels together.

    Attributes
    ----------
    value : array of shape (d,)
        Estimates.
    weight : array of shape (d,)
        Of what the model says.
    """

    value: Floats
    weight: Floats


def combine(by_model: Floats, by_labels: LabelBased) -> Combined:
    """Weigh both estimates by their precision (empirical Bayes).

    The variance v_j of what the labels say is known. That of the model, s^2, shows in how far the two differ: the
    differences D_j, but for a common level, which is irrelevant to the order of features, have variance v_j + s^2.
    The weight of the model is v_j / (v_j + s^2).

    Examples
    --------
    >>> labels = LabelBased(np.array([0.1, 0.9]), np.array([0.0, 0.0]))
    >>> combine(np.array([0.4, 0.6]), labels).value.round(3).tolist()  # what labels say for sure
    [0.1, 0.9]
    """
    precision = 1.0 / (by_labels.variance + _TINY)
    difference = by_labels.value - by_model
    level = np.average(difference, weights=precision)
    excess = np.average((difference - level) ** 2 - by_labels.variance, weights=precision)
    weight = by_labels.variance / (by_labels.variance + max(float(excess), 0.0) + _TINY)
    value = weight * by_model + (1.0 - weight) * (by_labels.value - level)
    return Combined(value, weight)
