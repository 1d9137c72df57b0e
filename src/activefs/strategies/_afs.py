"""AFS: the paper's active feature selection (Alg. AFS)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, get_args

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.pool import RowScores
from activefs.strategies._base import State, Strategy, check_fraction, check_positive, draw_random, pick_best
from activefs.strategies._draws import Draw
from activefs.strategies._pairs import PairScores, Psi, RhoFloor
from activefs.strategies._single_scores import single_feature_scores
from activefs.ties import TIE
from activefs.types import Floats, Ints


class AFS(Strategy):
    """Label the row that helps the contested features most, corrected for sampling bias.

    score(x, F) = psi over j in F of [ a_j(x_j) * psi over r in F, r != j, of rho_jr(x_j, x_r) ], where
    a_j(v) = w_I(j, v) / (n(j, v) + 1) and rho = pool share over labelled share of a pair of values.

    Parameters
    ----------
    psi : {"l1", "l2", "linf"}, default "l1"
        Norm that aggregates, on both levels.
    safeguard : int or None, default 30
        Lambda: if the sum of the k smallest estimates has not changed over this many questions, all
        further rows are chosen at random. None switches it off.
    tolerance : float, default 0.005
        Relative change up to which the sum counts as unchanged.
    rho_floor : {"labelled", "pool"}, default "labelled"
        Smallest labelled share of a pair: one over the labelled rows, or one over the pool (as the
        paper prints it).
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> X = np.random.default_rng(0).integers(0, 3, size=(50, 8))
    >>> session = Session(X, k=2, strategy=AFS(psi="l2"), random_state=0)
    >>> 0 <= session.ask() < 50
    True
    """

    name: ClassVar[str] = "afs"
    stops_when_settled: ClassVar[bool] = True

    def __init__(
        self,
        *,
        psi: Psi = "l1",
        safeguard: int | None = 30,
        tolerance: float = 0.005,
        rho_floor: RhoFloor = "labelled",
        unseen: float = 0.5,
    ) -> None:
        if psi not in get_args(Psi):
            raise InvalidInputError(f"psi must be one of {', '.join(get_args(Psi))}; got {psi!r}")
        if rho_floor not in get_args(RhoFloor):
            raise InvalidInputError(f"rho_floor must be one of {', '.join(get_args(RhoFloor))}; got {rho_floor!r}")
        check_positive("safeguard", safeguard, optional=True)
        check_fraction("tolerance", tolerance)
        super().__init__(unseen=unseen)
        self.psi: Psi = psi
        self.safeguard = safeguard
        self.tolerance = tolerance
        self.rho_floor: RhoFloor = rho_floor
        self._pairs: PairScores | None = None

    def ask(self, state: State, rng: np.random.Generator) -> int | Draw:
        """Choose the available row with the largest score."""
        if stalled(state.history, self.safeguard, self.tolerance):
            return draw_random(state, rng)
        features = state.contested().features
        if features.size == 0:
            return draw_random(state, rng)
        return pick_best(self.row_scores(state, features), state, rng)

    def row_scores(self, state: State, features: Ints) -> RowScores:
        """score(x, F) as a function of a row's codes, up to a constant factor."""
        if self._pairs is None or self._pairs.pool is not state.pool:
            self._pairs = PairScores(state.pool)
        cells = single_feature_scores(state, features)
        return self._pairs.tables(state, features, cells, self.psi, self.rho_floor)

    def score(self, state: State, features: Ints) -> Floats:
        """score(x, F) of every row, up to a constant factor."""
        return state.pool.scores_of_all(self.row_scores(state, features), state.threads)


def stalled(history: Sequence[float], window: int | None, tolerance: float) -> bool:
    """Whether the sum of the k smallest estimates has ever stood still for `window` questions.

    `history` holds the sum before each question so far, and now. It stood still at a time if from each of the `window`
    sums before to the sum at that time the relative change is at most `tolerance`.

    Examples
    --------
    >>> stalled([1.0, 0.5, 0.5, 0.5], window=2, tolerance=0.0)
    True
    >>> stalled([1.0, 0.5, 0.5, 0.4], window=2, tolerance=0.0)
    False
    """
    if window is None or len(history) <= window:
        return False
    sums = np.asarray(history)
    views = np.lib.stride_tricks.sliding_window_view(sums, window + 1)
    before, now = views[:, :-1], views[:, -1:]
    same = np.abs(now - before) <= max(tolerance, TIE) * np.abs(before) + _ROUNDING
    return bool(same.all(axis=1).any())


_ROUNDING = 1e-15  # sums of nought differ by this much at the most
