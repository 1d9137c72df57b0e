"""What some columns tell together: a small model of these columns alone, asked about labels that were left out.

Three views of the columns compete: rows resemble each other by how many columns agree, by how near their values are
(where values have an order), and by both at once, steeply, so that combinations of values count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.linalg import eigh

from activefs._kernels import threads
from activefs.model import _softmax
from activefs.model._calibration import calibrating_power, tempered
from activefs.model._completion import class_rates
from activefs.model._design import is_ordered
from activefs.model._screening import leave_one_out_error
from activefs.model._targets import among, expected_log, one_hot, seen_classes
from activefs.pool import Pool
from activefs.types import Floats, Ints, Matrix, Targets

_LANDMARKS = 48
"""Labelled rows that the others are compared with."""
_LANDMARKS_OF_ALL = 200
"""The same where all columns are looked at, which differ in more ways."""
_VARIANCES = (3.0, 30.0)
_STEEP = 3.0
_NEGLIGIBLE = 1e-6
_TINY = 1e-6
_REMEMBERED = 256


class ColumnsModel:
    """Predicts labels from some columns of their rows, each label by a model that had not seen it.

    Bayesian logistic regression in the view of the columns that suits the labels best by ridge regression, averaged
    over two prior variances.

    Parameters
    ----------
    pool : Pool
        The encoded table.
    rows, labels : arrays
        Labelled rows and their classes, or class probabilities; at least two classes occur.
    n_classes : int
        How many classes there are.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    >>> y = X[:, 0] ^ X[:, 1]
    >>> model = ColumnsModel(Pool.from_table(X), np.arange(60), y, 2)
    >>> [bool(np.mean(model.left_out(s).argmax(axis=1) == y) > 0.9) for s in ([0], [1], [0, 1])]
    [False, False, True]
    """

    def __init__(self, pool: Pool, rows: Ints, labels: Targets, n_classes: int) -> None:
        self._pool, self._rows, self._labels, self._n_classes = pool, rows, labels, n_classes
        self._seen: dict[int, tuple[Matrix, Matrix]] = {}
        self._marks = _spread(rows.size, _LANDMARKS)
        self._found: dict[frozenset[int], Floats] = {}

    def left_out(self, features: Iterable[int]) -> Floats:
        """Return calibrated class probabilities of the labelled rows, from these features of the pool alone."""
        wanted = sorted({int(j) for j in features})
        key = frozenset(wanted)
        if key not in self._found:
            agree, near = (np.mean([self._resemblance(j)[i] for j in wanted], axis=0) for i in (0, 1))
            views = _views(agree, near, self._marks)
            self._found[key] = _left_out(views, self._labels, self._n_classes)
        return self._found[key]

    def left_out_of_all(self) -> Floats:
        """Return the same from all features."""
        marks = _spread(self._rows.size, _LANDMARKS_OF_ALL)
        agree, near = np.zeros((2, self._rows.size, marks.size), dtype=np.float32)
        for j in range(self._pool.n_features):
            one, other = _resemblances(self._pool, j, self._rows, marks)
            agree += one
            near += other
        n = np.float32(self._pool.n_features)
        views = _views(agree / n, near / n, marks)
        return _left_out(views, self._labels, self._n_classes)

    def _resemblance(self, feature: int) -> tuple[Matrix, Matrix]:
        if feature not in self._seen:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[feature] = _resemblances(self._pool, feature, self._rows, self._marks)
        return self._seen[feature]


def calibrated(left_out: Floats, labels: Targets) -> Floats:
    """Return probabilities of labels left out, as sure as they should be."""
    return tempered(left_out, calibrating_power(left_out, labels))


def rates_left_out(labels: Targets, n_classes: int) -> Floats:
    """Return what the classes of the other labels say of each label: their shares, half a label added to each.

    Examples
    --------
    >>> rates_left_out(np.array([0, 0, 1]), 2).tolist()
    [[0.5, 0.5], [0.5, 0.5], [0.8333333333333334, 0.16666666666666666]]
    """
    counts = class_rates(labels, n_classes) * (len(labels) + 0.5 * n_classes) - one_hot(labels, n_classes)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _spread(n_rows: int, most: int) -> Ints:
    """Choose rows from the first to the last that was labelled: a function of the labels, without a seed."""
    return np.unique(np.linspace(0, n_rows - 1, min(most, n_rows)).round().astype(np.int64))


def _resemblances(pool: Pool, feature: int, rows: Ints, marks: Ints) -> tuple[Matrix, Matrix]:
    """Return whether rows agree with the marked ones in a column, and how near they are to them, from 0 to 1."""
    encoding = pool.encodings[feature]
    codes = pool.codes_of(rows, np.array([feature]))[0].astype(np.int32)
    own, others = codes[:, None], codes[None, marks]
    agree = (own == others).astype(np.float32)
    levels = encoding.n_values - encoding.missing
    if levels <= 2 or not is_ordered(encoding):
        return agree, agree
    near = 1.0 - np.abs(own - others).astype(np.float32) / np.float32(levels - 1)
    if encoding.missing:  # it is no number, and the last code
        near = np.where((own == levels) | (others == levels), agree, near)
    return agree, near


def _views(agree: Matrix, near: Matrix, marks: Ints) -> Iterator[Floats]:
    """Give vectors of the rows whose products are their resemblances (Nyström's approximation)."""
    steep = np.exp(_STEEP * (0.5 * (agree + near) - 1.0))
    for alike in (agree, near, steep):
        values, directions = eigh(alike[marks].astype(np.float64), check_finite=False)
        kept = values > _NEGLIGIBLE * values[-1]
        vectors = alike @ (directions[:, kept] / np.sqrt(values[kept]))
        yield np.hstack([vectors, np.ones((len(vectors), 1))])


def _left_out(views: Iterable[Floats], labels: Targets, n_classes: int) -> Floats:
    classes = seen_classes(labels)
    numbers = among(labels, classes)
    positive = one_hot(numbers, classes.size)
    positive -= positive.mean(axis=0)
    merits, found, start = [], [], None
    with threads.one_for_products():
        best = min(views, key=lambda vectors: leave_one_out_error(vectors, positive))
        for variance in _VARIANCES:
            fit = _softmax.fit(best, numbers, classes.size, variance, start)
            start = fit.weights
            likely = expected_log(fit.leave_one_out, numbers, _TINY)
            merits.append(0.5 * (fit.log_evidence + float(likely.sum())))
            found.append(fit.leave_one_out)
    weights = np.exp(np.asarray(merits) - max(merits))
    out = np.zeros((len(labels), n_classes))
    out[:, classes] = np.einsum("i,ijk->jk", weights / weights.sum(), np.asarray(found))
    return calibrated(out, labels)
