"""What is believed of the quality of features: a value to report, bounds, and who belongs to the best.

Errors are studied on the scale of r = sqrt(quality), on which they depend on little else than the number of labels, as
those of a proportion do after its arcsine transformation: quality is about the square of a difference between class
shares, and those are known to about 1 / sqrt(n). An error has two parts. One is common to all features of a table: the
model is timid or bold as a whole. It moves the reported values, but hardly changes who is best. The other is a
feature's own, and decides how sure the choice is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, stdtr, stdtrit

from activefs.estimates._constants import SHIPPED, BeliefConstants
from activefs.types import Bools, Floats, Ints

_FREEDOM = 5
"""Degrees of freedom of Student's t: how far a table is from what other tables have shown is itself uncertain."""
_DRAWS = 1000
"""With fewer, what is expected would depend on the seed: by a tenth to a third of itself with 200."""
_CANDIDATES = 200
_BORDERS = 200
_FEW = 25
_AT_LEAST = 0.3
"""Doubt that is there in any case, in units of the error, whatever the model shows."""
_OPEN = 1 / 3
"""Power of the share that the model leaves unexplained, where features are compared."""
_GRID = 400
_TINY = 1e-9
_TAILS = np.sqrt(2.0 * gammaincinv(_FREEDOM / 2, (np.arange(_DRAWS) + 0.5) / _DRAWS) / _FREEDOM)
"""By what normal errors are divided to have the tails of Student's t: quantiles of sqrt(chi^2 / freedom), not draws."""


class Signs(NamedTuple):
    """What tells how far an estimate may be from the truth.

    Attributes
    ----------
    n_labels, n_rows : float, int
        Labels so far, where one that is not settled counts as a part of one; rows of the pool.
    seen, seen_once : int
        Classes with labels, and with one label: as many labels of n are expected to be of classes not seen yet (Good
        and Turing).
    connected : bool
        Whether the labels have shown that anything in the table has to do with them.
    unexplained : float
        Share of the label's impurity that the model leaves.
    level : float
        Mean root of the leading features.
    sharpening : float
        By how much sharper probabilities raise that mean: the doubt about how bold the model should be.
    scatter : float
        Standard deviation of the roots of the leading features over draws from the model's posterior, but for what
        they have in common.
    unit : float
        Impurity of the class shares as the criterion counts it, divided by their entropy.
    """

    n_labels: float
    n_rows: int
    seen: int
    seen_once: int
    connected: bool
    unexplained: float
    level: float
    sharpening: float
    scatter: float
    unit: float = 1.0


class Belief:
    """A distribution of the quality of all features, from their estimates and signs of how good these are.

    With every row labelled its width is 0, and the reported values are the estimates.

    Parameters
    ----------
    roots : array of shape (d,)
        Square roots of the estimated qualities.
    signs : Signs
        What tells how far they may be off.
    constants : BeliefConstants
        What other tables have shown.
    seed : int
        Seed of the draws.

    Attributes
    ----------
    centre : array of shape (d,)
        Where the roots are believed to be.
    spread : array of shape (d,)
        Scale of their errors.
    own : float
        Scale of the part of an error that is a feature's own.

    Examples
    --------
    >>> signs = Signs(100, 1000, 2, 0, True, unexplained=0.5, level=0.4, sharpening=0.05, scatter=0.02)
    >>> belief = Belief(np.array([0.5, 0.42, 0.4, 0.1]), signs)
    >>> belief.probability(2).round(1).tolist()
    [1.0, 0.7, 0.3, 0.0]
    >>> lower, upper = belief.bounds(0.05)
    >>> bool((lower < belief.reported).all() and (belief.reported < upper).all())
    True
    """

    def __init__(self, roots: Floats, signs: Signs, constants: BeliefConstants = SHIPPED, seed: int = 0) -> None:
        self._constants, self._seed = constants, seed
        n, level = max(signs.n_labels, 1), max(signs.level, _TINY)
        left = min(signs.unexplained + constants.never_sure, 1.0)
        # One label's worth of error; rows that are labelled have none.
        unit = float(np.sqrt(signs.unit * left * max(1.0 - signs.n_labels / signs.n_rows, 0.0) / n))
        timid = constants.timid * unit * min(1.0, _FEW / n) - constants.softer * signs.sharpening
        # A model of many classes is slow to say what it has learnt; but nothing is made of nothing: as long as no
        # connection is shown, this is what may be, not what is reported.
        slow = constants.classes * unit * max(signs.seen - 2, 0) * signs.unexplained * np.sqrt(_FEW / n)
        slow = min(float(slow), level) / level
        unseen = min(constants.unseen * signs.seen_once / n, 0.5) if unit > 0 else 0.0
        self.centre = np.maximum(roots * (1.0 + timid / level + unseen + (slow if signs.connected else 0.0)), 0.0)
        self._above = np.zeros_like(roots) if signs.connected else roots * slow
        growth = (n / 100) ** constants.growth
        common = constants.common * growth * np.sqrt(unit * (signs.sharpening + _AT_LEAST * unit))
        own = float(np.sqrt(unit * (signs.scatter + _AT_LEAST * unit)))
        self.own = constants.own * growth * own
        self.spread = np.hypot(common * roots / level, self.own)
        self._compared = constants.choice * (n / 100) ** constants.growth_compared * left**_OPEN * own

    @cached_property
    def reported(self) -> Floats:
        """The quality to report: nearly its mean, which is larger than the square of the mean root."""
        return np.asarray(self.centre**2 + self._constants.curvature * self.spread**2)

    def bounds(self, delta: float) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of the quality that are believed to hold with probability 1 - delta each.

        Parameters
        ----------
        delta : float
            Confidence parameter, in (0, 1).
        """
        away = self._constants.tails * float(stdtrit(_FREEDOM, 1.0 - delta / 2)) * self.spread
        return np.maximum(self.centre - away, 0.0) ** 2, (self.centre + self._above + away) ** 2

    def own_bounds(self, delta: float) -> tuple[Floats, Floats]:
        """Return the same where features are compared with each other: without what their errors have in common.

        Parameters
        ----------
        delta : float
            Confidence parameter, in (0, 1).
        """
        away = float(stdtrit(_FREEDOM, 1.0 - delta / 2)) * self._compared
        return np.maximum(self.centre - away, 0.0) ** 2, (self.centre + away) ** 2

    def probability(self, k: int) -> Floats:
        """Return the probability of every feature to be among the k best; the better it looks, the larger it is.

        A feature is among them if its root is above a border, that of drawn tables. The border is moved a little, so
        that the probabilities add up to k.

        Parameters
        ----------
        k : int
            How many.
        """
        if k >= self.centre.size:
            return np.ones(self.centre.size)
        _, drawn = self._drawn
        scale = max(self._compared, _TINY)
        last = drawn.shape[1] - k - 1
        borders = np.partition(drawn, (last, last + 1), axis=1)[:, last : last + 2].mean(axis=1)
        borders = np.sort(borders).reshape(_BORDERS, -1).mean(axis=1)  # fewer of them say the same
        grid = np.linspace(borders.min() - 12 * scale, borders.max() + 12 * scale, _GRID)
        above = stdtr(_FREEDOM, (grid[:, None] - borders) / scale).mean(axis=1)
        low, high = self.centre.min() - grid[-1], self.centre.max() - grid[0]  # all are above, all are below
        for _ in range(60):
            middle = 0.5 * (low + high)
            enough = np.interp(self.centre - middle, grid, above).sum() > k
            low, high = (middle, high) if enough else (low, middle)
        return np.asarray(np.interp(self.centre - 0.5 * (low + high), grid, above))

    def expected_gap(self, leaders: Ints) -> float:
        """Return the quality that the leaders are expected to lack against the best choice of as many features.

        Parameters
        ----------
        leaders : array of int
            Numbers of features.
        """
        among, drawn = self._drawn
        others = np.setdiff1d(leaders, among)  # a rule may choose what looks less likely alone
        if others.size:
            among = np.concatenate([among, others])
            drawn = np.hstack([drawn, np.broadcast_to(self.centre[others], (_DRAWS, others.size))])
        chosen = np.isin(among, leaders)
        plain = float(_lacking(self.centre[among][None, :], chosen)[0])  # by a rule that does not choose the best
        return plain + self._constants.gap * max(float(_lacking(drawn, chosen).mean()) - plain, 0.0)

    def expected_lack(self, lacking: Callable[[Floats], float], n_draws: int) -> float:
        """Return what is expected of anything that the qualities of all features lack, from some drawn tables.

        Parameters
        ----------
        lacking : callable
            Gives what is lacking if these are the qualities of all features.
        n_draws : int
            How many tables are drawn.
        """
        among, drawn = self._drawn
        qualities = self.centre**2
        plain = lacking(qualities)
        found = []
        for roots in drawn[:n_draws]:
            some = qualities.copy()
            some[among] = np.maximum(roots, 0.0) ** 2
            found.append(lacking(some))
        return plain + self._constants.gap * max(float(np.mean(found)) - plain, 0.0)

    @cached_property
    def _drawn(self) -> tuple[Ints, Floats]:
        """The likeliest features, and their roots in drawn tables; what errors have in common changes no order."""
        size = min(self.centre.size, _CANDIDATES)
        among = np.sort(np.argsort(-self.centre, kind="stable")[:size])
        rng = np.random.default_rng([self._seed, size])
        heavy = rng.permutation(_TAILS)[:, None]
        errors = rng.standard_normal((_DRAWS, size)) / heavy
        return among, self.centre[among] + self._compared * errors


def _lacking(roots: Floats, chosen: Bools) -> Floats:
    """Return the quality that chosen features lack against as many best ones, for each row of roots."""
    quality, k = np.maximum(roots, 0.0) ** 2, int(chosen.sum())
    best = -np.partition(-quality, k - 1, axis=1)[:, :k].sum(axis=1)
    return np.asarray(best - quality[:, chosen].sum(axis=1))
