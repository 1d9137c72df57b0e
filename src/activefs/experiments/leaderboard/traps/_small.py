"""SMALL: two hundred rows are all there is."""

from __future__ import annotations

import numpy as np

from activefs.experiments.leaderboard.traps._planted import planted
from activefs.runs import Loaded, Source

ROWS, FEATURES = 200, 40
_INFORMATIVE = 10


def small() -> Loaded:
    """Label = sign of the score of 10 columns among 40, a little noise added, 200 rows only.

    There are few rows to complete: a model has little to add to the labels themselves.

    Examples
    --------
    >>> X, _, y = small()
    >>> X.shape, bool(0.3 < y.mean() < 0.7)
    ((200, 40), True)
    """
    rng = np.random.default_rng(105)
    X, score = planted(rng, ROWS, _INFORMATIVE, FEATURES - _INFORMATIVE)
    return X, None, (score + rng.normal(scale=0.3, size=ROWS) > 0).astype(np.int64)


SMALL = Source("SMALL", ROWS, FEATURES, make=small)
