"""From labels to the value and the bounds of every feature."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from activefs._kernels.counts import add_classes, change_cells, count_labels, sum_features, update_two_classes
from activefs._kernels.triangle import MAX_DRAWS, TriangularTable
from activefs.criteria import Criterion, MutualInformation, delta_per_class
from activefs.estimates._chance import Chance, whole_counts
from activefs.estimates._uncertain import UncertainRows
from activefs.intervals import ClopperPearson, Interval
from activefs.pool import Pool
from activefs.types import Floats, Int32s, Ints, Targets

_AT_ONCE = 1 << 16
"""Rows whose codes are looked at at a time, where many labels are told at once."""


class Estimates:
    """H_j, H^l_j and H^u_j of every feature, kept up to date label by label.

    H_j = sum_v p_v(j) value(q_v(j)) with the plug-in estimate of the class probabilities q_v(j); the
    bounds replace value by its smallest and largest value over a confidence box of q_v(j).
    A label changes one value of each feature, so it costs time proportional to d.

    A label that is not settled is told as class probabilities: the row is one draw of its values, and counts in each
    class as much as it is probable. The bounds take such counts as they take whole ones.

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
        Labelled rows per value and class; rows whose label is not settled are not in it.

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
        self._labels: dict[int, int] = {}  # -1: not settled
        self._n_counted = 0  # labels of which only counts are known
        self._uncertain = UncertainRows(pool, n_classes)
        self._chance: Chance | None = None
        self._reset()

    @classmethod
    def from_counts(cls, pool: Pool, counts: Int32s | Ints, *, criterion: Criterion | None = None) -> Estimates:
        """Make the estimates of labels that were counted, of all rows of a large table say; no row is remembered.

        Such estimates are final: rows can be neither added nor removed, nor does :meth:`labelled` know them.

        Parameters
        ----------
        pool : Pool
            The encoded table, with at least one feature.
        counts : array of shape (cells, C)
            Labelled rows per value and class, of at least two classes.
        criterion : Criterion, optional
            Impurity to be estimated.

        Examples
        --------
        >>> pool = Pool.from_table([["a"], ["a"], ["b"], ["b"]])
        >>> Estimates.from_counts(pool, np.array([[2, 0], [1, 1]])).value.round(4).tolist()
        [0.3466]
        """
        made = cls(pool, counts.shape[1], criterion=criterion)
        made.counts = counts.astype(np.int32)
        made._n_counted = int(counts[: int(pool.cardinalities[0])].sum())
        made._refresh()
        return made

    @property
    def n_labels(self) -> int:
        """How many labels were taken into account."""
        return len(self._labels) + self._n_counted

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
            self._chance = Chance(self.criterion, self.pool, self.draws(), self._class_counts(), self.unseen_value)
        return self._chance

    def labelled(self) -> tuple[Ints, Targets]:
        """Labelled rows and their class numbers, in the order in which they came.

        If a label is not settled, the class probabilities of all of them, of shape (t, C), instead of class numbers.
        """
        size = len(self._labels)
        rows = np.fromiter(self._labels, dtype=np.int64, count=size)
        classes = np.fromiter(self._labels.values(), dtype=np.int64, count=size)
        if not len(self._uncertain):
            return rows, classes
        shares = np.eye(self.n_classes)[classes]
        open_ones = np.flatnonzero(classes < 0)
        shares[open_ones] = [self._uncertain.rows[row] for row in rows[open_ones].tolist()]
        return rows, shares

    def add(self, row: int, label: int | Floats) -> None:
        """Take the label of a row that has none into account.

        Parameters
        ----------
        row : int
            The row.
        label : int or array of float, shape (C,)
            Its class number, or class probabilities.
        """
        if isinstance(label, np.ndarray) and label.ndim:
            self._take(np.array([row]), label[None])
            if row in self._uncertain.rows:
                self._change_uncertain(row)
                return
            label = self._labels[row]
        self._labels[row] = int(label)
        self._change(row, int(label), 1)

    def remove(self, row: int) -> None:
        """Take the label of a row back.

        Parameters
        ----------
        row : int
            A labelled row.
        """
        label = self._labels.pop(row)
        if label < 0:
            self._uncertain.remove(row)
            self._change_uncertain(row)
        else:
            self._change(row, label, -1)

    def add_many(self, rows: ArrayLike, labels: ArrayLike) -> None:
        """Take many labels into account at once.

        Parameters
        ----------
        rows : array-like of int, shape (t,)
            Rows that have no label.
        labels : array-like of int, shape (t,), or of float, shape (t, C)
            Their class numbers, or class probabilities.
        """
        at, given = np.asarray(rows, dtype=np.int64), np.asarray(labels)
        if given.ndim > 1:
            at, given = self._take(at, given)
        classes = given.astype(np.int64)
        for start in range(0, at.size, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            count_labels(self.pool.codes_of(at[some]), self.pool.offsets, classes[some], 1, self.counts)
        self._labels.update(zip(at.tolist(), classes.tolist(), strict=True))
        self._refresh()

    def draws(self, cells: Ints | None = None) -> Ints:
        """n(j, v): labelled rows of every cell, or of some.

        Parameters
        ----------
        cells : array of int, optional
            The cells; by default all.
        """
        if cells is not None:
            found = self.counts[cells].sum(axis=1, dtype=np.int64)
        else:
            found = np.empty(self.counts.shape[0], dtype=np.int64)
            add_classes(self.counts, found)
        if len(self._uncertain):
            found += self._uncertain.draws(slice(None) if cells is None else cells)
        return np.asarray(found)

    def spread_upper(self, cells: Ints) -> Floats:
        """UCB of the spread (g in the paper) of the given cells, by which labels are allocated.

        Parameters
        ----------
        cells : array of int
            The cells.
        """
        if self.n_classes > 2:
            stale = cells[np.isnan(self._cells[cells, 3])]
            if stale.size and len(self._uncertain):
                mixed = stale[self._uncertain.touch(stale)]
                self._cells[mixed, 3] = self.criterion.spread_upper(*self._boxes(*self._mixed(mixed)))
                stale = stale[~self._uncertain.touch(stale)]
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

        Parameters
        ----------
        features : array-like of int
            Numbers of features of the pool.

        Returns
        -------
        array of float, shape (C,)
            The shares.
        """
        per_feature = []
        for j in np.atleast_1d(np.asarray(features, dtype=np.int64)):
            cells = slice(int(self.pool.offsets[j]), int(self.pool.offsets[j + 1]))
            counts: Int32s | Floats = self.counts[cells]
            n = counts.sum(axis=1)
            if len(self._uncertain):
                counts, n = counts + self._uncertain.of(cells), n + self._uncertain.draws(cells)
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
        if len(self._uncertain):
            mixed = np.flatnonzero(self._uncertain.touch(slice(None)))
            self._cells[mixed] = self._statistics(*self._mixed(mixed))
        sum_features(self.pool.offsets, self.pool.shares, self._cells, self._totals)

    def expect(self, n_labels: int) -> None:
        """Prepare for so many labels, so that they need not wait for it; any thread may do that, at any time.

        Parameters
        ----------
        n_labels : int
            How many labels there may be.
        """
        if self.n_classes == 2:
            self._table.ensure(n_labels)

    def _change(self, row: int, label: int, sign: int) -> None:
        pool = self.pool
        self._chance = None
        looked_up = False
        touched = pool.cells_of(row)
        if self.n_classes == 2:
            self._table.ensure(self.n_labels)
            fresh = np.empty((pool.n_features, 4))
            looked_up = update_two_classes(touched, label, sign, MAX_DRAWS, self._table.entries, self.counts, fresh)
        else:
            self.counts[touched, label] += sign
        if not looked_up:
            fresh = self._statistics(self.counts[touched])
        if len(self._uncertain):
            self._mix(touched, fresh)
        change_cells(touched, fresh, pool.offsets, pool.shares, self._cells, self._totals)

    def _statistics(self, counts: Int32s | Floats, draws: Ints | None = None) -> Floats:
        """Value, lower, upper and spread of class counts, one row each; counts that are not whole come with draws."""
        n = counts.sum(axis=1, dtype=np.int64) if draws is None else draws
        if self.n_classes == 2:
            look_up = self._table.look_up if draws is None else self._table.compute
            return look_up(counts[:, 1], n)
        out = np.empty((len(counts), 4))
        q = counts / np.maximum(n, 1)[:, None]
        out[:, 0] = self.criterion.value(q)
        out[:, 1], out[:, 2] = self.criterion.bounds(*self._boxes(counts, draws))
        out[n == 0, 0] = self.unseen_value
        out[:, 3] = np.nan  # the spread is costly and wanted for few cells: see spread_upper
        return out

    def _boxes(self, counts: Int32s | Floats, draws: Ints | None = None) -> tuple[Floats, Floats]:
        """One interval per class for each row of counts."""
        each = counts.sum(axis=1, dtype=np.int64) if draws is None else draws
        n = np.broadcast_to(each[:, None], counts.shape)
        look_up = self._table.look_up if draws is None else self._table.compute
        found = look_up(counts.ravel(), n.ravel())
        return found[:, 0].reshape(counts.shape), found[:, 1].reshape(counts.shape)

    # --- labels that are not settled ---

    def _take(self, rows: Ints, shares: Floats) -> tuple[Ints, Ints]:
        """Keep class probabilities; return the rows that are certain after all, and their classes."""
        certain = (shares == 1.0).any(axis=1)
        classes = np.where(certain, shares.argmax(axis=1), -1)
        self._labels.update(zip(rows.tolist(), classes.tolist(), strict=True))
        if not certain.all():
            open_ones = zip(rows[~certain].tolist(), shares[~certain].astype(np.float64), strict=True)
            self._uncertain.add(dict(open_ones))
        return rows[certain], classes[certain]

    def _change_uncertain(self, row: int) -> None:
        """Compute the cells of a row anew that came or went without a settled label."""
        pool = self.pool
        self._chance = None
        touched = pool.cells_of(row)
        fresh = self._statistics(self.counts[touched])
        if len(self._uncertain):
            self._mix(touched, fresh)
        change_cells(touched, fresh, pool.offsets, pool.shares, self._cells, self._totals)

    def _mix(self, cells: Ints, fresh: Floats) -> None:
        """Replace the statistics of those cells that have rows whose label is not settled."""
        at = np.flatnonzero(self._uncertain.touch(cells))
        if at.size:
            fresh[at] = self._statistics(*self._mixed(cells[at]))

    def _mixed(self, cells: Ints) -> tuple[Floats, Ints]:
        """Class counts of cells, settled or not, and their draws."""
        return self.counts[cells] + self._uncertain.of(cells), self.draws(cells)

    def _class_counts(self) -> Ints:
        """Labelled rows of each class; where they are not settled, the whole numbers that come nearest."""
        # Every label is in one cell of the first feature.
        first = slice(0, int(self.pool.cardinalities[0]))
        known = self.counts[first].sum(axis=0, dtype=np.int64)
        if not len(self._uncertain):
            return np.asarray(known)
        wanted = known + self._uncertain.of(first).sum(axis=0)
        order = np.argsort(-wanted, kind="stable")  # of two that are as near, the larger one: classes have no order
        found: Ints = np.empty(self.n_classes, dtype=np.int64)
        found[order] = whole_counts(wanted[order] / wanted.sum(), len(self._labels))
        return found


def _unseen_value(criterion: Criterion, unseen: float, n_classes: int) -> float:
    share = float(criterion.binary_value(unseen) / criterion.binary_value(0.5))
    return share * float(criterion.value(np.full(n_classes, 1.0 / n_classes)))


# Tables depend on a few settings only: sessions with the same settings share them.
@lru_cache(maxsize=32)
def _table(criterion: Criterion, interval: Interval, delta: float, unseen: float, n_classes: int) -> TriangularTable:
    def two_classes(ones: Ints | Floats, n: Ints | Floats) -> Floats:
        low, high = interval.bounds(ones, n, delta)
        value = criterion.binary_value(np.where(n > 0, ones / np.maximum(n, 1), unseen))
        lower, upper = criterion.binary_bounds(low, high)
        return np.stack([value, lower, upper, criterion.binary_spread_upper(low, high)], axis=-1)

    def one_class_of_many(ones: Ints | Floats, n: Ints | Floats) -> Floats:
        return np.stack(interval.bounds(ones, n, delta_per_class(delta, n_classes)), axis=-1)

    return TriangularTable(two_classes if n_classes == 2 else one_class_of_many)
