"""What a model says about the rows of a pool once it has seen some labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from activefs.model._targets import class_weights, expected_log, one_hot
from activefs.types import Floats, Ints, Targets

_TINY = 1e-6
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
        """By how much the model makes each label, left out, likelier than the shares of the classes do, in nats."""
        size = len(self.labels)
        others = class_weights(self.labels, self.n_classes) - one_hot(self.labels, self.n_classes)
        rates = (others + 0.5) / (size - 1.0 + 0.5 * self.n_classes)
        return expected_log(self.leave_one_out, self.labels, _TINY) - expected_log(rates, self.labels)


def class_rates(labels: Targets, n_classes: int) -> Floats:
    """Return the share of each class with half a label added to each, so that none is impossible.

    Examples
    --------
    >>> class_rates(np.array([0, 0, 1]), 2).tolist()
    [0.625, 0.375]
    """
    counts = class_weights(labels, n_classes) + 0.5
    return np.asarray(counts / counts.sum())
