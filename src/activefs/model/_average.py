"""The model used by default: logistic regressions in many views, averaged, stacked with extra trees.

Which regressions count is decided by two measures that each have a weakness: the evidence believes too much in a view
that suits the first labels, the held-out likelihood is noisy. The weights are their geometric mean.
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
    def evidence(self) -> float:
        """Log probability of the labels."""
        return sum(f.evidence for f in self.fits)

    def probabilities(self) -> Floats:
        """P(Y = c | x) of all rows."""
        return self._spread([f.probabilities(self.view.vectors) for f in self.fits])

    def held_out(self) -> Floats:
        """The same of the labelled rows, their own labels left out."""
        return self._spread([f.held_out for f in self.fits])

    def foretold(self, labels: Ints) -> float:
        """Log probability of the labels, each told from the others."""
        own = self.held_out()[np.arange(labels.size), labels]
        return float(np.log(np.maximum(own, _TINY)).sum())

    def draw(self, rng: np.random.Generator) -> Floats:
        """The same of all rows for weights drawn from the posterior."""
        return self._spread([f.draw(self.view.vectors, rng) for f in self.fits])

    def _spread(self, positive: list[Floats]) -> Floats:
        """Class probabilities from those of each class against the others."""
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
        The regressions that matter, weighted by the evidence for each and by how well it foretells held-out labels.
    forest : Forest
        The trees.
    share : float
        Weight of the regressions together; the trees have the rest (stacking by held-out likelihood).
    """

    weights: Floats
    regressions: list[Regression]
    forest: _trees.Forest
    share: float

    def probabilities(self) -> Floats:
        """P(Y = c | x) of all rows."""
        found = [r.probabilities() for r in self.regressions]
        return self.share * _mean(self.weights, found) + (1.0 - self.share) * self.forest.probabilities()

    def held_out(self) -> Floats:
        """The same of the labelled rows, their own labels left out."""
        found = [r.held_out() for r in self.regressions]
        return self.share * _mean(self.weights, found) + (1.0 - self.share) * self.forest.held_out

    def draw(self, rng: np.random.Generator) -> Floats:
        """The same of all rows, drawn from what is uncertain."""
        regression = self.regressions[int(rng.choice(self.weights.size, p=self.weights))]
        return self.share * regression.draw(rng) + (1.0 - self.share) * self.forest.draw(rng)


def learn(views: Views, places: Ints, taught: Matrix, rows: Matrix, labels: Ints, n_classes: int, seed: int) -> Average:
    """Learn from labels of at least two classes.

    Parameters
    ----------
    views : Views
        Of the sampled rows.
    places : array of shape (t, n)
        For each labelled row the sampled rows that stand for it: itself, or its neighbours.
    taught, rows : arrays
        The labelled rows and the sampled rows as numbers.
    labels : array of int
        Classes of the labelled rows.
    n_classes : int
        How many classes there are.
    seed : int
        Seed of the trees.
    """
    regressions = [r for view in views.all for r in _in_view(view, places, labels, n_classes)]
    evidence = np.array([0.5 * (r.evidence + r.foretold(labels)) for r in regressions])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    kept = np.flatnonzero(weights >= min(_NEGLIGIBLE, weights.max()))
    weights = weights[kept] / weights[kept].sum()
    regressions = [regressions[i] for i in kept]
    forest = _trees.grow(taught, labels, n_classes, rows, seed)
    smooth = _mean(weights, [r.held_out() for r in regressions])
    return Average(weights, regressions, forest, _stacked(smooth, forest.held_out, labels))


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


def _stacked(one: Floats, other: Floats, labels: Ints) -> float:
    """Weight of the first of two models: its posterior mean, given held-out probabilities of the labels."""
    at = np.arange(labels.size)
    a, b = np.maximum(one[at, labels], _TINY), np.maximum(other[at, labels], _TINY)
    likelihood = np.array([np.log(w * a + (1.0 - w) * b).sum() for w in _WEIGHTS])
    likelihood += _PREFERENCE * np.log(np.maximum(_WEIGHTS, _TINY))
    posterior = np.exp(likelihood - likelihood.max())
    return float(posterior @ _WEIGHTS / posterior.sum())
