"""Which views deserve a closer look: ridge regression on the classes, whose leave-one-out errors are cheap."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from activefs.types import Floats

_PENALTIES = 4.0 ** -np.arange(-1.0, 5.0)


def leave_one_out_error(features: Floats, positive: Floats) -> float:
    """Return the sum of squared leave-one-out errors of ridge regression, for the penalty that makes it smallest.

    The errors are (y_i - m_i) / (1 - h_i), with the fitted values m and the diagonal h of the hat matrix
    F (F'F + penalty)^-1 F'. One decomposition serves all classes and penalties.

    Parameters
    ----------
    features : array of shape (t, r)
        One row per label.
    positive : array of shape (t, K)
        1 for the class of a row, 0 elsewhere; centred by column.

    Examples
    --------
    >>> y = np.array([[-0.5], [0.5], [-0.5], [0.5]])
    >>> leave_one_out_error(2.0 * y, y) < leave_one_out_error(np.ones((4, 1)), y)
    True
    """
    if len(features) < features.shape[1]:  # of F F' and F'F, the smaller one
        squares, axes = eigh(features @ features.T, check_finite=False)
        on_axes, along = axes, axes.T @ positive
        gains = [np.maximum(squares, 0.0) / (np.maximum(squares, 0.0) + penalty) for penalty in _PENALTIES]
    else:
        squares, axes = eigh(features.T @ features, check_finite=False)
        on_axes = features @ axes
        along = on_axes.T @ positive
        gains = [1.0 / (np.maximum(squares, 0.0) + penalty) for penalty in _PENALTIES]
    errors = []
    for gain in gains:
        hat = np.minimum((on_axes**2) @ gain, 1.0 - 1e-6)
        residual = (positive - on_axes @ (gain[:, None] * along)) / (1.0 - hat)[:, None]
        errors.append(float(np.vdot(residual, residual)))
    return min(errors)
