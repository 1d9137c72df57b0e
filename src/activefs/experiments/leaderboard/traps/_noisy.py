"""NOISY: one label in five is wrong."""

from __future__ import annotations

import numpy as np

from activefs.experiments.leaderboard.traps._planted import planted
from activefs.runs import Loaded, Source

ROWS, FEATURES = 2000, 60
_INFORMATIVE = 15


def noisy() -> Loaded:
    """Label = sign of the score of 15 columns among 60, then a fifth of all labels is turned over.

    Rows that a model is uncertain about are often just mislabelled ones.

    Examples
    --------
    >>> X, _, y = noisy()
    >>> X.shape, bool(0.4 < y.mean() < 0.6)
    ((2000, 60), True)
    """
    rng = np.random.default_rng(102)
    X, score = planted(rng, ROWS, _INFORMATIVE, FEATURES - _INFORMATIVE)
    y = (score > 0).astype(np.int64)
    wrong = rng.permutation(ROWS)[: ROWS // 5]
    y[wrong] = 1 - y[wrong]
    return X, None, y


NOISY = Source("NOISY", ROWS, FEATURES, make=noisy)
