"""Any scikit-learn classifier as the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.model._completion import class_rates
from activefs.model._targets import likeliest, repeated, seen_classes
from activefs.types import Floats, Ints, Matrix, Targets

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


def labels_for(model: Any, labels: Targets) -> Targets:
    """Return labels as a classifier can learn them: without `sample_weight`, the likeliest class of each row."""
    if labels.ndim == 1:
        return labels
    from sklearn.utils.validation import has_fit_parameter

    return labels if has_fit_parameter(model, "sample_weight") else likeliest(labels)


class TrainedClassifier:
    """A classifier trained with some labels.

    Parameters
    ----------
    model : classifier
        Cloned for every fit; a `random_state` among its parameters is set.
    training, rows : arrays
        Labelled rows and sampled rows as numbers.
    labels : array
        Classes of the labelled rows, at least two different ones; or class probabilities, if the classifier takes
        `sample_weight`: a row then counts once per class.
    n_classes : int
        How many there are.
    seed : int
        Seed of the model and of the folds.
    """

    def __init__(self, model: Any, training: Matrix, rows: Matrix, labels: Targets, n_classes: int, seed: int) -> None:
        self._model, self._training, self._rows = model, training, rows
        self._labels, self._n_classes, self._seed = labels, n_classes, seed
        self._likeliest = likeliest(labels)

    def probabilities(self) -> Floats:
        """Return P(Y = c | x) of all rows."""
        return self._fitted(np.arange(self._likeliest.size), self._rows, self._seed)

    def leave_one_out(self) -> Floats:
        """Return probabilities of the labelled rows by cross-validation: a fifth is left out at a time."""
        from sklearn.model_selection import StratifiedKFold

        size, classes = self._likeliest.size, self._likeliest
        smallest = int(np.bincount(classes, minlength=self._n_classes)[seen_classes(self._labels)].min())
        out = np.tile(class_rates(self._labels, self._n_classes), (size, 1))
        if smallest < 2:
            return out  # a class with one label only, or none that is likely its own, cannot be left out
        folds = StratifiedKFold(min(_FOLDS, smallest), shuffle=True, random_state=self._seed)
        for rest, fold in folds.split(self._training, classes):
            out[fold] = self._fitted(rest, self._training[fold], self._seed)
        return out

    def posterior_draw(self, rng: np.random.Generator) -> Floats:
        """Return P(Y = c | x) of all rows by a classifier trained with a bootstrap sample of the labels."""
        size = self._likeliest.size
        for _ in range(20):
            sample = rng.integers(size, size=size)
            if np.unique(self._likeliest[sample]).size > 1:
                return self._fitted(sample, self._rows, int(rng.integers(2**31)))
        return self.probabilities()

    def _fitted(self, some: Ints, rows: Matrix, seed: int) -> Floats:
        from sklearn.base import clone

        model = clone(self._model)
        random = {name: seed for name in model.get_params() if name.split("__")[-1] == "random_state"}
        if random:
            model.set_params(**random)
        rows_of, classes, weights = repeated(self._labels[some])
        if weights is None:
            model.fit(self._training[some], classes)
        else:
            model.fit(self._training[some[rows_of]], classes, sample_weight=weights)
        out = np.zeros((len(rows), self._n_classes))
        found = np.asarray(model.predict_proba(rows), dtype=np.float64)
        if found.shape != (len(rows), len(model.classes_)) or not np.isfinite(found).all():
            raise InvalidInputError(f"{self._model!r} gave no probability for each row and class")
        out[:, np.asarray(model.classes_, dtype=np.int64)] = found
        return out
