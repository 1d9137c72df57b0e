"""Tables of random columns, some of which drive a score."""

from __future__ import annotations

import numpy as np

from activefs.types import Codes, Floats


def planted(rng: np.random.Generator, rows: int, informative: int, noise: int) -> tuple[Codes, Floats]:
    """Draw columns of three values each, and a score of mean 0 and spread 1 to which the informative ones add.

    Their weights fall from 1 to 1/3, so that some are easier to find than others; they stand at random places.

    Examples
    --------
    >>> X, score = planted(np.random.default_rng(0), 50, 2, 4)
    >>> X.shape, score.shape
    ((50, 6), (50,))
    """
    X = rng.integers(0, 3, size=(rows, informative + noise), dtype=np.uint8)
    weights = np.linspace(1.0, 1 / 3, informative)
    score = (X[:, :informative].astype(np.float64) - 1.0) @ weights
    return X[:, rng.permutation(X.shape[1])], (score - score.mean()) / score.std()
