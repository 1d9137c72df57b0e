"""RARE: one row in a hundred is positive."""

from __future__ import annotations

import numpy as np

from activefs.experiments.leaderboard.traps._planted import planted
from activefs.runs import Loaded, Source

ROWS, FEATURES = 5000, 60
_INFORMATIVE = 15


def rare() -> Loaded:
    """Label = the hundredth of the rows with the largest score of 15 columns among 60, a little noise added.

    Most runs see no positive label for a long time.

    Examples
    --------
    >>> X, _, y = rare()
    >>> X.shape, float(y.mean())
    ((5000, 60), 0.01)
    """
    rng = np.random.default_rng(103)
    X, score = planted(rng, ROWS, _INFORMATIVE, FEATURES - _INFORMATIVE)
    score = score + rng.normal(scale=0.3, size=ROWS)
    y = np.zeros(ROWS, dtype=np.int64)
    y[np.argsort(score)[-ROWS // 100 :]] = 1
    return X, None, y


RARE = Source("RARE", ROWS, FEATURES, make=rare)
