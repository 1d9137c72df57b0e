"""Any scikit-learn classifier as the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.model._completion import class_rates
from activefs.types import Floats, Ints, Matrix

_FOLDS = 5


def check_model(model: Any) -> None:
    """Refuse what is no classifier with probabilities."""
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(model, "predict_proba"):
        raise InvalidInputError(
            f"model must be a scikit-learn classifier with predict_proba, not yet fitted; got {model!r}"
        )
    from sklearn.base import is_classifier

    if not is_classifier(model):
        raise InvalidInputError(f"model must be a classifier, got {model!r}")


class TrainedClassifier:
    """A classifier trained with some labels.

    Parameters
    ----------
    model : classifier
        Cloned for every fit; a `random_state` among its parameters is set.
    training, rows : arrays
        Labelled rows and sampled rows as numbers.
    labels : array of int
        Classes of the labelled rows, at least two different ones.
    n_classes : int
        How many there are.
    seed : int
        Seed of the model and of the folds.
    """

    def __init__(self, model: Any, training: Matrix, rows: Matrix, labels: Ints, n_classes: int, seed: int) -> None:
        self._model, self._training, self._rows = model, training, rows
        self._labels, self._n_classes, self._seed = labels, n_classes, seed

    def probabilities(self) -> Floats:
        """Return P(Y = c | x) of all rows."""
        return self._fitted(np.arange(self._labels.size), self._rows, self._seed)

    def leave_one_out(self) -> Floats:
        """Return probabilities of the labelled rows by cross-validation: a fifth is left out at a time."""
        from sklearn.model_selection import StratifiedKFold

        size = self._labels.size
        smallest = int(np.bincount(self._labels)[np.unique(self._labels)].min())
        out = np.tile(class_rates(self._labels, self._n_classes), (size, 1))
        if smallest < 2:
            return out  # a class with one label only cannot be left out
        folds = StratifiedKFold(min(_FOLDS, smallest), shuffle=True, random_state=self._seed)
        for rest, fold in folds.split(self._training, self._labels):
            out[fold] = self._fitted(rest, self._training[fold], self._seed)
        return out

    def posterior_draw(self, rng: np.random.Generator) -> Floats:
        """Return P(Y = c | x) of all rows by a classifier trained with a bootstrap sample of the labels."""
        size = self._labels.size
        for _ in range(20):
            sample = rng.integers(size, size=size)
            if np.unique(self._labels[sample]).size > 1:
                return self._fitted(sample, self._rows, int(rng.integers(2**31)))
        return self.probabilities()

    def _fitted(self, some: Ints, rows: Matrix, seed: int) -> Floats:
        from sklearn.base import clone

        model = clone(self._model)
        random = {name: seed for name in model.get_params() if name.split("__")[-1] == "random_state"}
        if random:
            model.set_params(**random)
        model.fit(self._training[some], self._labels[some])
        out = np.zeros((len(rows), self._n_classes))
        found = np.asarray(model.predict_proba(rows), dtype=np.float64)
        if found.shape != (len(rows), len(model.classes_)) or not np.isfinite(found).all():
            raise InvalidInputError(f"{self._model!r} gave no probability for each row and class")
        out[:, np.asarray(model.classes_, dtype=np.int64)] = found
        return out
