"""Predictions of labels that were made before rows were drawn: they take the noise out of the draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from activefs.estimates._draw_log import DrawLog
from activefs.model import Completion, class_rates
from activefs.pool import Pool
from activefs.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Epoch:
    """What a model said when it was made, of all rows that were open then.

    Attributes
    ----------
    start : int
        The first move after it was made.
    rows, probabilities : arrays of shape (M,), (M, C)
        The rows that it was asked about, and its class probabilities.
    rates : array of shape (C,)
        The shares of the classes among its labels, which stand for the probabilities of all other rows.
    sums : array of shape (cells, C)
        The sum of the probabilities over the open rows of each cell.
    """

    start: int
    rows: Ints
    probabilities: Floats
    rates: Floats
    sums: Floats

    @classmethod
    def of(cls, pool: Pool, log: DrawLog, start: int, completion: Completion) -> Epoch:
        """Add up what a model says of the rows that were open before a move."""
        rates = class_rates(completion.labels, completion.n_classes)
        every = np.clip(completion.probabilities, 0.0, 1.0)
        gone = log.taken_before(start)
        is_open = ~np.isin(completion.rows, gone)
        # By how much they differ from the shares of the classes; rows that it was not asked about do not differ.
        sums = pool.sum_cells(completion.rows[is_open], every[is_open] - rates)
        sums += (pool.value_counts[:, None] - pool.sum_cells(gone, np.ones((gone.size, 1)))) * rates
        return cls(start, completion.rows, every, rates, sums)

    def predicted(self, rows: Ints) -> Floats:
        """Return the class probabilities of some rows."""
        at = np.minimum(np.searchsorted(self.rows, rows), self.rows.size - 1)
        here = self.rows[at] == rows
        return np.where(here[:, None], self.probabilities[at], self.rates)


@dataclass(frozen=True, eq=False)
class ControlVariates:
    """What was predicted when each move was made.

    Attributes
    ----------
    epochs : array of int, shape (T,)
        Which model was the last one before each move; -1: none.
    predicted : array of shape (T, C)
        Its class probabilities of the row that moved.
    sums : array of shape (models, cells, C)
        The sum of its class probabilities over the rows of each cell that were open when it was made.
    least, most : arrays of shape (models, C)
        Its smallest and largest probability of each class, over all rows.

    Examples
    --------
    >>> ControlVariates.of((), DrawLog.of([4], [False], [0.2], [0.2], [1], n_rows=5), n_cells=4, n_classes=2).epochs
    array([-1])
    """

    epochs: Ints
    predicted: Floats
    sums: Floats
    least: Floats
    most: Floats

    @classmethod
    def of(
        cls,
        models: Sequence[Epoch],
        log: DrawLog,
        *,
        n_cells: int,
        n_classes: int,
        like: ControlVariates | None = None,
    ) -> ControlVariates:
        """Put together models, earliest first; classes that one did not know of have the probability 0.

        `like`: what was made of the same models before, of which all but the moves is the same.
        """
        n = len(models)
        epochs, predicted = np.full(log.rows.size, -1, dtype=np.int64), np.zeros((log.rows.size, n_classes))
        for e, model in enumerate(models):
            end = models[e + 1].start if e + 1 < n else log.rows.size
            epochs[model.start : end] = e
            predicted[model.start : end, : model.rates.size] = model.predicted(log.rows[model.start : end])
        if like is not None:
            return cls(epochs, predicted, like.sums, like.least, like.most)
        sums, least, most = np.zeros((n, n_cells, n_classes)), np.zeros((n, n_classes)), np.zeros((n, n_classes))
        for e, model in enumerate(models):
            known = model.rates.size
            sums[e, :, :known] = model.sums
            everything = np.vstack([model.rates, model.probabilities])
            least[e, :known], most[e, :known] = everything.min(axis=0), everything.max(axis=0)
        return cls(epochs, predicted, sums, least, most)
