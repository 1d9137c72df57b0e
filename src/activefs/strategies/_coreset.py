"""CORESET: rows that cover the pool, whatever their labels."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from activefs._kernels.distances import hamming
from activefs.pool import Pool
from activefs.strategies._base import Draw, State, Strategy, draw_random, pick_best
from activefs.types import Int32s


class Coreset(Strategy):
    """Label the row farthest from all rows labelled so far (farthest-first traversal).

    The distance of two rows is the number of features in which they differ; the first row is drawn
    at random. Labels are never looked at, and the choice does not depend on k. Rows asked and not
    yet answered count as labelled.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    >>> session = Session(X, k=1, strategy="coreset", random_state=0)
    >>> session.tell(0, "a")
    >>> session.ask()
    2
    """

    name: ClassVar[str] = "coreset"
    needs_k: ClassVar[bool] = False

    def __init__(self, *, unseen: float = 0.5) -> None:
        super().__init__(unseen=unseen)
        self._cover: _Cover | None = None

    def ask(self, state: State, rng: np.random.Generator) -> int | Draw:
        """Choose the available row with the largest distance to its nearest labelled row."""
        centres = {*state.labelled.tolist(), *state.pending.tolist()}
        if not centres:
            return draw_random(state.available, rng)
        if self._cover is None or self._cover.pool is not state.pool or not self._cover.centres <= centres:
            self._cover = _Cover(state.pool)
        for row in centres - self._cover.centres:
            self._cover.add(row)
        return pick_best(self._cover.distance.astype(np.float64), state, rng)


class _Cover:
    """Distance of every row to the nearest centre; it does not depend on the order of the centres."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.centres: set[int] = set()
        self.distance: Int32s = np.full(pool.n_rows, np.iinfo(np.int32).max, dtype=np.int32)
        self._new = np.empty(pool.n_rows, dtype=np.int32)

    def add(self, row: int) -> None:
        hamming(self.pool.codes, np.ascontiguousarray(self.pool.codes[:, row]), self._new)
        np.minimum(self.distance, self._new, out=self.distance)
        self.centres.add(row)
