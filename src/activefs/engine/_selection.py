"""From estimates and a choice of features to the Selection that users see."""

from __future__ import annotations

import numpy as np

from activefs.estimates import AssistedEstimates, Estimates
from activefs.pool import Pool
from activefs.selection import FeatureEstimates, Selection
from activefs.types import Ints


def make_selection(estimates: Estimates, best: Ints, *, certified: bool) -> Selection:
    """Describe the chosen features of the pool, in the given order.

    The quality of a feature is value(Y) - value(Y | X_j). The class shares behind value(Y) are estimated once
    for all features, so that the order is that of the conditional values.
    """
    pool, criterion = estimates.pool, estimates.criterion
    total = float(criterion.value(estimates.class_shares(best)))
    return Selection(
        features=pool.columns[best],
        names=tuple(pool.names[j] for j in best),
        scores=np.maximum(total - estimates.value[best], 0.0),
        lower=np.maximum(total - estimates.upper[best], 0.0),
        upper=np.maximum(total - estimates.lower[best], 0.0),
        certified=certified,
        values=_values(pool, best),
        n_labels=estimates.n_labels,
        criterion=criterion.name,
        all_features=FeatureEstimates(
            features=pool.columns,
            names=pool.names,
            scores=np.maximum(total - estimates.value, 0.0),
            lower=np.maximum(total - estimates.upper, 0.0),
            upper=np.maximum(total - estimates.lower, 0.0),
        ),
    )


def make_assisted_selection(estimates: AssistedEstimates, best: Ints) -> Selection:
    """Describe the chosen features by the assisted estimate; it certifies nothing."""
    pool = estimates.pool
    scores, lower, upper = estimates.scores(best)
    least, most = estimates.bounds()
    return Selection(
        features=pool.columns[best],
        names=tuple(pool.names[j] for j in best),
        scores=scores,
        lower=lower,
        upper=upper,
        certified=False,
        values=_values(pool, best),
        n_labels=estimates.n_labels,
        criterion=estimates.criterion.name,
        estimator="assisted",
        expected_gap=estimates.expected_gap(best),
        informative=estimates.informative,
        all_features=FeatureEstimates(
            features=pool.columns,
            names=pool.names,
            scores=np.maximum(estimates.total - estimates.value, 0.0),
            lower=np.maximum(estimates.total - most, 0.0),
            upper=np.maximum(estimates.total - least, 0.0),
        ),
    )


def _values(pool: Pool, best: Ints) -> tuple[tuple[str, ...], ...]:
    """What the values of each feature are."""
    encodings = [pool.encodings[j] for j in best]
    return tuple(tuple(e.label(v) for v in range(e.n_values)) for e in encodings)
