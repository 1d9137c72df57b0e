"""Small random tables whose labels are known: the worst that a certificate may meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from activefs.types import Ints

FEWEST, MOST = 40, 300
"""Rows."""


@dataclass(frozen=True, eq=False)
class SmallTable:
    """A table with all its labels.

    Attributes
    ----------
    name : str
        Its kind.
    X : array of shape (rows, columns)
        Values of features, 2 to 4 different ones.
    y : array of shape (rows,)
        Classes, 2 or 3.
    n_classes, k : int
        How many classes there are, and how many features are wanted.
    """

    name: str
    X: Ints
    y: Ints
    n_classes: int
    k: int


def small_table(seed: int) -> SmallTable:
    """Make a table; each seed another one, of any of the kinds.

    Examples
    --------
    >>> table = small_table(3)
    >>> FEWEST <= len(table.X) <= MOST, table.X.shape[1] > table.k
    (True, True)
    """
    rng = np.random.default_rng([seed, 12])
    name = list(KINDS)[seed % len(KINDS)]
    n_rows = int(np.exp(rng.uniform(np.log(FEWEST), np.log(MOST + 1))))
    while True:
        X, y, n_classes = KINDS[name](rng, n_rows)
        varies = [j for j in range(X.shape[1]) if np.unique(X[:, j]).size > 1]
        if len(varies) > 1 and np.unique(y).size == n_classes:
            return SmallTable(name, X[:, varies], y, n_classes, int(rng.integers(1, min(4, len(varies)))))


def _noise(rng: np.random.Generator, n_rows: int, n: int) -> Ints:
    return np.stack([rng.integers(0, rng.integers(2, 5), size=n_rows) for _ in range(n)], axis=1)


def _independent(rng: np.random.Generator, n_rows: int) -> tuple[Ints, Ints, int]:
    """Labels have nothing to do with any column."""
    n_classes = int(rng.integers(2, 4))
    return _noise(rng, n_rows, int(rng.integers(3, 8))), rng.integers(0, n_classes, size=n_rows), n_classes


def _planted(rng: np.random.Generator, n_rows: int) -> tuple[Ints, Ints, int]:
    """Some columns are the label with more and more errors."""
    n_classes = int(rng.integers(2, 4))
    y = rng.integers(0, n_classes, size=n_rows)
    told = [np.where(rng.random(n_rows) < wrong, rng.integers(0, n_classes, n_rows), y) for wrong in (0.1, 0.3, 0.5)]
    return np.column_stack([*told, _noise(rng, n_rows, int(rng.integers(2, 6)))]), y, n_classes


def _dependent(rng: np.random.Generator, n_rows: int) -> tuple[Ints, Ints, int]:
    """Columns that repeat each other, but for some rows."""
    base = rng.integers(0, 3, size=n_rows)
    copies = [np.where(rng.random(n_rows) < 0.1 * i, rng.integers(0, 3, n_rows), base) for i in range(4)]
    y = np.where(rng.random(n_rows) < 0.2, rng.integers(0, 2, n_rows), (base > 0).astype(np.int64))
    return np.column_stack([*copies, _noise(rng, n_rows, 2)]), y, 2


def _masked(rng: np.random.Generator, n_rows: int) -> tuple[Ints, Ints, int]:
    """Y = x1 where x3 = 0, else x2, with errors: rows chosen by one column mislead about another."""
    x1, x2 = rng.integers(0, 2, size=(2, n_rows))
    x3 = (rng.random(n_rows) < 0.35).astype(np.int64)
    y = np.where(x3 == 0, x1, x2) ^ (rng.random(n_rows) < 0.1)
    return np.column_stack([x1, x2, x3]), y.astype(np.int64), 2


def _rare(rng: np.random.Generator, n_rows: int) -> tuple[Ints, Ints, int]:
    """A class, and values, of few rows."""
    y = (rng.random(n_rows) < 0.08).astype(np.int64)
    x = np.where((y == 1) & (rng.random(n_rows) < 0.7), 3, rng.integers(0, 3, n_rows))
    return np.column_stack([x, (rng.random(n_rows) < 0.05).astype(np.int64), _noise(rng, n_rows, 3)]), y, 2


KINDS: dict[str, Callable[[np.random.Generator, int], tuple[Ints, Ints, int]]] = {
    "independent": _independent,
    "planted": _planted,
    "dependent": _dependent,
    "masked": _masked,
    "rare": _rare,
}
"""Kinds of tables, by name."""
