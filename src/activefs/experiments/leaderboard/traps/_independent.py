"""INDEPENDENT: labels that have nothing to do with anything."""

from __future__ import annotations

import numpy as np

from activefs.runs import Loaded, Source

ROWS, FEATURES = 1500, 40


def independent() -> Loaded:
    """Labels by the toss of a coin, beside 40 columns of three values each.

    Whoever is sure of anything here is wrong. What the columns tell about the labels of all rows is chance.

    Examples
    --------
    >>> X, _, y = independent()
    >>> X.shape, bool(0.45 < y.mean() < 0.55)
    ((1500, 40), True)
    """
    rng = np.random.default_rng(106)
    X = rng.integers(0, 3, size=(ROWS, FEATURES), dtype=np.uint8)
    return X, None, rng.integers(0, 2, size=ROWS, dtype=np.int64)


INDEPENDENT = Source("INDEPENDENT", ROWS, FEATURES, make=independent)
