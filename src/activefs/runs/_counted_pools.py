"""Pools whose labels lie beside the features, as one more line of codes: none of them is in memory."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from activefs.criteria import Criterion
from activefs.estimates import Estimates
from activefs.pool import Pool
from activefs.types import Floats, Ints


class HiddenLabels(Protocol):
    """A pool whose labels are known, but hidden from strategies: what a run needs of it.

    Attributes
    ----------
    pool : Pool
        The encoded table.
    truth : array of float
        Conditional impurity of every feature, given all labels.
    classes : tuple
        The label that each class number stands for.
    """

    @property
    def pool(self) -> Pool:
        """The encoded table."""

    @property
    def truth(self) -> Floats:
        """Conditional impurity of every feature, given all labels."""

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The label that each class number stands for."""

    def code_of(self, row: int) -> int:
        """Return the class number of a row."""


@dataclass(frozen=True, eq=False)
class CountedPool:
    """A pool that has class numbers as its last feature, which strategies do not see.

    The truth is counted where the rows are; the label of a row is looked up when it is asked.

    Attributes
    ----------
    whole : Pool
        Features and, as the last one, class numbers.
    pool : Pool
        Features only.
    estimates : Estimates
        What all labels say.
    truth : array of float
        Conditional impurity of every feature, given all labels.
    classes : tuple
        The label that each class number stands for.
    """

    whole: Pool
    pool: Pool
    estimates: Estimates
    truth: Floats
    classes: tuple[Hashable, ...]

    @classmethod
    def of(
        cls, whole: Pool, classes: Sequence[Hashable], *, criterion: Criterion | None = None, workers: int = 1
    ) -> CountedPool:
        """Count the rows of all values and classes.

        Examples
        --------
        >>> whole = Pool.from_table([["a", "x", 0], ["a", "y", 0], ["b", "x", 1], ["b", "y", 1]])
        >>> given = CountedPool.of(whole, ("ill", "healthy"))
        >>> given.truth.round(4).tolist(), given.classes[given.code_of(3)]
        ([0.0, 0.6931], 'healthy')
        """
        pool, label = whole.without_last(), whole.n_features - 1
        n_classes = int(whole.cardinalities[label])
        counts = np.zeros((int(pool.offsets[-1]), n_classes), dtype=np.int32)
        features = np.arange(pool.n_features)
        whole.count_pairs(
            features, np.full(pool.n_features, label), pool.offsets[:-1] * n_classes, counts.reshape(-1), workers
        )
        estimates = Estimates.from_counts(pool, counts, criterion=criterion)
        return cls(whole, pool, estimates, estimates.value.copy(), tuple(classes))

    def code_of(self, row: int) -> int:
        """Return the class number of a row."""
        label = self.whole.n_features - 1
        code = self.whole.codes_of(np.array([row]), np.array([label]))[0, 0]
        return int(self.whole.encodings[label].values[code])

    @property
    def class_counts(self) -> Ints:
        """Rows of each class."""
        start = int(self.whole.offsets[-2])
        found: Ints = np.zeros(len(self.classes), dtype=np.int64)
        found[list(self.whole.encodings[-1].values)] = self.whole.value_counts[start:]
        return found
