"""The assisted estimate: features judged by all rows, labels completed by a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from activefs._kernels import threads
from activefs._kernels.completion import sum_cells
from activefs.criteria import Criterion, MutualInformation
from activefs.estimates._belief import Belief, Signs
from activefs.estimates._cells import Cells, by_feature, cells_of, impurities, shares_of
from activefs.estimates._chance import Chance, whole_counts
from activefs.estimates._combine import combine
from activefs.estimates._connection import is_connected
from activefs.estimates._constants import SHIPPED, BeliefConstants
from activefs.estimates._label_based import LabelBased, label_based
from activefs.model import (
    Completion,
    calibrated,
    calibrating_power,
    class_weights,
    one_hot,
    seen_classes,
    tempered,
)
from activefs.pool import Pool
from activefs.types import Floats, Ints, Matrix

_DRAWS = 40
_LEADING = 10
"""Features by which it is judged how far the model may be off; their number does not depend on k."""
_HALF_SHARPER = 0.1
"""Share of the label's impurity that a model must explain for its probabilities to be taken to the power 3/2."""


class AssistedEstimates:
    """Value(Y | X_j) of every feature from a completed table, with its uncertainty.

    Two estimates are combined (`combine`). The first, ``by_model``, relies on the model: q_v(j) is the mean over the
    pool's rows with x(j) = v of their class probabilities (their labels, where known), tempered so that they are
    calibrated on leave-one-out probabilities, and sharpened the more, the more the model explains; from the impurity
    of q_v(j) is subtracted what the chance of the labels that are still unknown takes away on average. The second,
    ``by_labels``, corrects the model by its errors among the labelled rows (`label_based`): it is right however wrong
    the model is, but noisy. How noisy is known, so how far the two differ beyond noise tells how wrong the model is:
    the more it is, and the more labels there are, the more the second counts.

    Parameters
    ----------
    pool : Pool
        The encoded table.
    completion : Completion
        What the model predicts.
    criterion : Criterion
        Impurity to be estimated.
    delta : float
        Confidence parameter of the bounds.
    seed : int
        Seed of the draws behind the bounds.
    n_threads : int
        Threads; the result does not depend on it.
    connected : callable, optional
        Says whether the labels have shown a connection with the table, asked when it is needed (`ShownConnection`).
    constants : BeliefConstants
        What other tables have shown about the errors of this estimate.

    Attributes
    ----------
    value : array of shape (d,)
        Estimates of value(Y | X_j) by which features are ranked; smaller is better. What is reported of them is
        `reported`: the sharpening that helps the order is not the best guess of the quality itself.
    total : float
        Estimate of value(Y).

    Examples
    --------
    >>> from activefs.model import Assistant
    >>> from activefs.criteria import MutualInformation
    >>> X = np.random.default_rng(0).integers(0, 3, size=(300, 4))
    >>> pool, rows = Pool.from_table(X), np.arange(60)
    >>> completion = Assistant(pool, seed=0).complete(rows, (X[rows, 2] > 0).astype(int), 2)
    >>> int(AssistedEstimates(pool, completion, MutualInformation()).value.argmin())
    2
    """

    def __init__(
        self,
        pool: Pool,
        completion: Completion,
        criterion: Criterion,
        *,
        delta: float = 0.05,
        seed: int = 0,
        n_threads: int = 1,
        connected: Callable[[], bool] | None = None,
        constants: BeliefConstants = SHIPPED,
    ) -> None:
        self.pool = pool
        self.criterion = criterion
        self._completion = completion
        self.delta = delta
        self._seed, self._threads = seed, n_threads
        self._connected, self._constants = connected, constants
        self._codes = pool.codes_of(completion.rows)
        at = np.searchsorted(completion.rows, completion.labelled)
        at = np.minimum(at, completion.rows.size - 1)
        here = completion.rows[at] == completion.labelled
        self._here = here
        self._known = at[here], completion.labels[here]
        power = calibrating_power(completion.leave_one_out, completion.labels)
        self._calibrated = tempered(completion.probabilities, power)
        self._sharp_power = power * (1.0 + self.explained / (self.explained + _HALF_SHARPER))
        self._completed = self._with_labels(tempered(completion.probabilities, self._sharp_power), *self._certain)
        self.total = float(criterion.value(self._completed.mean(axis=0, dtype=np.float64)))
        by_model, lost = self._by_model()
        self._combined = combine(by_model, self._by_labels(power))
        self.value = np.clip(self._combined.value - lost, 0.0, None)
        self._taken_off = self.chance.expected if criterion.adjusted else np.zeros(pool.n_features)
        self.value += self._taken_off

    @property
    def n_labels(self) -> int:
        """How many labels were taken into account."""
        return len(self._completion.labels)

    @cached_property
    def left_out(self) -> Floats:
        """Calibrated class probabilities of the labelled rows, each by models that had not seen its label."""
        found = self._completion
        return calibrated(found.leave_one_out, found.labels)

    @cached_property
    def chance(self) -> Chance:
        """What features would show if the completed labels had nothing to do with them."""
        n, shares = self._completion.rows.size, self._completed.mean(axis=0, dtype=np.float64)
        sizes = np.rint(self.pool.shares * n).astype(np.int64)
        unseen = float(self.criterion.value(shares))
        return Chance(self.criterion, self.pool, sizes, whole_counts(shares, n), unseen)

    @cached_property
    def explained(self) -> float:
        """Share of the label's impurity that the model explains, by its calibrated probabilities."""
        mean = float(self.criterion.value(self._calibrated).mean())
        whole = float(self.criterion.value(self._calibrated.mean(axis=0)))
        return max(0.0, 1.0 - mean / whole) if whole > 0 else 0.0

    @cached_property
    def informative(self) -> bool:
        """Whether the labels have shown, at confidence delta, that anything in the table has to do with them.

        By what was given as `connected`, else by a test of the labels as they are now (`is_connected`).
        """
        if self._connected is None:
            return is_connected(self.pool, self._completion, self.delta)
        return self._connected()

    @cached_property
    def reported(self) -> Floats:
        """The quality of every feature as it is reported: what is expected of it, which the ranking value is not.

        The order is the same.
        """
        if not self._two_classes:  # there is nothing that errors could be judged by
            return np.maximum(self.total - self.value, -self._taken_off)
        return np.asarray(self._within(self._belief.reported) - self._taken_off)

    def scores(self, features: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the reported quality of features, with bounds that are believed to hold with probability 1 - delta.

        Parameters
        ----------
        features : array of int
            Numbers of features of the pool.

        Returns
        -------
        score, lower, upper : array of float
            One entry per feature.
        """
        low, high = self._bounds
        return self.reported[features], low[features], high[features]

    def bounds(self) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of value(Y | X_j) that are believed to hold; the ranking value is in them."""
        low, high = self._bounds
        return np.minimum(self.total - high, self.value), np.maximum(self.total - low, self.value)

    def comparing_bounds(self) -> tuple[Floats, Floats]:
        """Return bounds of value(Y | X_j) where features are compared: what errors have in common changes no order."""
        low, high = self._comparing.own_bounds(self.delta)
        return np.minimum(self.total - high, self.value), np.maximum(self.total - low, self.value)

    def probability(self, k: int) -> Floats:
        """Return for every feature the believed probability that it belongs to the true k best ones.

        Parameters
        ----------
        k : int
            How many.

        Returns
        -------
        array of float, shape (d,)
            They add up to k.
        """
        return self._comparing.probability(k)

    def expected_gap(self, leaders: Ints) -> float:
        """Return the quality that the leaders are expected to lack against the best choice of as many features.

        Parameters
        ----------
        leaders : array of int
            Numbers of features of the pool.
        """
        return self._comparing.expected_gap(leaders)

    def expected_lack(self, lacking: Callable[[Floats], float], n_draws: int) -> float:
        """Return what is expected of something that depends on value(Y | X_j) of all features, which is drawn often.

        Parameters
        ----------
        lacking : callable
            Gives what is lacking if these are the values of all features.
        n_draws : int
            How often values are drawn.
        """
        return self._comparing.expected_lack(lambda qualities: lacking(self.total - qualities), n_draws)

    # --- inside ---

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the quality of all features."""
        low, high = (self._within(bound) for bound in self._belief.bounds(self.delta))
        if not self.informative:
            low = np.zeros_like(low)
        if not self._two_classes:  # nothing is known: a feature may tell everything
            high = np.full_like(high, self.total)
        reported = self.reported + self._taken_off
        return np.minimum(low, reported) - self._taken_off, np.maximum(high, reported) - self._taken_off

    @property
    def _two_classes(self) -> bool:
        """Whether labels of two classes have been seen."""
        return seen_classes(self._completion.labels).size > 1

    def _within(self, qualities: Floats) -> Floats:
        """Return qualities of which none is above what there is to know."""
        n_classes = self._completion.n_classes
        return np.minimum(qualities, float(self.criterion.value(np.full(n_classes, 1.0 / n_classes))))

    @cached_property
    def _belief(self) -> Belief:
        """What is believed of the quality of all features, chance not taken off."""
        return Belief(self._all_roots, self._signs, self._constants, self._seed)

    @cached_property
    def _comparing(self) -> Belief:
        """What is believed of features as they are ranked: with an adjusted criterion, chance is taken off."""
        if not self.criterion.adjusted:
            return self._belief
        return Belief(np.sqrt(np.maximum(self.total - self.value, 0.0)), self._signs, self._constants, self._seed)

    @cached_property
    def _all_roots(self) -> Floats:
        return np.sqrt(np.maximum(self.total - self.value + self._taken_off, 0.0))

    @cached_property
    def _signs(self) -> Signs:
        """What tells how far the estimates may be off."""
        size = min(_LEADING, max(self.pool.n_features - 1, 1))
        leading = np.sort(np.argpartition(self.value, size - 1)[:size])
        roots = self._all_roots[leading]
        calm, sharp = (self._roots(table, leading) for table in (self._softly_completed, self._completed))
        shares = self._completed.mean(axis=0, dtype=np.float64)
        entropy = float(MutualInformation().value(shares))
        labels_of = class_weights(self._completion.labels, self._completion.n_classes)
        return Signs(
            n_labels=self._n_certain,
            n_rows=self.pool.n_rows,
            seen=int(np.count_nonzero(labels_of)),
            seen_once=int(np.count_nonzero((labels_of > 0) & (labels_of <= 1))),
            connected=self.informative,
            unexplained=1.0 - self.explained,
            level=float(roots.mean()),
            sharpening=max(float((sharp - calm).mean()), 0.0),
            scatter=self._scatter(leading, roots),
            unit=float(self.criterion.value(shares)) / entropy if entropy > 0 else 1.0,
        )

    @property
    def _n_certain(self) -> float:
        """How many labels there are; one that is not settled counts the less, the more it may be of any class."""
        labels = self._completion.labels
        if labels.ndim == 1:
            return self.n_labels
        impurity = 1.0 - (labels * labels).sum(axis=1)
        return float((1.0 - impurity / (1.0 - 1.0 / labels.shape[1])).sum())

    @property
    def _softly_completed(self) -> Matrix:
        """The table as the model completes it without sharpening."""
        return self._with_labels(self._calibrated, *self._certain)

    def _scatter(self, leading: Ints, roots: Floats) -> float:
        """Return how far roots of leading features scatter over posterior draws, but for what they have in common."""
        drawn = np.empty((_DRAWS, leading.size))
        with threads.one_for_products():
            for b in range(_DRAWS):
                probabilities = self._completion.posterior_draw(np.random.default_rng([self._seed, b]))
                table = self._with_labels(tempered(probabilities, self._sharp_power), *self._certain)
                drawn[b] = self._roots(table, leading)
        drawn -= drawn.mean(axis=0)
        share = np.minimum(roots / max(float(roots.mean()), 1e-9), 1.0)
        return float((drawn - drawn.mean(axis=1, keepdims=True) * share).std(axis=0).mean())

    def _roots(self, table: Matrix, features: Ints) -> Floats:
        """Return the square roots of the qualities of features in a completed table."""
        cells = cells_of(self.pool, features)
        mean = table.mean(axis=0, dtype=np.float64)
        q = shares_of(self._sums(table, features, cells), mean)
        quality = float(self.criterion.value(mean)) - impurities(self.pool, self.criterion, q, cells)
        return np.sqrt(np.maximum(quality, 0.0))

    def _by_model(self) -> tuple[Floats, Floats]:
        """Return conditional impurities if the model is right, and what the chance of unknown labels takes off.

        The class shares of a value with n rows have variance sum_i p_i (1 - p_i) / n^2. That favours features
        with many values, in the table with all labels as well.
        """
        every = np.arange(self.pool.n_features)
        cells = cells_of(self.pool, every)
        table = self._completed
        sums, variances = np.hsplit(self._sums(np.hstack([table, table * (1.0 - table)]), every, cells), 2)
        q = shares_of(sums, table.mean(axis=0, dtype=np.float64))
        n = np.maximum(sums.sum(axis=1, keepdims=True), 1e-9)
        in_pool = np.maximum(self.pool.value_counts[cells.numbers], 1)[:, None]
        lost = self.criterion.lost_by_chance(q, variances / n / in_pool)
        return impurities(self.pool, self.criterion, q, cells), by_feature(
            self.pool.shares[cells.numbers] * lost, cells
        )

    def _by_labels(self, power: float) -> LabelBased:
        """Return the estimate that the labels correct."""
        found = self._completion
        left_out = tempered(found.leave_one_out, power).astype(np.float32).astype(np.float64)  # as in the table
        rows, _ = self._known
        table = self._with_labels(self._calibrated, rows, left_out[self._here])
        every = np.arange(self.pool.n_features)
        cells = cells_of(self.pool, every)
        # Counted, not added up: residuals must cancel to the last digit once all rows are labelled.
        sums = self._sums(np.hstack([table, np.ones((len(table), 1), dtype=np.float32)]), every, cells)
        shares = shares_of(sums[:, :-1], table.mean(axis=0, dtype=np.float64), sums[:, -1:])
        return label_based(self.pool, self.criterion, shares, found.labelled, found.labels, left_out, self._seed)

    @cached_property
    def _certain(self) -> tuple[Ints, Floats]:
        """The labelled rows among those asked about, and their labels as probabilities."""
        rows, labels = self._known
        return rows, one_hot(labels, self._completion.n_classes)

    def _with_labels(self, probabilities: Floats, rows: Ints, instead: Floats) -> Matrix:
        """Return the probabilities of the rows, some of them replaced."""
        table = probabilities.astype(np.float32)
        table[rows] = instead
        return table

    def _sums(self, table: Matrix, features: Ints, cells: Cells) -> Floats:
        """Return the sums of probabilities over the rows of each cell."""
        sums = np.zeros((cells.numbers.size, table.shape[1]))
        threads.in_blocks(
            lambda a, b: sum_cells(self._codes, features[a:b], cells.starts[a:b], table, sums),
            features.size,
            self._threads,
            max(1, 2_000_000 // max(len(table), 1)),
        )
        return sums
