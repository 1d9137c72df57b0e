"""The score of one value of one feature: how much a label there would help that feature alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.strategies._base import State
from activefs.types import Floats, Ints


@dataclass(frozen=True)
class CellScores:
    """a_j(v) for the values of some features, one after the other.

    ``values[offsets[i] + v]`` belongs to value v of the i-th feature.
    """

    values: Floats
    offsets: Ints


def single_feature_scores(state: State, features: Ints) -> CellScores:
    """a_j(v) = w_I(j, v) / (n(j, v) + 1), the static allocation of Eq. (winf) over the draws so far.

    w_I(v) = alpha(v) / sum_u alpha(u), alpha(v) = p_v UCB(g, q^l_v, q^u_v). Rows asked and not yet
    answered count as drawn.
    """
    pool = state.pool
    sizes = pool.cardinalities[features]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    cells = np.arange(offsets[-1]) + np.repeat(pool.offsets[features] - offsets[:-1], sizes)
    alpha = pool.shares[cells] * state.estimates.spread_upper(cells)
    totals = np.add.reduceat(alpha, offsets[:-1])
    weights = alpha / np.repeat(np.where(totals > 0, totals, 1.0), sizes)
    draws = state.estimates.draws(cells).astype(np.float64)
    if state.pending.size:
        for codes in pool.codes_of(state.pending, features).T:
            draws[offsets[:-1] + codes] += 1
    return CellScores(weights / (draws + 1.0), offsets[:-1])
