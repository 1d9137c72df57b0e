"""The model used by default: logistic regressions in many views, averaged, stacked with extra trees.

Which regressions count is decided by two measures that each have a weakness: the evidence trusts a view that suits the
first labels too much, the leave-one-out likelihood is noisy. The weights are their geometric mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.model import _logistic, _trees
from activefs.model._logistic import Logistic
from activefs.model._views import View, Views
from activefs.types import Floats, Ints, Matrix

_NEGLIGIBLE = 0.01
_WEIGHTS = np.linspace(0.0, 1.0, 21)
_TINY = 1e-6
_PREFERENCE = 4.0
"""The prior of the weight of the regressions is proportional to its fourth power: trees make little of few labels."""


@dataclass(frozen=True, eq=False)
class Regression:
    """Logistic regressions in one view, one per class against the others (for two classes, one in all).

    Attributes
    ----------
    view : View
        Where.
    fits : list of Logistic
        One per class that was seen.
    classes : array of int
        These classes.
    n_classes : int
        How many there are, seen or not.
    """

    view: View
    fits: list[Logistic]
    classes: Ints
    n_classes: int

    @property
    def log_evidence(self) -> float:
        """Log marginal likelihood of the labels."""
        return sum(f.log_evidence for f in self.fits)

    def probabilities(self) -> Floats:
        """Return P(Y = c | x) of all rows."""
        return self._spread([f.probabilities(self.view.vectors) for f in self.fits])

    def leave_one_out(self) -> Floats:
        """Return leave-one-out probabilities of the labelled rows."""
        return self._spread([f.leave_one_out for f in self.fits])

    def log_likelihood(self, labels: Ints) -> float:
        """Return the leave-one-out log-likelihood of the labels."""
        own = self.leave_one_out()[np.arange(labels.size), labels]
        return float(np.log(np.maximum(own, _TINY)).sum())

    def posterior_draw(self, rng: np.random.Generator) -> Floats:
        """Return P(Y = c | x) of all rows for weights drawn from the posterior."""
        return self._spread([f.posterior_draw(self.view.vectors, rng) for f in self.fits])

    def _spread(self, positive: list[Floats]) -> Floats:
        """Return class probabilities from those of each class against the others."""
        out = np.zeros((positive[0].size, self.n_classes))
        if len(positive) == 1:
            out[:, self.classes[0]], out[:, self.classes[1]] = 1.0 - positive[0], positive[0]
            return out
        out[:, self.classes] = np.stack(positive, axis=1)
        return np.asarray(out / np.maximum(out.sum(axis=1, keepdims=True), _TINY))


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
    views: Views, places: Ints, training: Matrix, rows: Matrix, labels: Ints, n_classes: int, seed: int
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
    labels : array of int
        Classes of the labelled rows.
    n_classes : int
        How many classes there are.
    seed : int
        Seed of the trees.
    """
    regressions = [r for view in views.all for r in _in_view(view, places, labels, n_classes)]
    merits = np.array([0.5 * (r.log_evidence + r.log_likelihood(labels)) for r in regressions])
    weights = np.exp(merits - merits.max())
    weights /= weights.sum()
    kept = np.flatnonzero(weights >= min(_NEGLIGIBLE, weights.max()))
    weights = weights[kept] / weights[kept].sum()
    regressions = [regressions[i] for i in kept]
    forest = _trees.grow(training, labels, n_classes, rows, seed)
    averaged = _mean(weights, [r.leave_one_out() for r in regressions])
    return Average(weights, regressions, forest, _stacking_weight(averaged, forest.out_of_bag, labels))


def _in_view(view: View, places: Ints, labels: Ints, n_classes: int) -> list[Regression]:
    """One regression per prior variance."""
    features = view.vectors[places].mean(axis=1, dtype=np.float64)
    classes = np.unique(labels)
    targets = classes[1:] if classes.size == 2 else classes
    found: list[Regression] = []
    for variance in view.variances:
        fits = []
        for i, c in enumerate(targets):
            start = found[-1].fits[i].weights if found else None
            fits.append(_logistic.fit(features, (labels == c).astype(np.float64), variance, start))
        found.append(Regression(view, fits, classes, n_classes))
    return found


def _mean(weights: Floats, found: list[Floats]) -> Floats:
    return np.asarray(sum(w * p for w, p in zip(weights, found, strict=True)))


def _stacking_weight(one: Floats, other: Floats, labels: Ints) -> float:
    """Return the weight of the first of two models: its posterior mean, given probabilities of labels left out."""
    at = np.arange(labels.size)
    a, b = np.maximum(one[at, labels], _TINY), np.maximum(other[at, labels], _TINY)
    log_posterior = np.array([np.log(w * a + (1.0 - w) * b).sum() for w in _WEIGHTS])
    log_posterior += _PREFERENCE * np.log(np.maximum(_WEIGHTS, _TINY))
    posterior = np.exp(log_posterior - log_posterior.max())
    return float(posterior @ _WEIGHTS / posterior.sum())
