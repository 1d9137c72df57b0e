"""Pools whose labels are known but hidden from strategies, kept because many runs share them."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from activefs.criteria import Criterion
from activefs.model import Assistant
from activefs.pool import Pool, read_pool
from activefs.runs._gap import true_impurity
from activefs.runs._sources import Source, load
from activefs.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class LabelledPool:
    """A pool, the labels that a strategy has to ask for, and the truth that they imply.

    Attributes
    ----------
    pool : Pool
        The encoded table.
    y : array of int
        Class number of every row.
    truth : array of float
        Conditional impurity of every feature, given all labels.
    classes : tuple
        The label that each class number stands for.
    """

    pool: Pool
    y: Ints
    truth: Floats
    classes: tuple[Hashable, ...]

    @classmethod
    def of(
        cls, pool: Pool, y: Ints, *, criterion: Criterion | None = None, classes: Sequence[Hashable] | None = None
    ) -> LabelledPool:
        """Compute the truth; classes are called by their numbers unless they have names.

        Examples
        --------
        >>> import numpy as np
        >>> given = LabelledPool.of(Pool.from_table([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1, 1]))
        >>> given.truth.round(4).tolist(), given.classes
        ([0.0, 0.6931], (0, 1))
        """
        names = range(int(y.max()) + 1) if classes is None else classes
        return cls(pool, y, true_impurity(pool, y, criterion), tuple(names))

    def code_of(self, row: int) -> int:
        """Return the class number of a row."""
        return int(self.y[row])


@lru_cache(maxsize=16)
def labelled_pool(source: Source) -> LabelledPool:
    """Load a data set and compute the truth; kept, since a worker runs many work items of one data set."""
    features, names, y = load(source)
    return LabelledPool.of(read_pool(features, names=names, binning="none" if source.is_coded else "kmeans"), y)


def assistant_of(source: Source, seed: int) -> tuple[Assistant, float]:
    """Return the assistant of a run, whose seed is its own, and the seconds that the preparation of its rows took.

    Runs on a data set share what was prepared, unless the rows are so many that every seed samples others. Kept, as
    the estimates of a run come right after its labels.

    Examples
    --------
    >>> import numpy as np
    >>> def made():
    ...     return np.eye(6, 3, dtype=int), None, np.arange(6) % 2
    >>> tiny = Source("TINY", 6, 3, make=made)
    >>> assistant_of(tiny, 7)[0].seed, assistant_of(tiny, 8)[0].seed
    (7, 8)
    """
    found = _assistant_of(source, seed)
    if found[0].pool is not labelled_pool(source).pool:  # which was forgotten, and loaded again, since
        _assistant_of.cache_clear()
        _prepared.cache_clear()
        found = _assistant_of(source, seed)
    return found


@lru_cache(maxsize=1)
def _assistant_of(source: Source, seed: int) -> tuple[Assistant, float]:
    ready, seconds = _prepared(source)
    started = time.process_time()
    made = ready.with_seed(seed)
    return made, max(seconds, time.process_time() - started)


@lru_cache(maxsize=2)
def _prepared(source: Source) -> tuple[Assistant, float]:
    """Prepare the rows of a data set; kept, since shards come ordered by data set and this takes a while."""
    started = time.process_time()
    made = Assistant(labelled_pool(source).pool)
    return made, time.process_time() - started
