"""The assisted estimate: features judged by all rows, labels completed by a model."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from activefs._kernels import threads
from activefs._kernels.completion import sum_cells, sum_labelled
from activefs.criteria import Criterion
from activefs.estimates._chance import Chance, whole_counts
from activefs.model import Completion, calibrating_power, class_rates, tempered
from activefs.pool import Pool
from activefs.types import Floats, Ints, Matrix

_DRAWS = 40
_CANDIDATES = 200
_SHARPER = 2.0
"""Power on top of the calibrating one: a feature's value is judged by many rows, whose errors cancel out."""
_HALF_RELIABLE = 0.05
"""Share of the label's impurity that a model must explain for its reliability to be a half."""
_SIGNIFICANT = 2.0
"""Standard errors from which on the labels of a value correct the model."""
_SMALLEST_VARIANCE = 0.01
_COMPETING = 40
"""About as many models compete for the labels; those left out had a part in choosing among them."""


class Cells(NamedTuple):
    """The cells of some features, one feature after the other.

    Attributes
    ----------
    numbers : array of int
        Which cells of the pool they are.
    starts : array of int
        Where the cells of each feature begin.
    owners : array of int
        The feature that each cell belongs to, as a position among these features.
    """

    numbers: Ints
    starts: Ints
    owners: Ints


class AssistedEstimates:
    """Value(Y | X_j) of every feature from a completed table, with its uncertainty.

    Two estimates are mixed. The first relies on the model: q_v(j) is the mean over the pool's rows with x(j) = v
    of their class probabilities (their labels, where known), tempered so that they are calibrated on leave-one-out
    probabilities, then sharpened. The second corrects the model by its errors: to the mean probability the mean
    residual of the labelled rows with that value is added, as far as it is significant. If the model explains next to
    nothing, that is the plug-in estimate. The weight of the first, the reliability of the model, is v / (v + 0.05),
    where v is the share of the label's impurity that the model explains.

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
        self._delta, self._seed, self._threads = delta, seed, n_threads
        self._codes = pool.codes if completion.rows.size == pool.n_rows else pool.codes[:, completion.rows]
        at = np.searchsorted(completion.rows, completion.labelled)
        at = np.minimum(at, completion.rows.size - 1)
        here = completion.rows[at] == completion.labelled
        self._known = at[here], completion.labels[here]
        self._power = _SHARPER * calibrating_power(completion.leave_one_out, completion.labels)
        self._residuals = self._cell_residuals()
        self.value, self.total = self._estimate(completion.probabilities, np.arange(pool.n_features), None)
        self._taken_off = self.chance.expected if criterion.adjusted else np.zeros(pool.n_features)
        self.value += self._taken_off

    @property
    def n_labels(self) -> int:
        """How many labels were taken into account."""
        return int(self._completion.labels.size)

    @cached_property
    def chance(self) -> Chance:
        """What features would show if the completed labels had nothing to do with them."""
        n, shares = self._completion.rows.size, self._with_labels(self._completion.probabilities).mean(0, np.float64)
        sizes = np.rint(self.pool.shares * n).astype(np.int64)
        unseen = float(self.criterion.value(shares))
        return Chance(self.criterion, self.pool, sizes, whole_counts(shares, n), unseen)

    @cached_property
    def explained(self) -> float:
        """Share of the label's impurity that the model explains, by its own probabilities."""
        mean = float(self.criterion.value(self._completion.probabilities).mean())
        whole = float(self.criterion.value(self._completion.probabilities.mean(axis=0)))
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
        at = np.arange(found.labels.size)
        rates = _left_out_rates(found.labels, found.n_classes)
        gain = np.log(np.maximum(found.leave_one_out[at, found.labels], 1e-6)) - np.log(rates)
        spread = gain.std(ddof=1) * np.sqrt(gain.size)
        # 1/delta times as likely, not by a few labels alone, and by more than the best of many models gains by chance.
        chance = self._delta / 2 / _COMPETING
        if gain.sum() > max(-np.log(chance), -ndtri(chance) * spread):
            return True
        return bool(self._largest_deviation() > -ndtri(self._delta / 4 / max(1, int(self.pool.offsets[-1]))))

    def scores(self, features: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the quality value(Y) - value(Y | X_j) of features, with its lower and upper bounds."""
        least = 0.0 - self._taken_off[features]  # the quality of a feature that tells nothing
        scores = np.maximum(self.total - self.value[features], least)
        among, draws = self._with_draws(features)
        place = np.empty(self.pool.n_features, dtype=np.int64)
        place[among] = np.arange(among.size)
        some = draws[:, place[features]]
        low, high = np.quantile(some, [self._delta / 2, 1.0 - self._delta / 2], axis=0)
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
                rng = np.random.default_rng([self._seed, b])
                value, total = self._estimate(self._completion.posterior_draw(rng), features, rng)
                draws[b] = total - value
        return np.asarray(draws - draws.mean(axis=0) + (self.total - self.value[features]))

    def _estimate(self, probabilities: Floats, features: Ints, rng: np.random.Generator | None) -> tuple[Floats, float]:
        """Return conditional impurities and the impurity of the label; with `rng`, for residuals drawn anew."""
        reliability = self.explained / (self.explained + _HALF_RELIABLE)
        sharp, plain = self._with_labels(tempered(probabilities, self._power)), self._with_labels(probabilities)
        cells = _cells_of(self.pool, features)
        sums = np.hsplit(self._sums(np.hstack([sharp, plain]), features, cells), 2)  # both at once: rows are read once
        value, total = self._impurities(sharp, sums[0], cells, None)
        corrected, corrected_total = self._impurities(plain, sums[1], cells, self._correction(cells, rng))
        return (
            reliability * value + (1.0 - reliability) * corrected,
            reliability * total + (1.0 - reliability) * corrected_total,
        )

    def _with_labels(self, probabilities: Floats) -> Matrix:
        """Return the probabilities of the rows; where the label is known, it is certain."""
        table = probabilities.astype(np.float32)
        rows, labels = self._known
        table[rows] = 0.0
        table[rows, labels] = 1.0
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

    def _impurities(self, table: Matrix, sums: Floats, cells: Cells, shift: Floats | None) -> tuple[Floats, float]:
        """Return conditional impurities and the impurity of the label, cells corrected by `shift`."""
        mean = table.mean(axis=0, dtype=np.float64)
        n = sums.sum(axis=1, keepdims=True)
        q = np.where(n > 0.5, sums / np.maximum(n, 1e-9), mean)
        if shift is not None:
            q = np.clip(q + shift, 0.0, 1.0)
            q /= np.maximum(q.sum(axis=1, keepdims=True), 1e-9)
        weighted = self.pool.shares[cells.numbers] * self.criterion.value(q)
        summed = np.bincount(cells.owners, weights=weighted, minlength=cells.starts.size).astype(np.float64)
        return summed, float(self.criterion.value(mean))

    def _cell_residuals(self) -> tuple[Floats, Floats]:
        """Return the mean of label minus probability among the labelled rows of each cell, and its standard error.

        Both are scaled by the share of the cell's rows that have no label.
        """
        found, pool = self._completion, self.pool
        residual = -found.leave_one_out
        residual[np.arange(found.labels.size), found.labels] += 1.0
        variance = np.maximum(found.leave_one_out * (1.0 - found.leave_one_out), _SMALLEST_VARIANCE)
        amounts = np.hstack([residual, variance, np.ones((found.labels.size, 1))])
        sums = np.zeros((int(pool.offsets[-1]), amounts.shape[1]))
        sum_labelled(pool.codes, pool.offsets, found.labelled, amounts, sums)
        n = np.maximum(sums[:, -1:], 1.0)
        c = found.n_classes
        # Rows with a label need no correction.
        unknown = 1.0 - sums[:, -1:] / np.maximum(pool.value_counts[:, None], 1)
        return unknown * sums[:, :c] / n, unknown * np.sqrt(sums[:, c:-1]) / n

    def _correction(self, cells: Cells, rng: np.random.Generator | None) -> Floats:
        """Return what the labels of each cell add to the model: the residual, shrunk to 0 where it may be chance."""
        residual, error = self._residuals[0][cells.numbers], self._residuals[1][cells.numbers]
        if rng is not None:
            residual = residual + error * rng.standard_normal(residual.shape)
        kept = np.maximum(0.0, 1.0 - (_SIGNIFICANT * error) ** 2 / np.maximum(residual**2, 1e-12))
        return np.asarray(kept * residual)

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


def _cells_of(pool: Pool, features: Ints) -> Cells:
    sizes = pool.cardinalities[features]
    starts = np.cumsum(sizes) - sizes
    owners = np.repeat(np.arange(features.size), sizes)
    numbers = np.arange(int(sizes.sum())) - starts[owners] + pool.offsets[features][owners]
    return Cells(numbers, starts, owners)


def _left_out_rates(labels: Ints, n_classes: int) -> Floats:
    """Return the share of each label's class among the other labels."""
    counts = np.bincount(labels, minlength=n_classes)[labels] - 1.0
    return np.asarray((counts + 0.5) / (labels.size - 1.0 + 0.5 * n_classes))
