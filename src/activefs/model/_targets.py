"""Labels as models see them: class numbers, or class probabilities where some labels are uncertain.

Every formula is the mean of the one for certain labels: a row that is of class c with probability p counts p times as
a row of class c. With class numbers nothing is multiplied, and results are the same to the digit as if there were no
uncertain labels in the world.
"""

from __future__ import annotations

import numpy as np

from activefs.types import Floats, Ints, Targets


def one_hot(labels: Targets, n_classes: int) -> Floats:
    """Return class probabilities, a new array: 1 for the class of a row, 0 elsewhere, if labels are certain.

    Examples
    --------
    >>> one_hot(np.array([1, 0]), 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if labels.ndim == 1:
        return np.asarray(np.eye(n_classes)[_numbers(labels)])
    return np.array(labels, dtype=np.float64)


def expected(values: Floats, labels: Targets) -> Floats:
    """Return of each row the value of its class, or the mean over its classes.

    Parameters
    ----------
    values : array of shape (t, C)
        One value per row and class, finite.
    labels : array
        Class numbers or class probabilities.

    Examples
    --------
    >>> values = np.array([[1.0, 5.0], [2.0, 4.0]])
    >>> expected(values, np.array([0, 1])).tolist(), expected(values, np.array([[0.5, 0.5], [0.0, 1.0]])).tolist()
    ([1.0, 4.0], [3.0, 4.0])
    """
    if labels.ndim == 1:
        return np.asarray(values[np.arange(labels.size), _numbers(labels)])
    return np.asarray((values * labels).sum(axis=1))


def expected_log(values: Floats, labels: Targets, least: float = 0.0) -> Floats:
    """Return of each row the logarithm of the value of its class, or the mean over its classes.

    Values below `least` count as that.

    Examples
    --------
    >>> expected_log(np.array([[1.0, 0.0]]), np.array([1]), 0.5).round(4).tolist()
    [-0.6931]
    """
    if labels.ndim == 1:  # of hundreds of classes, one matters
        return np.asarray(np.log(np.maximum(expected(values, labels), least)))
    return expected(np.log(np.maximum(values, least)), labels)


def class_weights(labels: Targets, n_classes: int) -> Ints | Floats:
    """Return how many rows are of each class, or are expected to be.

    Examples
    --------
    >>> class_weights(np.array([1, 1, 0]), 3).tolist(), class_weights(np.array([[0.25, 0.75]]), 2).tolist()
    ([1, 2, 0], [0.25, 0.75])
    """
    if labels.ndim == 1:
        return np.bincount(_numbers(labels), minlength=n_classes)
    return np.asarray(labels.sum(axis=0))


def seen_classes(labels: Targets) -> Ints:
    """Return the classes that occur, ascending: those that a row may be of.

    Examples
    --------
    >>> seen_classes(np.array([2, 0, 2])).tolist(), seen_classes(np.array([[0.0, 0.5, 0.5]])).tolist()
    ([0, 2], [1, 2])
    """
    if labels.ndim == 1:
        return np.unique(_numbers(labels))
    return np.flatnonzero((labels > 0).any(axis=0))


def among(labels: Targets, classes: Ints) -> Targets:
    """Return the same labels, with the classes that occur numbered from 0.

    Examples
    --------
    >>> among(np.array([3, 1, 3]), np.array([1, 3])).tolist()
    [1, 0, 1]
    """
    if labels.ndim == 1:
        return np.asarray(np.searchsorted(classes, _numbers(labels)), dtype=np.int64)
    return np.asarray(labels[:, classes], dtype=np.float64)


def likeliest(labels: Targets) -> Ints:
    """Return the likeliest class of each row; of several, the one that comes first.

    Examples
    --------
    >>> likeliest(np.array([[0.25, 0.75], [1.0, 0.0]])).tolist()
    [1, 0]
    """
    return _numbers(labels) if labels.ndim == 1 else np.asarray(labels.argmax(axis=1), dtype=np.int64)


def repeated(labels: Targets) -> tuple[Ints, Ints, Floats | None]:
    """Return rows and classes to learn from, each row once per class that it may be of, and their weights.

    Without uncertain labels there are no weights.

    Examples
    --------
    >>> rows, classes, weights = repeated(np.array([[0.25, 0.75], [1.0, 0.0]]))
    >>> rows.tolist(), classes.tolist(), weights.tolist()
    ([0, 0, 1], [0, 1, 0], [0.25, 0.75, 1.0])
    """
    if labels.ndim == 1:
        return np.arange(labels.size), _numbers(labels), None
    rows, classes = np.nonzero(labels > 0)
    return rows, classes, np.asarray(labels[rows, classes], dtype=np.float64)


def simplest(labels: Targets) -> Targets:
    """Return class numbers, if all labels are certain: the first ones may be, where a later one is not.

    Examples
    --------
    >>> simplest(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [1, 0]
    """
    certain = labels.ndim > 1 and bool((labels == 1.0).any(axis=1).all())
    return likeliest(labels) if certain else labels


def key_of(n_classes: int, rows: Ints, labels: Targets) -> bytes:
    """Return what rows and labels are remembered by."""
    numbers = np.concatenate([[n_classes], rows, labels if labels.ndim == 1 else []]).astype(np.int64)
    return numbers.tobytes() + (b"" if labels.ndim == 1 else b"probabilities" + labels.tobytes())


def _numbers(labels: Targets) -> Ints:
    return np.asarray(labels, dtype=np.int64)
