"""What a strategy is given, and what it gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from activefs.estimates import Estimates
from activefs.exceptions import InvalidInputError
from activefs.pool import Pool

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Scores and estimates that differ by less than this, relatively, are taken as tied: they differ only
# in the order in which the same numbers were added.
TIE = 1e-12


@dataclass(frozen=True)
class State:
    """All that a strategy may know when it chooses the next row; labels enter only as estimates.

    Attributes
    ----------
    pool : Pool
        The encoded table.
    estimates : Estimates
        Counts, values and bounds from all labels so far.
    k : int
        Number of features wanted.
    labelled : array of int
        Labelled rows in the order of their labels.
    pending : array of int
        Rows asked and not yet answered.
    available : array of bool
        Rows that may be asked; at least one is True.
    history : sequence of float
        Sum of the k smallest estimates before each question whose answer has arrived, and now.
    threads : int
        Threads that may be used; the choice must not depend on it.
    """

    pool: Pool
    estimates: Estimates
    k: int
    labelled: Ints
    pending: Ints
    available: NDArray[np.bool_]
    history: Sequence[float]
    threads: int = 1


class Strategy(ABC):
    """A way of choosing the next row to label.

    A strategy is a function of the state and the random generator: it may cache what it computed,
    but the same state and generator give the same row. Parameters are keyword arguments of
    ``__init__``; they are checked there.
    """

    name: ClassVar[str]
    unseen: float = 0.5
    """Class probability assumed for values that were never labelled."""

    @abstractmethod
    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Choose one of the available rows."""


def pick_random(available: NDArray[np.bool_], rng: np.random.Generator) -> int:
    """Choose one available row, all alike."""
    rows = np.flatnonzero(available)
    return int(rows[rng.integers(rows.size)])


def pick_best(scores: Floats, available: NDArray[np.bool_], rng: np.random.Generator) -> int:
    """Choose the available row with the largest score, ties broken at random.

    Examples
    --------
    >>> import numpy as np
    >>> pick_best(np.array([1.0, 3.0, 2.0]), np.array([True, False, True]), np.random.default_rng(0))
    2
    """
    best = scores[available].max()
    return pick_random(available & (scores >= best - TIE * abs(best)), rng)


def smallest(values: Floats, k: int, rng: np.random.Generator) -> Ints:
    """Positions of the k smallest values, in ascending position, ties at the border broken at random.

    Examples
    --------
    >>> import numpy as np
    >>> smallest(np.array([0.3, 0.1, 0.2]), 2, np.random.default_rng(0)).tolist()
    [1, 2]
    """
    border = np.partition(values, k - 1)[k - 1]
    margin = TIE * max(abs(border), 1.0)
    inside = np.flatnonzero(values < border - margin)
    tied = np.flatnonzero(np.abs(values - border) <= margin)
    chosen = rng.permutation(tied)[: k - inside.size]
    return np.sort(np.concatenate([inside, chosen]))


def check_positive(name: str, value: object, *, optional: bool = False) -> None:
    """Refuse a parameter that is not a whole number of at least 1 (or None, if optional)."""
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        allowed = "a whole number of at least 1" + (" or None" if optional else "")
        raise InvalidInputError(f"{name} must be {allowed}, got {value!r}")


def check_fraction(name: str, value: object) -> None:
    """Refuse a parameter that is not a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= float(value) <= 1:
        raise InvalidInputError(f"{name} must be a number between 0 and 1, got {value!r}")
