"""Random tables with labels that some of their features tell about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from activefs.types import Ints


@dataclass(frozen=True)
class RandomProblem:
    """A table of whole numbers and one label per row.

    Attributes
    ----------
    X : array of int, shape (rows, columns)
        The table.
    y : array of int, shape (rows,)
        Class numbers.
    """

    X: Ints
    y: Ints


def random_problem(
    seed: int, cardinalities: Sequence[int] = (2, 3, 4, 5, 6, 7), *, rows: int = 90, classes: int = 2
) -> RandomProblem:
    """Make a table whose features have the given numbers of values; the first two drive the label.

    Parameters
    ----------
    seed : int
        The same seed makes the same table.
    cardinalities : sequence of int
        Number of values of each feature.
    rows : int, default 90
        Number of rows.
    classes : int, default 2
        Number of classes.

    Returns
    -------
    RandomProblem
        Table and labels.

    Examples
    --------
    >>> random_problem(0, (2, 3), rows=5).X.shape
    (5, 2)
    """
    rng = np.random.default_rng(seed)
    X = np.stack([rng.choice(c, size=rows, p=rng.dirichlet(np.full(c, 3.0))) for c in cardinalities], axis=1)
    X[:2] = [[0] * len(cardinalities), [c - 1 for c in cardinalities]]  # no column is constant
    y = np.where(X[:, 1] > 0, np.minimum(X[:, 0], classes - 1), 0)
    noisy = rng.random(rows) < 0.2
    y[noisy] = rng.integers(0, classes, size=int(noisy.sum()))
    return RandomProblem(X.astype(np.int64), y.astype(np.int64))
