"""The model of Dawid and Skene (1979): every annotator has a confusion matrix, every row one true class.

crowd-kit has the same model, without a prior: its confusion matrices from a handful of rows have zeros, so that one
answer decides for ever. It also brings pandas, nltk and transformers along. With the prior switched off this one gives
the same numbers, which a test checks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from activefs.types import Floats, Ints

RIGHT, WRONG = 4.0, 1.0
"""What is believed of an annotator before anything is known: right in four of five rows of each class."""
_ROUNDS = 200
_ENOUGH = 1e-10
_TINY = 1e-10


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """What rows and annotators are believed to be.

    Attributes
    ----------
    probabilities : array of shape (n, C)
        P(true class = c) of each row, given all answers.
    confusion : array of shape (A, C, C)
        P(annotator a says l | true class = c), at [a, c, l].
    rates : array of shape (C,)
        How common the classes are.
    """

    probabilities: Floats
    confusion: Floats
    rates: Floats


def dawid_skene(
    rows: ArrayLike,
    annotators: ArrayLike,
    labels: ArrayLike,
    n_classes: int,
    *,
    known: ArrayLike | None = None,
    right: float = RIGHT,
    wrong: float = WRONG,
) -> DawidSkene:
    """Find the true classes of rows, and how annotators err, by expectation maximisation.

    E: p_i(c) proportional to pi_c * prod over answers (a, l) of row i of theta_a(c, l).
    M: theta_a(c, l) proportional to alpha(c, l) + sum of p_i(c) over rows i that a called l; pi_c proportional to the
    sum of p_i(c), plus one row of each class if there is a prior.

    Parameters
    ----------
    rows, annotators, labels : arrays of int
        One entry per answer: numbers of the row, the annotator and the class, each from 0 on.
    n_classes : int
        How many classes there are.
    known : array of int, optional
        The true class of each row that somebody has settled, else -1.
    right, wrong : float
        Prior of a confusion matrix, in rows: so many of each class were called right, and so many wrong (shared by the
        other classes). 0 and 0 is the model as published.

    Examples
    --------
    >>> found = dawid_skene([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 1], 2)
    >>> found.probabilities.round(2).tolist()  # they disagree about the last row only
    [[0.94, 0.06], [0.06, 0.94], [0.5, 0.5]]
    """
    at, who, said = (np.asarray(a, dtype=np.int64) for a in (rows, annotators, labels))
    n, n_annotators = int(at.max(initial=-1)) + 1, int(who.max(initial=-1)) + 1
    fixed = np.full(n, -1) if known is None else np.asarray(known, dtype=np.int64)
    prior = np.full((n_classes, n_classes), wrong / max(n_classes - 1, 1))
    np.fill_diagonal(prior, right)
    p, every = _shares_of_votes(at, said, n, n_classes), np.arange(n_classes)
    for _ in range(_ROUNDS):
        before, p = p, _with_known(p, fixed)
        theta = np.tile(prior, (n_annotators, 1, 1))
        np.add.at(theta, (who[:, None], every[None, :], said[:, None]), p[at])
        theta /= np.maximum(theta.sum(axis=2, keepdims=True), _TINY)
        pi = p.sum(axis=0) + (right > 0)
        pi /= pi.sum()
        logs = np.tile(np.log(np.maximum(pi, _TINY)), (n, 1))
        np.add.at(logs, at, np.log(np.maximum(theta[who, :, said], _TINY)))
        p = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
        p /= p.sum(axis=1, keepdims=True)
        if np.abs(p - before).max(initial=0.0) < _ENOUGH:
            break
    return DawidSkene(_with_known(p, fixed), theta, pi)


def _shares_of_votes(at: Ints, said: Ints, n: int, n_classes: int) -> Floats:
    votes = np.zeros((n, n_classes))
    np.add.at(votes, (at, said), 1.0)
    return np.asarray(votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0))


def _with_known(p: Floats, known: Ints) -> Floats:
    settled = known >= 0
    p = p.copy()
    p[settled] = np.eye(p.shape[1])[known[settled]]
    return p
