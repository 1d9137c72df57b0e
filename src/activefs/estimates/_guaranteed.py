"""Bounds that hold whatever the model says and however rows were chosen, because some of them were drawn at random."""

from __future__ import annotations

import numpy as np

from activefs._kernels import threads
from activefs._kernels.betting import bound_totals
from activefs.criteria import Criterion
from activefs.estimates._cells import by_feature, cells_of
from activefs.estimates._chance import Chance
from activefs.estimates._control_variates import ControlVariates
from activefs.estimates._draw_log import DrawLog
from activefs.pool import Pool
from activefs.types import Floats, Int32s, Ints

_BETS = np.array([0.9, 0.5, 0.25, 0.12, 0.06, 0.03])
"""Shares of the wealth that are staked. Large ones win with few draws, small ones with many; the widths of the bounds
hardly depend on them."""


class GuaranteedBounds:
    """Bounds of value(Y | X_j) of every feature in the pool with all its labels.

    They hold for all features and at all moments at once, with probability 1 - delta, for every table, every model and
    every way of choosing rows, if the rows that are said to have been drawn were drawn with the probabilities that are
    said. That is what the randomness is over; nothing is assumed about labels.

    For every value of every feature and every class, the number S of rows is bounded. A draw gives an estimate of what
    is still unknown of S that is right on average, Z = sum of g over open rows + (f - g) / pi: f is 1 if the row has
    this value and class, else 0, pi its probability, and g the prediction of f by a model that was made before the
    draw. Whoever bets that S is larger than s wins nothing on average if it is not, so wealth that grows by a factor of
    1 / alpha, at any moment, rules s out at confidence alpha (Ville's inequality; Waudby-Smith and Ramdas 2023). alpha
    is delta divided by the number of all these bounds. Rows that were chosen, or labelled before, count as what they
    are. The label of a row that has none may be anything.

    Parameters
    ----------
    pool : Pool
        The encoded table.
    criterion : Criterion
        The impurity.
    log : DrawLog
        In which order rows were drawn, chosen, and given back.
    counts : array of shape (cells, C)
        Labelled rows per value and class.
    delta : float
        Confidence parameter.
    all_classes : bool
        Whether there are no other classes than these C. If not, unknown labels may be of any others, and every class
        is bounded with the draws that came after it turned up first.
    control_variates : ControlVariates, optional
        Predictions; without them, what is known of a value so far predicts the rest.
    n_threads : int
        Threads; the result does not depend on it.

    Examples
    --------
    >>> from activefs.criteria import MutualInformation
    >>> X = np.arange(400).reshape(-1, 1) % 2
    >>> pool, rows = Pool.from_table(X), np.random.default_rng(0).permutation(400)[:100]
    >>> chance = [1 / (400 - t) for t in range(100)]
    >>> log = DrawLog.of(rows.tolist(), [False] * 100, chance, chance, X[rows, 0].tolist(), n_rows=400)
    >>> counts = np.diag(np.bincount(X[rows, 0])).astype(np.int32)
    >>> lower, upper = GuaranteedBounds(pool, MutualInformation(), log, counts).bounds(np.array([0]))
    >>> float(lower[0]), bool(upper[0] < 0.5)
    (0.0, True)
    """

    def __init__(
        self,
        pool: Pool,
        criterion: Criterion,
        log: DrawLog,
        counts: Int32s,
        *,
        delta: float = 0.05,
        all_classes: bool = True,
        control_variates: ControlVariates | None = None,
        n_threads: int = 1,
    ) -> None:
        self.pool, self.criterion, self.log = pool, criterion, log
        self._counts = counts.astype(np.int64)
        self._all_classes, self._threads = all_classes, n_threads
        n_classes, n_cells = counts.shape[1], int(pool.offsets[-1])
        if control_variates is None:
            control_variates = ControlVariates.of((), log, n_cells=n_cells, n_classes=n_classes + 1)
        self._predictions = control_variates
        if not all_classes:
            self._targets, self._first, alpha = self._as_they_turned_up(n_classes)
        elif n_classes == 2:  # the bounds of one class are those of the other
            self._targets, self._first, alpha = np.array([1]), np.array([0]), np.array([1.0])
        else:
            self._targets, self._first = np.arange(n_classes), np.zeros(n_classes, dtype=np.int64)
            alpha = np.full(n_classes, 1.0 / n_classes)
        # Each of the bounds, lower and upper, of every cell has its part of delta.
        self._limits = _BETS.size * 2.0 * n_cells / (delta * alpha)
        self._lower = np.full(pool.n_features, np.nan)
        self._upper = np.full(pool.n_features, np.nan)

    def bounds(self, features: Ints) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of the conditional impurity of some features; kept for the next time.

        Parameters
        ----------
        features : array of int
            Numbers of features of the pool.
        """
        new = np.unique(features[np.isnan(self._lower[features])])
        if new.size:
            self._lower[new], self._upper[new] = self._compute(new)
        return self._lower[features], self._upper[features]

    def totals(self, features: Ints) -> tuple[Ints, Ints]:
        """Return bounds of the numbers of rows, per cell of these features and class that is bounded.

        Parameters
        ----------
        features : array of int
            Numbers of features of the pool.
        """
        cells = cells_of(self.pool, features)
        low = np.empty((cells.numbers.size, self._targets.size), dtype=np.int64)
        high, log, g = np.empty_like(low), self.log, self._predictions
        codes = self.pool.codes_of(log.rows, features)

        def work(a: int, b: int) -> None:
            bound_totals(
                codes[a:b], self.pool.n_rows, self.pool.offsets, self.pool.value_counts, features[a:b], log.opens,
                log.weights, log.largest, log.labels, g.epochs, g.predicted, g.sums, g.least, g.most, self._counts,
                self._targets, self._first, self._limits, _BETS, cells.starts[a:b], low, high,
            )  # fmt: skip

        threads.in_blocks(work, features.size, self._threads, max(1, 20_000 // max(log.rows.size, 1)))
        # Bounds that contradict each other have failed, which happens with probability delta at most.
        failed = (low > high).any(axis=1)
        if failed.any():
            certain = self._certain(cells.numbers[failed])
            low[failed], high[failed] = certain
        return low, high

    def _certain(self, cells: Ints) -> tuple[Ints, Ints]:
        """Return what is certain without any chance: rows of a class that are known, and all that may be of it."""
        known = np.hstack([self._counts[cells], np.zeros((cells.size, 1), dtype=np.int64)])
        unknown = self.pool.value_counts[cells] - known.sum(axis=1)
        return known[:, self._targets], known[:, self._targets] + unknown[:, None]

    def _compute(self, features: Ints) -> tuple[Floats, Floats]:
        low, high = self.totals(features)
        cells = cells_of(self.pool, features)
        size = self.pool.value_counts[cells.numbers][:, None]
        below, above = low / size, high / size
        if self._all_classes and self._targets.size == 1:
            smallest, largest = self.criterion.binary_bounds(below[:, 0], above[:, 0])
        else:
            smallest, largest = self.criterion.bounds(below, above)
        if not self._all_classes:
            largest = largest + above[:, -1] * self._split(high[:, -1])
        shares = self.pool.shares[cells.numbers]
        lower, upper = by_feature(shares * smallest, cells), by_feature(shares * largest, cells)
        if self.criterion.adjusted:
            least, most = self._chance(features)
            lower, upper = lower + least, upper + most
        return lower, upper

    def _chance(self, features: Ints) -> tuple[Floats, Floats]:
        """Return limits of what chance alone would give to features; it is known once all classes are."""
        pool = self.pool
        class_counts = self._counts[: pool.cardinalities[0]].sum(axis=0)
        unknown = pool.n_rows - int(class_counts.sum())
        if unknown == 0:
            known = Chance(self.criterion, pool, pool.value_counts, class_counts, 0.0).expected[features]
            return known, known
        n_classes = class_counts.size + (0 if self._all_classes else unknown)
        most = self.criterion.most_by_chance(pool.cardinalities[features], n_classes, pool.n_rows)
        return np.zeros_like(most), most

    def _as_they_turned_up(self, n_classes: int) -> tuple[Ints, Ints, Floats]:
        """Return the classes and all others together, the move after which each was known of, and its part of delta.

        What a class is called is not known before its first label, so it can be bet on only after that. The r-th class
        has the part 1 / (r (r + 1)) of one half of delta, and so has in the other half all that are still unknown once
        there are r of them.
        """
        first = np.zeros(n_classes + 1, dtype=np.int64)
        for c in range(n_classes):
            seen = np.flatnonzero((self.log.labels == c) & ~self.log.opens)
            first[c] = seen[0] + 1 if seen.size else self.log.rows.size
        first[-1] = first[:-1].max(initial=0)
        rank = np.append(first[:-1].argsort(kind="stable").argsort(), n_classes - 1) + 1.0
        return np.arange(n_classes + 1), first, 0.5 / (rank * (rank + 1.0))

    def _split(self, rows: Ints) -> Floats:
        """Return the largest impurity of so many rows: each of them may be of a class of its own."""
        different, at = np.unique(np.maximum(rows, 1), return_inverse=True)
        return np.array([float(self.criterion.value(np.full(n, 1.0 / n))) for n in different.tolist()])[at]
