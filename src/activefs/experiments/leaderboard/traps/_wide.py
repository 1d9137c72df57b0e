"""WIDE: twenty columns among ten thousand that say nothing."""

from __future__ import annotations

import numpy as np

from activefs.experiments.leaderboard.traps._planted import planted
from activefs.runs import Loaded, Source

ROWS, FEATURES = 1000, 10_020
_INFORMATIVE = 20


def wide() -> Loaded:
    """Label = sign of the score of 20 columns, beside 10,000 columns of noise, a little noise added to the score.

    By chance alone some of the noise looks informative, to labels and to models; and all of it together hides
    which rows resemble each other.

    Examples
    --------
    >>> X, _, y = wide()
    >>> X.shape, bool(0.4 < y.mean() < 0.6)
    ((1000, 10020), True)
    """
    rng = np.random.default_rng(104)
    X, score = planted(rng, ROWS, _INFORMATIVE, FEATURES - _INFORMATIVE)
    return X, None, (score + rng.normal(scale=0.3, size=ROWS) > 0).astype(np.int64)


WIDE = Source("WIDE", ROWS, FEATURES, make=wide)
