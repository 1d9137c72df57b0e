"""XOR: no feature is informative alone."""

from __future__ import annotations

import numpy as np

from activefs.runs import Loaded, Source

ROWS, FEATURES = 2000, 40


def xor() -> Loaded:
    """Label = first bit xor second bit, all four combinations equally often: alone, neither tells anything.

    The other 38 columns are random bits. A model can learn the label perfectly; whoever takes what the model knows
    for what single features know is caught out. All gaps are tiny, because no choice of features is good.

    Examples
    --------
    >>> X, _, y = xor()
    >>> bool(np.all(y == X[:, 0] ^ X[:, 1])), [int(X[y == c, 0].sum()) for c in (0, 1)]
    (True, [500, 500])
    """
    rng = np.random.default_rng(101)
    X = rng.integers(0, 2, size=(ROWS, FEATURES), dtype=np.uint8)
    pairs = rng.permutation(ROWS) % 4
    X[:, 0], X[:, 1] = pairs // 2, pairs % 2
    return X, None, (X[:, 0] ^ X[:, 1]).astype(np.int64)


XOR = Source("XOR", ROWS, FEATURES, make=xor)
