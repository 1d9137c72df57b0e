"""Sums of single-feature scores, for the ablations that have no pair term."""

from __future__ import annotations

import numpy as np

from activefs._kernels import threads
from activefs._kernels.pairs import score_cells
from activefs.strategies._base import State
from activefs.strategies._single_scores import single_feature_scores
from activefs.types import Floats, Ints


def sum_of_scores(state: State, features: Ints) -> Floats:
    """Sum over the features of a_j(x_j), for every row."""
    cells = single_feature_scores(state, features)
    out = np.empty(state.pool.n_rows)

    def work(start: int, stop: int) -> None:
        score_cells(state.pool.codes, features, cells.offsets, cells.values, start, stop, out)

    threads.in_blocks(work, out.size, state.threads, smallest=2_000_000 // max(1, features.size))
    return out
