"""The assisted estimate: features judged by all rows, labels completed by a model."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.special import ndtri

from activefs._kernels import threads
from activefs._kernels.completion import sum_cells, sum_labelled
from activefs.criteria import Criterion
from activefs.estimates._cells import Cells, by_feature, cells_of, impurities, shares_of
from activefs.estimates._chance import Chance, whole_counts
from activefs.estimates._combine import combine
from activefs.estimates._label_based import LabelBased, label_based
from activefs.model import Completion, calibrated, calibrating_power, class_rates, tempered
from activefs.pool import Pool
from activefs.types import Floats, Ints, Matrix

_DRAWS = 40
_CANDIDATES = 200
_HALF_SHARPER = 0.1
"""Share of the label's impurity that a model must explain for its probabilities to be taken to the power 3/2."""
_COMPETING = 40
"""About as many models compete for the labels; those left out had a part in choosing among them."""


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

    Attributes
    ----------
    value : array of shape (d,)
        Estimates of value(Y | X_j); smaller is better.
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
    ) -> None:
        self.pool = pool
        self.criterion = criterion
        self._completion = completion
        self.delta = delta
        self._seed, self._threads = seed, n_threads
        self._codes = pool.codes if completion.rows.size == pool.n_rows else pool.codes[:, completion.rows]
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
        return int(self._completion.labels.size)

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
        """Whether the labels show, at confidence delta, that anything in the table has to do with them.

        Either the leave-one-out log-likelihood of the model is larger than that of the classes' shares, or the labels
        of a single value differ from the others by more than chance allows among so many values.
        """
        found = self._completion
        if np.unique(found.labels).size < 2:
            return False
        gain = found.gains
        spread = gain.std(ddof=1) * np.sqrt(gain.size)
        # 1/delta times as likely, not by a few labels alone, and by more than the best of many models gains by chance.
        chance = self.delta / 2 / _COMPETING
        if gain.sum() > max(-np.log(chance), -ndtri(chance) * spread):
            return True
        return bool(self._largest_deviation() > -ndtri(self.delta / 4 / max(1, int(self.pool.offsets[-1]))))

    def scores(self, features: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the quality value(Y) - value(Y | X_j) of features, with its lower and upper bounds."""
        least = 0.0 - self._taken_off[features]  # the quality of a feature that tells nothing
        scores = np.maximum(self.total - self.value[features], least)
        among, draws = self._with_draws(features)
        place = np.empty(self.pool.n_features, dtype=np.int64)
        place[among] = np.arange(among.size)
        some = draws[:, place[features]]
        low, high = np.quantile(some, [self.delta / 2, 1.0 - self.delta / 2], axis=0)
        if not self.informative:
            low = least
        if np.unique(self._completion.labels).size < 2:  # nothing is known: a feature may tell everything
            high = self.total + least
        return scores, np.clip(np.minimum(low, scores), least, None), np.maximum(high, scores)

    def expected_gap(self, leaders: Ints) -> float:
        """Return the quality that the leaders are expected to lack against the best choice of as many features."""
        among, draws = self._with_draws(leaders)
        best = -np.sort(-draws, axis=1)[:, : leaders.size].sum(axis=1)
        return float(np.mean(best - draws[:, np.isin(among, leaders)].sum(axis=1)))

    def drawn_values(self, wanted: Ints) -> Floats:
        """Return posterior draws of value(Y | X_j), of shape (draws, d): the features wanted and the likeliest vary."""
        among, draws = self._with_draws(wanted)
        values = np.tile(self.value, (len(draws), 1))
        values[:, among] = np.maximum(self.total - draws, 0.0)
        return values

    # --- inside ---

    def bounds(self) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of value(Y | X_j); equal to it for features that are far from the best."""
        among, _ = self._drawn_scores
        _, low, high = self.scores(among)
        lower, upper = self.value.copy(), self.value.copy()
        lower[among], upper[among] = self.total - high, self.total - low
        return np.minimum(lower, self.value), np.maximum(upper, self.value)

    @cached_property
    def _drawn_scores(self) -> tuple[Ints, Floats]:
        """The most likely features, and posterior draws of their quality."""
        size = min(self.pool.n_features, _CANDIDATES)
        among = np.sort(np.argpartition(self.value, size - 1)[:size])
        return among, self._draw_scores(among)

    def _with_draws(self, wanted: Ints) -> tuple[Ints, Floats]:
        """Return the same, and the features wanted: a rule may choose what looks less likely alone."""
        among, draws = self._drawn_scores
        others = np.setdiff1d(wanted, among)
        if others.size == 0:
            return among, draws
        return np.concatenate([among, others]), np.hstack([draws, self._draw_scores(others)])

    def _draw_scores(self, features: Ints) -> Floats:
        """Return posterior draws of the quality of features, moved so that their mean is the estimate."""
        draws = np.empty((_DRAWS, features.size))
        with threads.one_for_products():
            for b in range(_DRAWS):
                drawn = self._completion.posterior_draw(np.random.default_rng([self._seed, b]))
                table = self._with_labels(tempered(drawn, self._sharp_power), *self._certain)
                cells = cells_of(self.pool, features)
                mean = table.mean(axis=0, dtype=np.float64)
                q = shares_of(self._sums(table, features, cells), mean)
                value = impurities(self.pool, self.criterion, q, cells)
                draws[b] = float(self.criterion.value(mean)) - self._combined.drawn(value, features, b)
        return np.asarray(draws - draws.mean(axis=0) + (self.total - self.value[features]))

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
        return rows, np.eye(self._completion.n_classes)[labels]

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

    def _largest_deviation(self) -> float:
        """Return the largest difference of a cell's labels from the classes' shares, in standard errors."""
        found, pool = self._completion, self.pool
        seen = np.zeros((found.labels.size, found.n_classes + 1))
        seen[np.arange(found.labels.size), found.labels] = 1.0
        seen[:, -1] = 1.0
        counts = np.zeros((int(pool.offsets[-1]), found.n_classes + 1))
        sum_labelled(pool.codes, pool.offsets, found.labelled, seen, counts)
        rates = class_rates(found.labels, found.n_classes)
        n = counts[:, -1:]
        # Few labels are not normally distributed: one more of either kind is assumed.
        deviation = np.maximum(np.abs(counts[:, :-1] - n * rates) - 1.0, 0.0)
        return float(np.max(deviation / np.sqrt(np.maximum(n, 1.0) * rates * (1.0 - rates))))
