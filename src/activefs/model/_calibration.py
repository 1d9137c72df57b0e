"""Calibration: how sure a model is, against how sure it should be."""

from __future__ import annotations

import numpy as np

from activefs.model._targets import expected
from activefs.types import Floats, Targets

_POWERS = np.exp(np.linspace(np.log(0.25), np.log(6.0), 41))
_PRIOR_SPREAD = 0.5
_CLIP = 0.003


def calibrating_power(leave_one_out: Floats, labels: Targets) -> float:
    """Return the power b (an inverse temperature) for which probabilities proportional to P^b fit the labels best.

    Models that average over many are underconfident (b > 1), those that fit noise overconfident. The logarithm of b
    has a normal prior around 0, so that few labels do not change much.

    Parameters
    ----------
    leave_one_out : array of shape (t, C)
        Probabilities of the labelled rows by models that had not seen their labels.
    labels : array
        Classes of the labelled rows, or their class probabilities.

    Examples
    --------
    >>> underconfident = np.array([[0.6, 0.4], [0.4, 0.6]] * 20)
    >>> calibrating_power(underconfident, np.array([0, 1] * 20)) > 3
    True
    """
    logs = np.log(np.clip(leave_one_out, _CLIP, 1.0))
    fits = []
    for power in _POWERS:
        scaled = power * logs
        top = scaled.max(axis=1)
        total = top + np.log(np.exp(scaled - top[:, None]).sum(axis=1))
        fit = (expected(scaled, labels) - total).sum()
        fits.append(fit - 0.5 * (np.log(power) / _PRIOR_SPREAD) ** 2)
    return float(_POWERS[int(np.argmax(fits))])


def tempered(probabilities: Floats, power: float) -> Floats:
    """Return tempered probabilities, proportional to P^power.

    Examples
    --------
    >>> tempered(np.array([[0.75, 0.25]]), 2.0).round(6).tolist()
    [[0.9, 0.1]]
    """
    scaled = power * np.log(np.clip(probabilities, _CLIP, 1.0))
    out = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(out / out.sum(axis=1, keepdims=True))
