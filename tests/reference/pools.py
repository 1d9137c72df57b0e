"""Small random problems for tests."""

from collections.abc import Sequence

import numpy as np

CARDINALITIES = {
    "binary": (2, 2, 2, 2, 2),
    "mixed": (2, 3, 4, 5, 6, 7),
    "wide": (300, 2, 20, 5, 300),  # 300 x 20 values: more pairs than a table is kept for
}


def random_problem(
    seed: int,
    cardinalities: Sequence[int],
    m: int = 60,
    kind: str = "dense",
    n_classes: int = 2,
    noise: float = 0.2,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of integers and labels that depend on the first two features."""
    rng = np.random.default_rng(seed)
    columns = []
    for j, size in enumerate(cardinalities):
        if kind == "sparse" and j % 3 < 2:  # most rows have one value: 0, or the last
            column = rng.integers(0, size, size=m) * (rng.random(m) < 0.15)
            column = column if j % 2 == 0 else size - 1 - column
        else:
            column = rng.choice(size, size=m, p=rng.dirichlet(np.full(size, 2.0)))
        column[rng.choice(m, size=2, replace=False)] = [0, size - 1]  # no column is constant
        columns.append(column)
    X = np.stack(columns, axis=1).astype(np.int64)
    y = np.where(X[:, 1] > 0, np.minimum(X[:, 0], n_classes - 1), 0)
    flip = rng.random(m) < noise
    y[flip] = rng.integers(0, n_classes, size=flip.sum())
    return X, y
