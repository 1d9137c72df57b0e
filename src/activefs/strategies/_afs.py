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
    r"""Label the row that helps the contested features most, corrected for sampling bias.

    The algorithm of the paper [1]_. It needs no model: every feature is judged by the labels of its own values, and by
    their confidence intervals. The session ends when these leave no other feature contested.

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

    See Also
    --------
    AFSNoSafeguard : Never falls back to random rows.
    AverageOfContested : Without the correction for sampling bias.
    Assisted : The default, which needs fewer labels.

    Notes
    -----
    The score of a row x for the contested features F is

    .. math::

       \mathrm{score}(x, F) = \psi_{j \in F} \left( a_j(x_j) \cdot \psi_{r \in F, \, r \ne j} \, \rho_{jr}(x_j, x_r)
       \right), \qquad a_j(v) = \frac{w_I(j, v)}{n(j, v) + 1},

    where w_I is the share of the labels that a value of feature j should have, n the number that it has, and rho the
    share of a pair of values among all rows over its share among the labelled ones. Every formula, with an example in
    numpy: :doc:`/method/algorithm`; where the print cannot be meant literally: :doc:`/method/readings`. Guide:
    :doc:`/guide/strategies`.

    References
    ----------
    .. [1] Schnapp, S. and Sabato, S. (2021): Active feature selection for the mutual information criterion. AAAI.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> from activefs.strategies import AFS
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(100, 6))
    >>> y = X[:, 2] ^ (rng.random(100) < 0.05)
    >>> session = Session(X, k=1, strategy=AFS(psi="l2"), random_state=0)
    >>> while not session.finished:
    ...     row = session.ask()
    ...     session.tell(row, int(y[row]))
    >>> session.leaders().tolist(), session.settled, session.n_labels < 100
    ([2], True, True)
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
        """Choose the available row with the largest score; draw one if nothing is contested, or estimates stand still.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        rng : numpy.random.Generator
            Draws, and breaks ties.

        Returns
        -------
        int or Draw
            The row.
        """
        if stalled(state.history, self.safeguard, self.tolerance):
            return draw_random(state, rng)
        features = state.contested().features
        if features.size == 0:
            return draw_random(state, rng)
        return pick_best(self.row_scores(state, features), state, rng)

    def row_scores(self, state: State, features: Ints) -> RowScores:
        """score(x, F) as a function of a row's codes, up to a constant factor.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        features : array of int
            F, numbers of the contested features.

        Returns
        -------
        RowScores
            What a pool computes wherever its rows are.
        """
        if self._pairs is None or self._pairs.pool is not state.pool:
            self._pairs = PairScores(state.pool)
        cells = single_feature_scores(state, features)
        return self._pairs.tables(state, features, cells, self.psi, self.rho_floor)

    def score(self, state: State, features: Ints) -> Floats:
        """score(x, F) of every row, up to a constant factor.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        features : array of int
            F, numbers of the contested features.

        Returns
        -------
        array of float, shape (n_rows,)
            The scores.
        """
        return state.pool.scores_of_all(self.row_scores(state, features), state.threads)


def stalled(history: Sequence[float], window: int | None, tolerance: float) -> bool:
    """Whether the sum of the k smallest estimates has ever stood still for `window` questions.

    It stood still at a time if from each of the `window` sums before to the sum at that time the relative change is at
    most `tolerance`.

    Parameters
    ----------
    history : sequence of float
        The sum before each question so far, and now: ``state.history``.
    window : int or None
        Lambda, the number of questions; None: never.
    tolerance : float
        Relative change up to which the sum counts as unchanged.

    Returns
    -------
    bool
        Whether the safeguard of :class:`AFS` has fired.

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
