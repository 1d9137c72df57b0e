"""RANDOM: the passive baseline."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs.strategies._base import State, Strategy, draw_random
from activefs.strategies._draws import Draw


class RandomRows(Strategy):
    """Label rows drawn at random, all alike.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    Examples
    --------
    >>> RandomRows().name
    'random'
    """

    name: ClassVar[str] = "random"
    needs_k: ClassVar[bool] = False

    def ask(self, state: State, rng: np.random.Generator) -> Draw:
        """Draw any available row."""
        return draw_random(state, rng)
