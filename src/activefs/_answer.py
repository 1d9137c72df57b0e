"""From estimates and a choice of features to the Selection that users see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activefs.estimates import Estimates
from activefs.types import Selection


def make_selection(estimates: Estimates, best: NDArray[np.int64], *, certified: bool) -> Selection:
    """Describe the chosen features of the pool, in the given order.

    The quality of a feature is value(Y) - value(Y | X_j). The class shares behind value(Y) are estimated once
    for all features, so that the order is that of the conditional values.
    """
    pool, criterion = estimates.pool, estimates.criterion
    total = float(criterion.value(estimates.class_shares(best)))
    encodings = [pool.encodings[j] for j in best]
    return Selection(
        features=pool.columns[best],
        names=tuple(pool.names[j] for j in best),
        scores=np.maximum(total - estimates.value[best], 0.0),
        lower=np.maximum(total - estimates.upper[best], 0.0),
        upper=np.maximum(total - estimates.lower[best], 0.0),
        certified=certified,
        values=tuple(tuple(e.label(v) for v in range(e.n_values)) for e in encodings),
        n_labels=estimates.n_labels,
        criterion=criterion.name,
    )
