"""From labels to the value and the bounds of every feature."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from activefs._kernels.counts import add_classes, change_cells, count_labels, sum_features, update_two_classes
from activefs._kernels.triangle import MAX_DRAWS, TriangularTable
from activefs.criteria import Criterion, MutualInformation, delta_per_class
from activefs.estimates._chance import Chance
from activefs.intervals import ClopperPearson, Interval
from activefs.pool import Pool
from activefs.types import Floats, Int32s, Ints


class Estimates:
    """H_j, H^l_j and H^u_j of every feature, kept up to date label by label.

    H_j = sum_v p_v(j) value(q_v(j)) with the plug-in estimate of the class probabilities q_v(j); the
    bounds replace value by its smallest and largest value over a confidence box of q_v(j).
    A label changes one value of each feature, so it costs time proportional to d.

    Parameters
    ----------
    pool : Pool
        The encoded table.
    n_classes : int, default 2
        Number of classes, at least 2.
    criterion : Criterion, default MutualInformation()
        Impurity to be estimated.
    interval : Interval, default ClopperPearson()
        Interval behind the bounds.
    delta : float, default 0.05
        Confidence parameter of the bounds of one value of one feature.
    unseen : float, default 0.5
        Probability assumed for a value that was never labelled. With more than two classes such
        a value gets the same fraction of the largest possible impurity.

    Attributes
    ----------
    value, lower, upper : array of shape (d,)
        Estimate and bounds of the conditional impurity; smaller is better. With a criterion that is counted from what
        chance would give, that is added.
    counts : array of shape (cells, C)
        Labelled rows per value and class.

    Examples
    --------
    >>> pool = Pool.from_table([["a"], ["a"], ["b"], ["b"]])
    >>> estimates = Estimates(pool)
    >>> estimates.add(0, 1)
    >>> estimates.value.round(4).tolist()  # value a is pure, value b unseen: ln(2) / 2
    [0.3466]
    """

    def __init__(
        self,
        pool: Pool,
        n_classes: int = 2,
        *,
        criterion: Criterion | None = None,
        interval: Interval | None = None,
        delta: float = 0.05,
        unseen: float = 0.5,
    ) -> None:
        self.pool = pool
        self.n_classes = n_classes
        self.criterion = criterion if criterion is not None else MutualInformation()
        self.interval = interval if interval is not None else ClopperPearson()
        self.delta = delta
        self.unseen = unseen
        self._table = _table(self.criterion, self.interval, delta, unseen, n_classes)
        self._labels: dict[int, int] = {}
        self._chance: Chance | None = None
        self._reset()

    @property
    def n_labels(self) -> int:
        """How many labels were taken into account."""
        return len(self._labels)

    @cached_property
    def unseen_value(self) -> float:
        """Impurity assumed for a value that was never labelled."""
        return _unseen_value(self.criterion, self.unseen, self.n_classes)

    @property
    def value(self) -> Floats:
        """H_j of every feature."""
        return self._column(0)

    @property
    def lower(self) -> Floats:
        """H^l_j of every feature."""
        return self._column(1)

    @property
    def upper(self) -> Floats:
        """H^u_j of every feature."""
        return self._column(2)

    @property
    def chance(self) -> Chance:
        """What features would show if the labels had nothing to do with them."""
        if self._chance is None:
            # Every label is in one cell of the first feature.
            class_counts = self.counts[: self.pool.cardinalities[0]].sum(axis=0, dtype=np.int64)
            self._chance = Chance(self.criterion, self.pool, self.draws(), class_counts, self.unseen_value)
        return self._chance

    def labelled(self) -> tuple[Ints, Ints]:
        """Labelled rows and their class numbers, in the order in which they came."""
        size = len(self._labels)
        rows = np.fromiter(self._labels, dtype=np.int64, count=size)
        return rows, np.fromiter(self._labels.values(), dtype=np.int64, count=size)

    def add(self, row: int, label: int) -> None:
        """Take the label (a class number) of a row that has none into account."""
        self._labels[row] = label
        self._change(row, label, 1)

    def remove(self, row: int) -> None:
        """Take the label of a row back."""
        self._change(row, self._labels.pop(row), -1)

    def add_many(self, rows: ArrayLike, labels: ArrayLike) -> None:
        """Take many labels into account at once."""
        at, classes = np.asarray(rows, dtype=np.int64), np.asarray(labels, dtype=np.int64)
        count_labels(self.pool.codes, self.pool.offsets, at, classes, 1, self.counts)
        self._labels.update(zip(at.tolist(), classes.tolist(), strict=True))
        self._refresh()

    def draws(self) -> Ints:
        """n(j, v): labelled rows of every cell."""
        found = np.empty(self.counts.shape[0], dtype=np.int64)
        add_classes(self.counts, found)
        return found

    def spread_upper(self, cells: Ints) -> Floats:
        """UCB of the spread (g in the paper) of the given cells, by which labels are allocated."""
        if self.n_classes > 2:
            stale = cells[np.isnan(self._cells[cells, 3])]
            if stale.size:
                patterns, inverse = np.unique(-np.sort(-self.counts[stale], axis=1), axis=0, return_inverse=True)
                spreads = self.criterion.spread_upper(*self._boxes(patterns))
                self._cells[stale, 3] = spreads[inverse.ravel()]
        return np.asarray(self._cells[cells, 3])

    def class_shares(self, features: ArrayLike) -> Floats:
        """P(Y = y), estimated by weighting the labels of each value with the value's share.

        Labels that were chosen do not show how common a class is; the mean over `features` of
        sum_v p_v q_v(y) corrects for the choice as far as these features drive it. Values never
        labelled are left out.
        """
        per_feature = []
        for j in np.atleast_1d(np.asarray(features, dtype=np.int64)):
            cells = slice(int(self.pool.offsets[j]), int(self.pool.offsets[j + 1]))
            counts = self.counts[cells]
            n = counts.sum(axis=1)
            seen = n > 0
            if seen.any():
                weight = self.pool.shares[cells][seen]
                q = counts[seen] / n[seen, None]
                per_feature.append(weight @ q / weight.sum())
        if not per_feature:
            return np.full(self.n_classes, 1.0 / self.n_classes)
        return np.asarray(np.mean(per_feature, axis=0))

    def _column(self, which: int) -> Floats:
        plain: Floats = self._totals[:, which]
        return plain + self.chance.expected if self.criterion.adjusted else plain

    def _reset(self) -> None:
        self.counts = np.zeros((int(self.pool.offsets[-1]), self.n_classes), dtype=np.int32)
        self._cells = np.empty((self.counts.shape[0], 4))
        self._totals = np.empty((self.pool.n_features, 3))
        self._refresh()

    def _refresh(self) -> None:
        """Compute everything from the counts."""
        self._chance = None
        self._cells[:] = self._statistics(self.counts)
        sum_features(self.pool.offsets, self.pool.shares, self._cells, self._totals)

    def _change(self, row: int, label: int, sign: int) -> None:
        pool = self.pool
        self._chance = None
        looked_up = False
        if self.n_classes == 2:
            self._table.ensure(self.n_labels)
            touched, fresh = np.empty(pool.n_features, dtype=np.int64), np.empty((pool.n_features, 4))
            looked_up = update_two_classes(
                pool.codes, pool.offsets, row, label, sign, MAX_DRAWS, self._table.entries, self.counts, touched, fresh
            )
        else:
            touched = pool.offsets[:-1] + pool.codes[:, row]
            self.counts[touched, label] += sign
        if not looked_up:
            fresh = self._statistics(self.counts[touched])
        change_cells(touched, fresh, pool.offsets, pool.shares, self._cells, self._totals)

    def _statistics(self, counts: Int32s) -> Floats:
        """Value, lower, upper and spread of class counts, one row each."""
        n = counts.sum(axis=1, dtype=np.int64)
        if self.n_classes == 2:
            return self._table.look_up(counts[:, 1], n)
        out = np.empty((len(counts), 4))
        q = counts / np.maximum(n, 1)[:, None]
        out[:, 0] = self.criterion.value(q)
        out[:, 1], out[:, 2] = self.criterion.bounds(*self._boxes(counts))
        out[n == 0, 0] = self.unseen_value
        out[:, 3] = np.nan  # the spread is costly and wanted for few cells: see spread_upper
        return out

    def _boxes(self, counts: Int32s) -> tuple[Floats, Floats]:
        """One interval per class for each row of counts."""
        n = np.broadcast_to(counts.sum(axis=1, dtype=np.int64)[:, None], counts.shape)
        found = self._table.look_up(counts.ravel(), n.ravel())
        return found[:, 0].reshape(counts.shape), found[:, 1].reshape(counts.shape)


def _unseen_value(criterion: Criterion, unseen: float, n_classes: int) -> float:
    share = float(criterion.binary_value(unseen) / criterion.binary_value(0.5))
    return share * float(criterion.value(np.full(n_classes, 1.0 / n_classes)))


# Tables depend on a few settings only: sessions with the same settings share them.
@lru_cache(maxsize=32)
def _table(criterion: Criterion, interval: Interval, delta: float, unseen: float, n_classes: int) -> TriangularTable:
    def two_classes(ones: Ints, n: Ints) -> Floats:
        low, high = interval.bounds(ones, n, delta)
        value = criterion.binary_value(np.where(n > 0, ones / np.maximum(n, 1), unseen))
        lower, upper = criterion.binary_bounds(low, high)
        return np.stack([value, lower, upper, criterion.binary_spread_upper(low, high)], axis=-1)

    def one_class_of_many(ones: Ints, n: Ints) -> Floats:
        return np.stack(interval.bounds(ones, n, delta_per_class(delta, n_classes)), axis=-1)

    return TriangularTable(two_classes if n_classes == 2 else one_class_of_many)
