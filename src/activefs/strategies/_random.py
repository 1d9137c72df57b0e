"""RANDOM: the passive baseline."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.strategies._base import State, Strategy, draw_random
from activefs.strategies._draws import Draw


class RandomRows(Strategy):
    """Label rows drawn at random, all alike.

    The labelled rows are a random sample of the table, which may serve other purposes, too.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    See Also
    --------
    Assisted : Draws every second row at random.

    Notes
    -----
    Its estimate is the plug-in one, as in the paper; ``estimator="assisted"`` needs fewer labels, and what is
    guaranteed does not depend on it. Guide: :doc:`/guide/strategies`, :doc:`/guide/certainty`.

    Examples
    --------
    >>> from activefs import Session
    >>> X = [[a, b] for a in range(2) for b in range(2)] * 25
    >>> session = Session(X, k=1, strategy="random", random_state=0)
    >>> rows = session.ask(100)
    >>> sorted(rows.tolist()) == list(range(100))  # every row once, in an order that the seed decides
    True
    >>> bool((Session(X, k=1, strategy="random", random_state=0).ask(100) == rows).all())
    True
    """

    name: ClassVar[str] = "random"
    needs_k: ClassVar[bool] = False

    def ask(self, state: State, rng: np.random.Generator) -> Draw:
        """Draw any available row.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        rng : numpy.random.Generator
            Draws, and breaks ties.

        Returns
        -------
        Draw
            The row; all open ones were as likely.
        """
        return draw_random(state, rng)
