"""What a model says about the rows of a pool once it has seen some labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from activefs.model._targets import class_weights, expected_log, one_hot
from activefs.types import Bools, Floats, Ints, Targets

_TINY = 1e-6
_NONE = 1e-9
"""Labels that are class probabilities add up to no more, if none is of the class: sums of fractions are not exact."""
Draw = Callable[[np.random.Generator], Floats]


@dataclass(frozen=True, eq=False)
class Completion:
    """Class probabilities of the sampled rows, and how far they can be trusted.

    Attributes
    ----------
    rows : array of shape (M,)
        The rows of the pool that the probabilities are about.
    probabilities : array of shape (M, C)
        P(Y = c | x) of these rows, as the model says.
    labelled, labels : arrays of shape (t,)
        Rows and classes that the model was trained with; class probabilities, of shape (t, C), if some are uncertain.
    leave_one_out : array of shape (t, C)
        Probabilities of the labelled rows by models that had not seen their labels.
    posterior_draw : callable
        ``posterior_draw(rng)`` gives probabilities as they might as well be, of shape (M, C): one draw from the
        model's posterior distribution. Their spread is the spread of the answer.
    """

    rows: Ints
    probabilities: Floats
    labelled: Ints
    labels: Targets
    leave_one_out: Floats
    posterior_draw: Draw

    @property
    def n_classes(self) -> int:
        """C, the number of classes."""
        return int(self.probabilities.shape[1])

    @cached_property
    def gains(self) -> Floats:
        """By how much the model makes each label, left out, likelier than the shares of the classes do, in nats.

        Both know which classes the other labels have, and are compared among these: a label that is the only one of its
        class says nothing of what the model has learnt, and has gain 0. A model that has seen many classes once guesses
        rightly that the next label may be of a new one, which has nothing to do with the table.
        """
        others = class_weights(self.labels, self.n_classes) - one_hot(self.labels, self.n_classes)
        seen = others > _NONE
        found, shares = np.where(seen, np.maximum(self.leave_one_out, _TINY), 0.0), np.where(seen, others + 0.5, 0.0)
        told = expected_log(_normalised(found, seen), self.labels)
        return told - expected_log(_normalised(shares, seen), self.labels)


def _normalised(values: Floats, seen: Bools) -> Floats:
    """Return probabilities of the classes that were seen; 1 for all others, whose logarithm does not count."""
    totals = np.maximum(values.sum(axis=1, keepdims=True), _TINY)
    return np.where(seen, values / totals, 1.0)


def class_rates(labels: Targets, n_classes: int) -> Floats:
    """Return the share of each class with half a label added to each, so that none is impossible.

    Examples
    --------
    >>> class_rates(np.array([0, 0, 1]), 2).tolist()
    [0.625, 0.375]
    """
    counts = class_weights(labels, n_classes) + 0.5
    return np.asarray(counts / counts.sum())
