"""Choices that ask the model: rows whose label it cannot tell."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.model import Completion
from activefs.strategies._base import State, Strategy, draw_random
from activefs.strategies._draws import Draw, Mixture
from activefs.ties import TIE
from activefs.types import Estimator, Floats, Ints

_UNIFORM = 0.5
"""Share of the draws of "assisted" in which all rows have the same chance, whatever the model says."""


class Uncertainty(Strategy):
    """Label a row whose two likeliest classes the model can hardly tell apart.

    The row is drawn at random from the most uncertain ones, five times as many as labels arrive until the model learns
    again: the most uncertain row itself is often just odd. The first eleven rows are drawn from all, alike: the model
    learns from ten labels, and what it has learnt is used one label later. The choice does not depend on k.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    See Also
    --------
    Assisted : Draws every second row at random; the default.
    ActiveML : Uncertainty by a classifier of your own, and other strategies of scikit-activeml.

    Notes
    -----
    With p_1 and p_2 the two largest class probabilities that the model gives a row, rows with the smallest p_1 - p_2
    are the most uncertain ones; with `cost`, those with the largest (1 - p_1 + p_2) per cost. Guide:
    :doc:`/guide/strategies`. The model: :doc:`/method/assisted`.

    Examples
    --------
    Two columns make the label, by their sum; it is hard to tell where the sum is 2 or 3. These are the rows asked:

    >>> import numpy as np
    >>> from activefs import Session
    >>> X = np.random.default_rng(0).integers(0, 3, size=(300, 12))
    >>> total = X[:, 3] + X[:, 7]
    >>> session = Session(X, k=2, strategy="uncertainty", random_state=0)
    >>> for _ in range(40):
    ...     row = session.ask()
    ...     session.tell(row, int(total[row] > 2))
    >>> hard = np.isin(total, [2, 3])
    >>> bool(hard[session.labelled[20:]].mean() > 0.9), round(float(hard.mean()), 2)
    (True, 0.54)
    """

    name: ClassVar[str] = "uncertainty"
    estimator: ClassVar[Estimator] = "assisted"
    needs_assistant: ClassVar[bool] = True
    needs_k: ClassVar[bool] = False
    reads_values: ClassVar[bool] = True
    _among: ClassVar[float] = 5.0

    def ask(self, state: State, rng: np.random.Generator) -> int | Draw:
        """Choose a row.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        rng : numpy.random.Generator
            Draws, and breaks ties.

        Returns
        -------
        int or Draw
            One of the open rows; a Draw where it was drawn from all, with the probabilities of all.
        """
        assert state.assistant is not None
        open_rows = np.flatnonzero(state.open_rows.holds(state.assistant.rows))
        completion = state.completion() if open_rows.size else None
        if completion is None:
            return draw_random(state, rng)
        return self._pick(completion, open_rows, state, rng)

    def _pick(self, completion: Completion, open_rows: Ints, state: State, rng: np.random.Generator) -> int | Draw:
        wanted = int(self._among * max(5, state.n_learnt // 10))
        gains = _per_cost(1.0 - margins(completion.probabilities[open_rows]), completion, open_rows, state)
        if wanted < gains.size:
            enough = np.partition(gains, gains.size - wanted)[gains.size - wanted]
            open_rows = open_rows[gains >= enough - TIE]
        return int(completion.rows[open_rows[rng.integers(open_rows.size)]])


class Assisted(Uncertainty):
    r"""Label uncertain rows, and rows drawn at random, in turns.

    The uncertain ones teach the model most where it is nearly right. The others keep it honest where it is wrong
    and sure of itself: half of their probability is the same for all rows, half in proportion to how uncertain a row
    is. What can be guaranteed rests on them. The first eleven rows are drawn from all, alike: the model learns from ten
    labels, and what it has learnt is used one label later. The choice does not depend on k.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    See Also
    --------
    Uncertainty : Without the rows drawn at random.
    RandomRows : All rows drawn, all alike; with ``estimator="assisted"`` close behind.
    AFS : The algorithm of the paper, without a model.

    Notes
    -----
    Every first of two rows is one of the most uncertain, as in :class:`Uncertainty`, here drawn from half as many.
    Every second is drawn from all m open rows with the probabilities

    .. math::

       \pi(x) = \frac{1}{2 m} + \frac{u(x)}{2 \sum_{x'} u(x')}, \qquad u(x) = 1 - \sum_c P(c \mid x)^2,

    P being what the model says. With `cost`, both look at uncertainty per cost. Guide: :doc:`/guide/strategies`. The
    model, and how features are judged by it: :doc:`/method/assisted`.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, size=(300, 12))
    >>> y = (X[:, 3] + X[:, 7] > 2).astype(int)
    >>> session = Session(X, k=2, strategy="assisted", budget=40, random_state=0)
    >>> while not session.finished:
    ...     row = session.ask()
    ...     session.tell(row, int(y[row]))
    >>> sorted(session.selection().features.tolist())
    [3, 7]
    """

    name: ClassVar[str] = "assisted"
    _among: ClassVar[float] = 2.5

    def _pick(self, completion: Completion, open_rows: Ints, state: State, rng: np.random.Generator) -> int | Draw:
        turn = state.labelled.size - state.n_learnt + state.pending.size
        if turn % 2 == 0:
            return super()._pick(completion, open_rows, state, rng)
        p = completion.probabilities[open_rows]
        weights = _per_cost(1.0 - np.einsum("ij,ij->i", p, p), completion, open_rows, state)
        weights = np.maximum(weights, 0.0)
        if (total := weights.sum()) > 0:
            chances = Mixture(_UNIFORM, completion.rows[open_rows], (1.0 - _UNIFORM) * weights / total)
        else:
            chances = Mixture(1.0, open_rows[:0], weights[:0])
        return Draw(chances.draw(state.open_rows, rng), chances)


def margins(probabilities: Floats) -> Floats:
    """Difference between the two largest class probabilities of each row.

    Examples
    --------
    >>> margins(np.array([[0.5, 0.25, 0.25], [0.125, 0.875, 0.0]])).tolist()
    [0.25, 0.75]
    """
    top = np.partition(probabilities, -2, axis=1)[:, -2:]
    return np.asarray(top[:, 1] - top[:, 0])


def _per_cost(gains: Floats, completion: Completion, open_rows: Ints, state: State) -> Floats:
    return gains if state.cost is None else gains / state.cost[completion.rows[open_rows]]
