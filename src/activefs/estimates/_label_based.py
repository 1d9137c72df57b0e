"""The estimate that does not rely on the model: its probabilities, corrected by its errors among the labelled rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from activefs._kernels.completion import sum_labelled
from activefs.criteria import Criterion
from activefs.estimates._cells import cells_of, impurities
from activefs.model import one_hot
from activefs.pool import Pool
from activefs.types import Floats, Ints, Targets

_SIMULATIONS = 12


class LabelBased(NamedTuple):
    """Conditional impurities by the labels.

    Attributes
    ----------
    value : array of shape (d,)
        Estimates, their bias subtracted.
    variance : array of shape (d,)
        Of these estimates.
    """

    value: Floats
    variance: Floats


def label_based(
    pool: Pool, criterion: Criterion, shares: Floats, labelled: Ints, labels: Targets, left_out: Floats, seed: int
) -> LabelBased:
    """Correct class shares by residuals, and find out by simulation how biased and noisy that is.

    To the share that the model gives to a class among the rows with a value, the mean residual (label minus
    leave-one-out probability) of the labelled rows with that value is added. Whatever decided which rows were
    labelled, and however wrong the model is, that is right on average. The impurity of what is noisy is too small,
    though, by much if there are few labels for each value. Labels drawn from the leave-one-out probabilities, a
    parametric bootstrap, show by how much, and how noisy the result is.

    Parameters
    ----------
    pool : Pool
        The encoded table.
    criterion : Criterion
        Impurity to be estimated.
    shares : array of shape (cells, C)
        Mean class probabilities of the rows with each value, by models that had not seen the label of the row.
    labelled, labels : arrays of shape (t,)
        Labelled rows and their classes; class probabilities, of shape (t, C), if some are not settled.
    left_out : array of shape (t, C)
        Leave-one-out probabilities of the labelled rows.
    seed : int
        Seed of the simulations.
    """
    cells = cells_of(pool, np.arange(pool.n_features))
    n_classes = left_out.shape[1]
    drawn = _drawn_labels(left_out, seed)
    codes, n = pool.codes_of(labelled), np.zeros((len(shares), 1))
    sum_labelled(codes, pool.offsets, np.ones((len(labels), 1)), n)
    settled = n
    if labels.ndim > 1:
        settled, known = np.zeros_like(n), (labels == 1.0).any(axis=1, keepdims=True)
        sum_labelled(codes, pool.offsets, known.astype(np.float64), settled)
    # The labels of all rows with a value, if they are known, have no error.
    still_open = np.sqrt(1.0 - settled / np.maximum(pool.value_counts[:, None], 1))

    def mean_residuals(y: Targets) -> Floats:
        sums = np.zeros_like(shares)
        sum_labelled(codes, pool.offsets, one_hot(y, n_classes) - left_out, sums)
        return np.asarray(sums / np.maximum(n, 1.0))

    def impurity(q: Floats) -> Floats:
        q = np.clip(q, 0.0, 1.0)
        return impurities(pool, criterion, q / np.maximum(q.sum(axis=1, keepdims=True), 1e-9), cells)

    corrected = shares + mean_residuals(labels)
    noise = [still_open * mean_residuals(y) for y in drawn]
    bias = np.mean([impurity(shares + some) for some in noise], axis=0) - impurity(shares)
    around = np.array([impurity(corrected + some) for some in noise])
    variance = around.var(axis=0, ddof=1)
    # A few simulations tell the variance of one feature roughly, that of all features together well.
    variance = 0.5 * (variance + variance.mean())
    return LabelBased(impurity(corrected) - bias, variance)


def _drawn_labels(probabilities: Floats, seed: int) -> Ints:
    """Return class numbers drawn from the probabilities of each row, several times."""
    rng = np.random.default_rng([seed, len(probabilities)])
    cumulative = np.cumsum(probabilities, axis=1)[:, :-1]
    return np.array([(rng.random((len(cumulative), 1)) > cumulative).sum(axis=1) for _ in range(_SIMULATIONS)])
