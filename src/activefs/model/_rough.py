"""A rough completion of the table: one regression instead of many models, where a choice is only to be checked."""

from __future__ import annotations

import numpy as np

from activefs.model import _softmax
from activefs.model._completion import Completion
from activefs.model._screening import leave_one_out_error
from activefs.model._targets import among, one_hot, seen_classes, simplest
from activefs.model._views import View, Views
from activefs.types import Floats, Ints, Targets

_VARIANCE = 16.0


class RoughModel:
    """Learns from parts of some labels, fast: in the view that suits all of them best.

    Parameters
    ----------
    views : Views
        Of the sampled rows.
    rows : array of int
        The sampled rows of the pool.
    places : array of shape (t, n)
        For each labelled row the sampled rows that stand for it: itself, or its neighbours.
    labelled, labels : arrays
        All labelled rows and their classes, or class probabilities.
    n_classes : int
        How many classes there are.
    """

    def __init__(self, views: Views, rows: Ints, places: Ints, labelled: Ints, labels: Targets, n_classes: int) -> None:
        self._rows, self._places = rows, places
        self._labelled, self._labels, self._n_classes = labelled, labels, n_classes
        positive = one_hot(labels, n_classes)
        positive -= positive.mean(axis=0)
        self._view = min(views.all, key=lambda view: leave_one_out_error(_of(view, places), positive))

    def complete(self, part: Ints, most: int) -> Completion:
        """Learn from a part of the labels, and predict about `most` of the rows; nothing can be drawn from it.

        Parameters
        ----------
        part : array of int
            Which of the labels to learn from, as positions among them; at least two classes must occur.
        most : int
            Rows to be predicted.
        """
        step = max(1, self._rows.size // most)
        labelled, labels = self._labelled[part], simplest(self._labels[part])
        classes = seen_classes(labels)
        fit = _softmax.fit(_of(self._view, self._places[part]), among(labels, classes), classes.size, _VARIANCE)
        predicted, left_out = (np.zeros((n, self._n_classes)) for n in (self._rows[::step].size, part.size))
        predicted[:, classes] = fit.probabilities(self._view.vectors[::step])
        left_out[:, classes] = fit.leave_one_out
        return Completion(self._rows[::step], predicted, labelled, labels, left_out, lambda rng: predicted)


def _of(view: View, places: Ints) -> Floats:
    return np.asarray(view.vectors[places].mean(axis=1, dtype=np.float64))
