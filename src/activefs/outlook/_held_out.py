"""Rows that a model is tried on, and means over them with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from activefs.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Labelled rows on which a model is tried, each without its own label.

    Attributes
    ----------
    places : array of int
        Which of the labels, as positions in their order.
    weights : array of float
        How much each counts: the inverse of the probability with which it was drawn, up to a factor.
    drawn : bool
        Whether all of them were drawn at random; otherwise some were chosen because their labels are hard to tell.

    Examples
    --------
    >>> some = HeldOut.alike(4)
    >>> some.size, some.what
    (4.0, '4 labelled rows')
    """

    places: Ints
    weights: Floats
    drawn: bool

    @classmethod
    def alike(cls, n_labels: int, *, drawn: bool = False) -> HeldOut:
        """All labels, each counting the same."""
        return cls(np.arange(n_labels), np.ones(n_labels), drawn)

    @classmethod
    def drawn_with(cls, weights: Mapping[int, float]) -> HeldOut:
        """Labels whose rows were drawn at random, by place, each with its weight.

        Examples
        --------
        >>> HeldOut.drawn_with({2: 1.0, 5: 2.0}).what
        '2 randomly drawn rows'
        """
        places = sorted(weights)
        return cls(np.asarray(places, dtype=np.int64), np.asarray([weights[i] for i in places], dtype=np.float64), True)

    @property
    def size(self) -> float:
        """As how many rows of equal weight they are worth."""
        return float(self.weights.sum() ** 2 / np.vdot(self.weights, self.weights)) if self.places.size else 0.0

    @property
    def what(self) -> str:
        """What the rows are, in words."""
        count = self.places.size
        return f"{count:,} {'randomly drawn' if self.drawn else 'labelled'} row{'' if count == 1 else 's'}"

    def mean(self, values: Floats, confidence: float = 0.95) -> Mean:
        """Average a number of each of the rows."""
        from scipy.special import stdtrit  # which takes a while to load for whoever only reads what was measured

        n = self.size
        total = self.weights.sum()
        middle = float(self.weights @ values / total)
        if n <= 1:
            return Mean(middle, -np.inf, np.inf)
        spread = np.sqrt(np.sum((self.weights * (values - middle)) ** 2)) / total * np.sqrt(n / (n - 1.0))
        half = float(stdtrit(n - 1.0, 0.5 + confidence / 2) * spread)
        return Mean(middle, middle - half, middle + half)

    def resampled(self, times: int) -> Floats:
        """Return weights of the rows as they might as well be, of shape (times, n): drawn again from themselves."""
        n = self.places.size
        counts = np.random.default_rng(0).multinomial(n, np.full(n, 1.0 / n), size=times)
        return np.asarray(counts * self.weights)

    def share(self, flags: Floats, confidence: float = 0.95) -> Mean:
        """Say how often something is so, with Wilson's (1927) interval."""
        from scipy.special import ndtri

        n, middle = self.size, float(self.weights @ flags / self.weights.sum())
        z = float(ndtri(0.5 + confidence / 2))
        centre = (middle + z * z / (2 * n)) / (1 + z * z / n)
        half = z * np.sqrt(middle * (1 - middle) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return Mean(middle, float(min(middle, max(0.0, centre - half))), float(max(middle, min(1.0, centre + half))))


class Mean(NamedTuple):
    """A mean and its interval."""

    value: float
    lower: float
    upper: float

    def widened(self, factor: float) -> Mean:
        """Return it with an interval that is so many times as wide."""
        return Mean(*(self.value + factor * (end - self.value) for end in self))
