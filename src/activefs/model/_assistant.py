"""The assistant of a session: a model, the rows it is asked about, and its last answers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from activefs._kernels import threads
from activefs.model._average import Average, learn
from activefs.model._cache import prepared
from activefs.model._classifier import TrainedClassifier, check_model, labels_for
from activefs.model._completion import Completion, class_rates
from activefs.model._design import Design
from activefs.model._rough import RoughModel
from activefs.model._targets import key_of, seen_classes, simplest
from activefs.model._views import Views
from activefs.pool import Pool
from activefs.seeds import stream
from activefs.types import Floats, Ints, Matrix, Targets

# Class probabilities are wanted for averages over rows, which a sample of this many gives to a percent.
_MOST_ROWS = 20_000
_MOST_NUMBERS = 100_000_000
_MOST_INDICATORS = 50_000_000  # rows times values of all features
_REMEMBERED = 6
_FIRST = 10
"""Labels from which the model learns first."""
FEW = 4
"""People who may label together without a model that learns less often, and elsewhere."""


@lru_cache(maxsize=1024)
def last_refit(n_labels: int) -> int:
    """Return the labels that the model knows when the next row is chosen: it learns again after a tenth more, or five.

    Examples
    --------
    >>> [last_refit(n) for n in (0, 9, 10, 14, 15, 120, 131, 132)]
    [0, 0, 10, 10, 15, 113, 124, 124]
    """
    at = _FIRST
    if n_labels < at:
        return 0
    while (following := at + max(5, at // 10)) <= n_labels:
        at = following
    return at


def lesson_at(n_labels: int, together: int = 1) -> int:
    """Return the labels from which the model has learnt last, while so many people label together.

    Where many do, it learns half as often: after a fifth more labels.

    Examples
    --------
    >>> [lesson_at(n) for n in (10, 15, 20)], [lesson_at(n, 16) for n in (10, 15, 20, 29, 30)]
    ([10, 15, 20], [10, 10, 20, 20, 30])
    """
    at = last_refit(n_labels)
    if together <= FEW or at == 0:
        return at
    return at if _lessons_before(at) % 2 == 0 else last_refit(at - 1)


def learnt_for(n_labels: int, together: int = 1) -> int:
    """Return how many labels the model knows that chooses the next row, while so many people label together.

    It knows them one label late, so that the question after an answer needs no model that waits for this answer. Where
    several people label, answers come while it learns, the more the more people there are: then it is used so many
    labels later that hardly anybody waits for it, at most as many as come until it learns again.

    Examples
    --------
    >>> [learnt_for(n) for n in (10, 11, 15, 16)], [learnt_for(n, 16) for n in (20, 21, 500, 1000)]
    ([0, 10, 10, 15], [0, 10, 377, 665])
    """
    share = 10 if together <= FEW else 5
    late = min((together - 1) * together, max(50 // share, n_labels // share))
    return lesson_at(n_labels - 1 - late, together)


@lru_cache(maxsize=1024)
def _lessons_before(at: int) -> int:
    """Count how often a model learns before it does so from this many labels."""
    return 0 if at <= _FIRST else 1 + _lessons_before(last_refit(at - 1))


def sendable(learnt: Completion) -> Completion:
    """Return what another process can be told of it: all but posterior draws, which few need."""
    return replace(learnt, posterior_draw=_no_draw)


def _no_draw(rng: np.random.Generator) -> Floats:
    raise NotImplementedError("draws are made where the model has learnt")


class Assistant:
    """Predicts the class probabilities of rows from the labels of others.

    Everything it predicts is a function of the pool, the model, the seed and the labels. What the default model
    prepares of a large table is kept in the user's cache folder, so that the next process has it at once.

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
    pool, model, seed
        As given.
    rows : array of int
        The rows that it predicts, ascending: all, or a sample if there are very many.

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
        self.pool, self.model, self.seed = pool, model, seed
        self._design = Design(pool)
        most = min(_MOST_ROWS, max(1000, _MOST_NUMBERS // max(self._design.width, 1)))
        if pool.n_rows <= most:
            self.rows = np.arange(pool.n_rows)
        else:
            self.rows = np.sort(stream(seed, 2, 0).choice(pool.n_rows, most, replace=False))
            self._design = self._design.varying(self.rows)
        self._numbers = self._design.of(self.rows)
        self._views: Views | None = None
        self._answers: dict[bytes, Completion] = {}
        if model is None:
            self._views = Views(self._numbers, prepared(self._numbers, self._indicators()))

    def __reduce__(self) -> tuple[Any, ...]:
        # What was prepared and learnt is a function of these three.
        return type(self), (self.pool, self.model, self.seed)

    def with_seed(self, seed: int) -> Assistant:
        """Return what `Assistant` makes with another seed, without preparing the rows anew.

        Of a table so large that rows are sampled, the sample is another one, which has to be prepared.

        Examples
        --------
        >>> one = Assistant(Pool.from_table([[0, 1], [1, 0], [1, 1]]), seed=0)
        >>> one.with_seed(7).seed, one.seed
        (7, 0)
        """
        if self.rows.size < self.pool.n_rows:
            return type(self)(self.pool, self.model, seed)
        other = object.__new__(type(self))  # not a copy: that would prepare, see `__reduce__`
        other.__dict__.update(vars(self), seed=seed, _answers={})
        return other

    def complete(self, labelled: Ints, labels: Targets, n_classes: int) -> Completion:
        """Learn from labels, and predict the class probabilities of all rows in `rows`.

        Parameters
        ----------
        labelled, labels : arrays of int
            Labelled rows of the pool and their class numbers; if labels are uncertain, their class probabilities, of
            shape (t, C).
        n_classes : int
            How many classes there are.
        """
        labels = simplest(labels)
        key = key_of(n_classes, labelled, labels)
        if (known := self._answers.get(key)) is not None:  # whoever needs this does not wait for what is learnt now
            return known
        with threads.one_for_products():  # which also keeps two threads of a server from doing the same work
            if key not in self._answers:
                while len(self._answers) >= _REMEMBERED:
                    del self._answers[next(iter(self._answers))]
                self._answers[key] = self._complete(labelled.copy(), labels.copy(), n_classes)
            return self._answers[key]

    def knows(self, labelled: Ints, labels: Targets, n_classes: int) -> bool:
        """Whether it has learnt from these labels, and remembers."""
        return key_of(n_classes, labelled, simplest(labels)) in self._answers

    def accept(self, labelled: Ints, labels: Targets, learnt: Completion) -> None:
        """Take what the same assistant has learnt in another process, but for posterior draws: see `sendable`.

        Examples
        --------
        >>> X = np.random.default_rng(0).integers(0, 3, size=(60, 4))
        >>> here, there = (Assistant(Pool.from_table(X), seed=0) for _ in range(2))
        >>> rows, labels = np.arange(20), (X[:20, 2] > 0).astype(int)
        >>> here.accept(rows, labels, sendable(there.complete(rows, labels, 2)))
        >>> here.knows(rows, labels, 2)
        True
        """
        labels = simplest(labels)
        n_classes = learnt.n_classes
        whole = cache(lambda: self._complete(labelled, labels, n_classes))

        def draw(rng: np.random.Generator) -> Floats:
            with threads.one_for_products():
                found = whole()
            return found.posterior_draw(rng)

        with threads.one_for_products():
            while len(self._answers) >= _REMEMBERED:
                del self._answers[next(iter(self._answers))]
            self._answers[key_of(n_classes, labelled, labels)] = replace(learnt, posterior_draw=draw)

    def rough(self, labelled: Ints, labels: Targets, n_classes: int) -> RoughModel | None:
        """Return a model that learns fast from parts of these labels; None if the model is the user's own."""
        if self._views is None:
            return None
        with threads.one_for_products():
            places = self._places(labelled, self._as_numbers(labelled))
            return RoughModel(self._views, self.rows, places, labelled, labels, n_classes)

    def _complete(self, labelled: Ints, labels: Targets, n_classes: int) -> Completion:
        learnt = labels if self.model is None else labels_for(self.model, labels)
        if seen_classes(learnt).size < 2 or len(labels) < 2:  # one row may be of two classes
            rates = class_rates(labels, n_classes)
            everywhere, here = np.tile(rates, (self.rows.size, 1)), np.tile(rates, (len(labels), 1))
            return Completion(self.rows, everywhere, labelled, labels, here, lambda rng: everywhere)
        training = self._as_numbers(labelled)
        seed = int(stream(self.seed, 2, 2, len(labels)).integers(2**31))
        found: Average | TrainedClassifier
        if self._views is None:
            found = TrainedClassifier(self.model, training, self._numbers, learnt, n_classes, seed)
        else:
            places = self._places(labelled, training)
            found = learn(self._views, places, training, self._numbers, labels, n_classes, seed)
        probabilities, leave_one_out = found.probabilities(), found.leave_one_out()
        return Completion(self.rows, probabilities, labelled, labels, leave_one_out, found.posterior_draw)

    def _as_numbers(self, labelled: Ints) -> Matrix:
        """Return labelled rows as numbers."""
        every_row = self.rows.size == self.pool.n_rows
        return self._numbers[labelled] if every_row else self._design.of(labelled)

    def _places(self, labelled: Ints, training: Matrix) -> Ints:
        """Return where each labelled row is in the sample; for others, the rows there that resemble them most."""
        assert self._views is not None
        at = np.minimum(np.searchsorted(self.rows, labelled), self.rows.size - 1)
        away = np.flatnonzero(self.rows[at] != labelled)
        if away.size == 0:
            return at[:, None]
        near = self._views.nearest(training[away])
        places = np.repeat(at[:, None], near.shape[1], axis=1)
        places[away] = near
        return places

    def _indicators(self) -> Matrix | None:
        """Return one column per value of every feature, 1 where a row has it, if that is not too large."""
        n_cells = int(self.pool.offsets[-1])
        if self.rows.size * n_cells > _MOST_INDICATORS:
            return None
        indicators = np.zeros((self.rows.size, n_cells), dtype=np.float32)
        at = self.pool.offsets[:-1, None] + self.pool.codes_of(self.rows)
        indicators[np.arange(self.rows.size)[None, :], at] = 1.0
        return indicators
