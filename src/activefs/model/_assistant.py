"""The assistant of a session: a model, the rows it speaks about, and what it said last."""

from __future__ import annotations

from typing import Any

import numpy as np

from activefs._kernels import threads
from activefs.model._average import Average, learn
from activefs.model._classifier import TaughtClassifier, check_model
from activefs.model._completion import Completion, class_rates
from activefs.model._design import Design
from activefs.model._views import Views
from activefs.pool import Pool
from activefs.seeds import stream
from activefs.types import Ints, Matrix

# Class probabilities are wanted for averages over rows, which a sample of this many gives to a percent.
_MOST_ROWS = 20_000
_MOST_NUMBERS = 100_000_000
_MOST_CELLS = 300
_REMEMBERED = 6


def last_refit(n_labels: int) -> int:
    """Labels that the model knows when the next row is chosen: it learns again after a tenth more, or five.

    Examples
    --------
    >>> [last_refit(n) for n in (0, 9, 10, 14, 15, 120, 131, 132)]
    [0, 0, 10, 10, 15, 113, 124, 124]
    """
    at = 10
    if n_labels < at:
        return 0
    while (following := at + max(5, at // 10)) <= n_labels:
        at = following
    return at


class Assistant:
    """Tells the class probabilities of rows from the labels of others.

    Everything it says is a function of the pool, the model, the seed and the labels.

    Parameters
    ----------
    pool : Pool
        The encoded table.
    model : classifier, optional
        Any scikit-learn classifier with `predict_proba`. By default: Bayesian logistic regressions in several
        views of the pool, averaged by how well they explain the labels, stacked with extra trees.
    seed : int
        Seed of everything random.

    Attributes
    ----------
    rows : array of int
        The rows that it speaks about, ascending: all, or a sample if there are very many.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 3, size=(300, 4))
    >>> assistant = Assistant(Pool.from_table(X), seed=0)
    >>> rows = np.arange(60)
    >>> found = assistant.complete(rows, (X[rows, 2] > 0).astype(int), 2)
    >>> bool(np.mean((found.probabilities[:, 1] > 0.5) == (X[:, 2] > 0)) > 0.95)
    True
    """

    def __init__(self, pool: Pool, model: Any = None, seed: int = 0) -> None:
        if model is not None:
            check_model(model)
        self.pool = pool
        self._model = model
        self._seed = seed
        self._design = Design(pool)
        most = min(_MOST_ROWS, max(1000, _MOST_NUMBERS // max(self._design.width, 1)))
        if pool.n_rows <= most:
            self.rows = np.arange(pool.n_rows)
        else:
            self.rows = np.sort(stream(seed, 2, 0).choice(pool.n_rows, most, replace=False))
        self._numbers = self._design.of(self.rows)
        self._views: Views | None = None
        self._said: dict[bytes, Completion] = {}
        if model is None:
            with threads.one_for_products():
                self._views = Views(self._numbers, self._cells(), stream(seed, 2, 1))

    def complete(self, labelled: Ints, labels: Ints, n_classes: int) -> Completion:
        """Learn from labels, and tell the probabilities of all rows in `rows`.

        Parameters
        ----------
        labelled, labels : arrays of int
            Labelled rows of the pool and their class numbers.
        n_classes : int
            How many classes there are.
        """
        key = np.concatenate([[n_classes], labelled, labels]).astype(np.int64).tobytes()
        with threads.one_for_products():  # which also keeps two threads of a server from doing the same work
            if key not in self._said:
                while len(self._said) >= _REMEMBERED:
                    del self._said[next(iter(self._said))]
                self._said[key] = self._complete(np.array(labelled), np.array(labels), n_classes)
            return self._said[key]

    def _complete(self, labelled: Ints, labels: Ints, n_classes: int) -> Completion:
        if np.unique(labels).size < 2:
            rates = class_rates(labels, n_classes)
            everywhere, held_out = np.tile(rates, (self.rows.size, 1)), np.tile(rates, (labels.size, 1))
            return Completion(self.rows, everywhere, labelled, labels, held_out, lambda rng: everywhere)
        taught = self._as_numbers(labelled)
        seed = int(stream(self._seed, 2, 2, labels.size).integers(2**31))
        if self._views is None:
            own = TaughtClassifier(self._model, taught, self._numbers, labels, n_classes, seed)
            return self._completion(own, labelled, labels)
        found = learn(self._views, self._places(labelled, taught), taught, self._numbers, labels, n_classes, seed)
        return self._completion(found, labelled, labels)

    def _completion(self, found: Average | TaughtClassifier, labelled: Ints, labels: Ints) -> Completion:
        return Completion(self.rows, found.probabilities(), labelled, labels, found.held_out(), found.draw)

    def _as_numbers(self, labelled: Ints) -> Matrix:
        """Labelled rows as numbers."""
        every_row = self.rows.size == self.pool.n_rows
        return self._numbers[labelled] if every_row else self._design.of(labelled)

    def _places(self, labelled: Ints, taught: Matrix) -> Ints:
        """Where each labelled row is among the sampled ones; for others, which sampled rows resemble them most."""
        assert self._views is not None
        at = np.minimum(np.searchsorted(self.rows, labelled), self.rows.size - 1)
        away = np.flatnonzero(self.rows[at] != labelled)
        if away.size == 0:
            return at[:, None]
        near = self._views.nearest(taught[away])
        places = np.repeat(at[:, None], near.shape[1], axis=1)
        places[away] = near
        return places

    def _cells(self) -> Matrix | None:
        """One indicator per value of every feature, if those are few."""
        n_cells = int(self.pool.offsets[-1])
        if n_cells > _MOST_CELLS:
            return None
        cells = np.zeros((self.rows.size, n_cells), dtype=np.float32)
        at = self.pool.offsets[:-1, None] + self.pool.codes[:, self.rows]
        cells[np.arange(self.rows.size)[None, :], at] = 1.0
        return cells
