"""How sure a model is, against how sure it should be."""

from __future__ import annotations

import numpy as np

from activefs.types import Floats, Ints

_POWERS = np.exp(np.linspace(np.log(0.25), np.log(6.0), 41))
_PRIOR_SPREAD = 0.5
_CLIP = 0.003


def calibrating_power(held_out: Floats, labels: Ints) -> float:
    """The power b for which probabilities proportional to P^b fit the held-out labels best.

    Models that average over many are too timid (b > 1), those that fit noise too bold. Its logarithm has a normal
    prior around 0, so that few labels do not change much.

    Examples
    --------
    >>> timid = np.array([[0.6, 0.4], [0.4, 0.6]] * 20)
    >>> calibrating_power(timid, np.array([0, 1] * 20)) > 3
    True
    """
    logs = np.log(np.clip(held_out, _CLIP, 1.0))
    fits = []
    for power in _POWERS:
        scaled = power * logs
        top = scaled.max(axis=1)
        total = top + np.log(np.exp(scaled - top[:, None]).sum(axis=1))
        fit = (scaled[np.arange(labels.size), labels] - total).sum()
        fits.append(fit - 0.5 * (np.log(power) / _PRIOR_SPREAD) ** 2)
    return float(_POWERS[int(np.argmax(fits))])


def raised(probabilities: Floats, power: float) -> Floats:
    """Probabilities proportional to P^power.

    Examples
    --------
    >>> raised(np.array([[0.75, 0.25]]), 2.0).round(6).tolist()
    [[0.9, 0.1]]
    """
    scaled = power * np.log(np.clip(probabilities, _CLIP, 1.0))
    out = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(out / out.sum(axis=1, keepdims=True))
