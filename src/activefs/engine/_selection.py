"""From estimates and a choice of features to the Selection that users see."""

from __future__ import annotations

import numpy as np
from scipy.stats import false_discovery_control

from activefs.estimates import AssistedEstimates, Chance, Estimates
from activefs.pool import Pool
from activefs.selection import FeatureEstimates, Selection
from activefs.types import Bools, Floats, Ints

_FALSE_DISCOVERIES = 0.05
"""Share of features above chance that may be there by chance (Benjamini and Hochberg, 1995)."""


def make_selection(
    estimates: Estimates,
    best: Ints,
    limits: tuple[Floats, Floats],
    *,
    guaranteed_gap: float | None,
    settled: bool,
) -> Selection:
    """Describe the chosen features of the pool, in the given order.

    The quality of a feature is value(Y) - value(Y | X_j). The class shares behind value(Y) are estimated once
    for all features, so that the order is that of the conditional values. These stay within their `limits`: what is
    certain or guaranteed.
    """
    pool, criterion = estimates.pool, estimates.criterion
    total = float(criterion.value(estimates.class_shares(best)))
    values = (np.clip(some, *limits) for some in (estimates.value, estimates.upper, estimates.lower))
    scores, lower, upper = (total - some for some in values)
    if criterion.adjusted:  # a feature that tells nothing is below 0, and no bound need be lower than that
        lower = np.minimum(scores, np.maximum(lower, -estimates.chance.expected))
    else:
        scores, lower, upper = (np.maximum(numbers, 0.0) for numbers in (scores, lower, upper))
    chance = estimates.chance
    above = chance.exceeded(scores + chance.expected if criterion.adjusted else scores, estimates.delta)
    every = _every(pool, scores, lower, upper, chance, criterion.adjusted, above)
    return _chosen(
        every,
        best,
        estimates,
        guaranteed_gap,
        settled=settled,
    )


def make_assisted_selection(
    estimates: AssistedEstimates,
    plug_in: Estimates,
    best: Ints,
    limits: tuple[Floats, Floats],
    *,
    guaranteed_gap: float | None,
    expected_gap: float,
    ranked: bool,
) -> Selection:
    """Describe the chosen features by the assisted estimate, within `limits` of value(Y | X_j).

    If they are `ranked`, and not chosen by a rule that looks at several at once, it is known of every feature how
    likely it belongs to the best.

    A model also learns from what is there by chance, and completes the table accordingly. So a feature is above chance
    only if the labels alone say so, too: at a false discovery rate of 5% among all features.
    """
    pool, criterion = estimates.pool, estimates.criterion
    scores, lower, upper = estimates.scores(np.arange(pool.n_features))
    least, most = _limits_of_quality(plug_in, *limits)
    scores, lower, upper = (np.clip(numbers, least, most) for numbers in (scores, lower, upper))
    chance = estimates.chance
    # What is compared with chance is what the completed table shows, not what is expected of all labels.
    shown = np.maximum(estimates.total - estimates.value + (chance.expected if criterion.adjusted else 0.0), 0.0)
    above = chance.exceeded(shown, estimates.delta)
    every = _every(pool, scores, lower, upper, chance, criterion.adjusted, above)
    alone = float(criterion.value(plug_in.class_shares(best))) - plug_in.value
    if criterion.adjusted:
        alone = alone + plug_in.chance.expected
    every.above_chance[:] &= false_discovery_control(plug_in.chance.p_values(alone)) < _FALSE_DISCOVERIES
    if not estimates.informative:
        every.above_chance[:] = False
    return _chosen(
        every,
        best,
        estimates,
        guaranteed_gap,
        estimator="assisted",
        probability=_probability(estimates, best, certified=guaranteed_gap == 0.0) if ranked else None,
        expected_gap=expected_gap if guaranteed_gap is None else min(expected_gap, guaranteed_gap),
        informative=estimates.informative,
    )


def _probability(estimates: AssistedEstimates, best: Ints, *, certified: bool) -> Floats:
    """Return for every column of the table the believed probability that it belongs to the best k."""
    pool = estimates.pool
    of_features = np.zeros(pool.n_features)
    if certified:
        of_features[best] = 1.0
    else:
        of_features = estimates.probability(best.size)
    found = np.zeros(pool.n_columns)
    found[pool.columns] = of_features
    return found


def _limits_of_quality(plug_in: Estimates, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return limits of value(Y) - value(Y | X_j), given those of value(Y | X_j): rows without a label are of any class.

    Classes that nobody has seen yet are not reckoned with in value(Y): the estimate does not know of them either.
    """
    pool = plug_in.pool
    known = plug_in.counts[: pool.cardinalities[0]].sum(axis=0, dtype=np.int64)
    unknown = pool.n_rows - int(known.sum())
    least, most = plug_in.criterion.bounds(known[None] / pool.n_rows, (known[None] + unknown) / pool.n_rows)
    return least[0] - upper, most[0] - lower


def _every(
    pool: Pool, scores: Floats, lower: Floats, upper: Floats, chance: Chance, adjusted: bool, above: Bools
) -> FeatureEstimates:
    expected = np.maximum(chance.expected, 0.0)
    if adjusted:
        expected = np.zeros_like(expected)
    return FeatureEstimates(pool.columns, pool.names, scores, lower, upper, expected, above)


def _chosen(
    every: FeatureEstimates,
    best: Ints,
    estimates: Estimates | AssistedEstimates,
    guaranteed_gap: float | None,
    **more: object,
) -> Selection:
    pool = estimates.pool
    encodings = [pool.encodings[j] for j in best]
    return Selection(
        features=pool.columns[best],
        names=tuple(pool.names[j] for j in best),
        scores=every.scores[best],
        lower=every.lower[best],
        upper=every.upper[best],
        chance=every.chance[best],
        above_chance=every.above_chance[best],
        values=tuple(tuple(e.label(v) for v in range(e.n_values)) for e in encodings),
        all_features=every,
        certified=guaranteed_gap == 0.0,
        guaranteed_gap=guaranteed_gap,
        delta=estimates.delta,
        n_labels=estimates.n_labels,
        criterion=estimates.criterion.name,
        **more,  # type: ignore[arg-type]
    )
