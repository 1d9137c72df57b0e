"""The model used by default: logistic regressions in many views, averaged, stacked with extra trees.

Which regressions count is decided by two measures that each have a weakness: the evidence trusts a view that suits the
first labels too much, the leave-one-out likelihood is noisy. The weights are their geometric mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.model import _softmax, _trees
from activefs.model._screening import leave_one_out_error
from activefs.model._softmax import Softmax
from activefs.model._targets import among, expected_log, one_hot, seen_classes
from activefs.model._views import View, Views
from activefs.types import Floats, Ints, Matrix, Targets

_LOOKED_AT = 6
"""Views in which regressions are fitted, of all views those that predict labels left out best by least squares."""
_NEGLIGIBLE = 0.01
_WEIGHTS = np.linspace(0.0, 1.0, 21)
_TINY = 1e-6
_PREFERENCE = 4.0
"""The prior of the weight of the regressions is proportional to its fourth power: trees make little of few labels."""


@dataclass(frozen=True, eq=False)
class Regression:
    """A logistic regression in one view.

    Attributes
    ----------
    view : View
        Where.
    fit : Softmax
        The posterior of its weights.
    classes : array of int
        The classes that were seen.
    n_classes : int
        How many there are, seen or not.
    """

    view: View
    fit: Softmax
    classes: Ints
    n_classes: int

    def probabilities(self) -> Floats:
        """Return P(Y = c | x) of all rows."""
        return self._spread(self.fit.probabilities(self.view.vectors))

    def leave_one_out(self) -> Floats:
        """Return leave-one-out probabilities of the labelled rows."""
        return self._spread(self.fit.leave_one_out)

    def log_likelihood(self, labels: Targets) -> float:
        """Return the leave-one-out log-likelihood of the labels."""
        return float(expected_log(self.leave_one_out(), labels, _TINY).sum())

    def posterior_draw(self, rng: np.random.Generator) -> Floats:
        """Return P(Y = c | x) of all rows for weights drawn from the posterior."""
        return self._spread(self.fit.posterior_draw(self.view.vectors, rng))

    def _spread(self, probabilities: Floats) -> Floats:
        """Return the probabilities of all classes from those of the classes seen."""
        out = np.zeros((len(probabilities), self.n_classes))
        out[:, self.classes] = probabilities
        return out


@dataclass(frozen=True, eq=False)
class Average:
    """What the default model learnt from some labels.

    Attributes
    ----------
    weights, regressions : array, list of Regression
        The regressions that matter, weighted by evidence and leave-one-out likelihood.
    forest : Forest
        The trees.
    share : float
        Weight of the regressions together; the trees have the rest (stacking by leave-one-out likelihood).
    """

    weights: Floats
    regressions: list[Regression]
    forest: _trees.Forest
    share: float

    def probabilities(self) -> Floats:
        """Return P(Y = c | x) of all rows."""
        found = [r.probabilities() for r in self.regressions]
        return self.share * _mean(self.weights, found) + (1.0 - self.share) * self.forest.probabilities()

    def leave_one_out(self) -> Floats:
        """Return probabilities of the labelled rows by what had not seen their labels."""
        found = [r.leave_one_out() for r in self.regressions]
        return self.share * _mean(self.weights, found) + (1.0 - self.share) * self.forest.out_of_bag

    def posterior_draw(self, rng: np.random.Generator) -> Floats:
        """Return P(Y = c | x) of all rows, drawn from what is uncertain: the view, the weights, the trees."""
        regression = self.regressions[int(rng.choice(self.weights.size, p=self.weights))]
        return self.share * regression.posterior_draw(rng) + (1.0 - self.share) * self.forest.posterior_draw(rng)


def learn(
    views: Views, places: Ints, training: Matrix, rows: Matrix, labels: Targets, n_classes: int, seed: int
) -> Average:
    """Learn from labels of at least two classes.

    Parameters
    ----------
    views : Views
        Of the sampled rows.
    places : array of shape (t, n)
        For each labelled row the sampled rows that stand for it: itself, or its neighbours.
    training, rows : arrays
        The labelled rows and the sampled rows as numbers.
    labels : array
        Classes of the labelled rows, or their class probabilities.
    n_classes : int
        How many classes there are.
    seed : int
        Seed of the trees.
    """
    regressions = [r for view in _promising(views, places, labels) for r in _in_view(view, places, labels, n_classes)]
    merits = np.array([0.5 * (r.fit.log_evidence + r.log_likelihood(labels)) for r in regressions])
    weights = np.exp(merits - merits.max())
    weights /= weights.sum()
    kept = np.flatnonzero(weights >= min(_NEGLIGIBLE, weights.max()))
    weights = weights[kept] / weights[kept].sum()
    regressions = [regressions[i] for i in kept]
    forest = _trees.grow(training, labels, n_classes, rows, seed)
    averaged = _mean(weights, [r.leave_one_out() for r in regressions])
    return Average(weights, regressions, forest, _stacking_weight(averaged, forest.out_of_bag, labels))


def _promising(views: Views, places: Ints, labels: Targets) -> list[View]:
    """Return the views that predict labels left out best, by least squares."""
    classes = seen_classes(labels)
    positive = one_hot(among(labels, classes), classes.size)
    positive -= positive.mean(axis=0)
    errors = [leave_one_out_error(_features(view, places), positive) for view in views.all]
    return [views.all[i] for i in np.argsort(errors, kind="stable")[:_LOOKED_AT]]


def _features(view: View, places: Ints) -> Floats:
    """Return the vectors of the labelled rows."""
    return np.asarray(view.vectors[places].mean(axis=1, dtype=np.float64))


def _in_view(view: View, places: Ints, labels: Targets, n_classes: int) -> list[Regression]:
    """One regression per prior variance."""
    features = _features(view, places)
    classes = seen_classes(labels)
    numbers = among(labels, classes)
    found: list[Regression] = []
    for variance in view.variances:
        start = found[-1].fit.weights if found else None
        found.append(
            Regression(view, _softmax.fit(features, numbers, classes.size, variance, start), classes, n_classes)
        )
    return found


def _mean(weights: Floats, found: list[Floats]) -> Floats:
    return np.asarray(sum(w * p for w, p in zip(weights, found, strict=True)))


def _stacking_weight(one: Floats, other: Floats, labels: Targets) -> float:
    """Return the weight of the first of two models: its posterior mean, given probabilities of labels left out."""
    a, b = np.maximum(one, _TINY), np.maximum(other, _TINY)
    log_posterior = np.array([expected_log(w * a + (1.0 - w) * b, labels).sum() for w in _WEIGHTS])
    log_posterior += _PREFERENCE * np.log(np.maximum(_WEIGHTS, _TINY))
    posterior = np.exp(log_posterior - log_posterior.max())
    return float(posterior @ _WEIGHTS / posterior.sum())
