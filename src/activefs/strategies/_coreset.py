"""CORESET: rows that cover the pool, whatever their labels."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import uuid4

import numpy as np

from activefs._kernels.distances import hamming
from activefs.pool import Pool, RowScores
from activefs.strategies._base import State, Strategy, draw_random, pick_best
from activefs.strategies._draws import Draw
from activefs.types import Codes, Floats, Int32s, Ints


class Coreset(Strategy):
    r"""Label the row farthest from all rows labelled so far (farthest-first traversal).

    The distance of two rows is the number of features in which they differ; the first row is drawn
    at random. Labels are never looked at, and the choice does not depend on k. Rows asked and not
    yet answered count as labelled. A baseline of the paper [1]_.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    See Also
    --------
    DensityWeightedUncertainty : The other baseline of the paper, which looks at labels.
    ActiveML : Other ways to cover a pool.

    Notes
    -----
    With S the labelled rows, the next one is

    .. math::

       \mathrm{argmax}_x \min_{s \in S} \sum_j [x_j \ne s_j].

    Guide: :doc:`/guide/strategies`. Beside the other baselines: :doc:`/method/algorithm`.

    References
    ----------
    .. [1] Schnapp, S. and Sabato, S. (2021): Active feature selection for the mutual information criterion. AAAI.

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
        self._cover: Cover | None = None

    def ask(self, state: State, rng: np.random.Generator) -> int | Draw:
        """Choose the open row with the largest distance to its nearest labelled row.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        rng : numpy.random.Generator
            Draws, and breaks ties.

        Returns
        -------
        int or Draw
            The row; a Draw for the first one.
        """
        centres = {*state.labelled.tolist(), *state.pending.tolist()}
        if not centres:
            return draw_random(state, rng)
        if self._cover is None or self._cover.pool is not state.pool or not centres.issuperset(self._cover.centres):
            self._cover = Cover(state.pool)
        self._cover.add(sorted(centres.difference(self._cover.centres)))
        return pick_best(self._cover, state, rng)


class Cover(RowScores):
    """Distance of every row to the nearest centre; it does not depend on the order of the centres.

    What is known of rows is remembered, and only further centres are compared with them.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool: Pool | None = pool
        self.key = uuid4().hex
        self.features = np.arange(pool.n_features)
        self.centres: dict[int, Codes] = {}
        self._distance: Int32s | None = None
        self._compared = 0  # centres that all rows have been compared with
        self._passed: tuple[int, dict[int, int]] = (0, {})  # those of this pass, and where it has been: start and stop

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "pool": None, "_distance": None, "_compared": 0, "_passed": (0, {})}

    def add(self, rows: list[int]) -> None:
        """Take further centres."""
        if rows:
            assert self.pool is not None
            codes = np.ascontiguousarray(self.pool.codes_of(np.array(rows)).T)
            self.centres.update(zip(rows, codes, strict=True))

    def follow(self, newer: RowScores) -> None:
        """Take the further centres of a later question."""
        assert isinstance(newer, Cover)
        self.centres.update((row, codes) for row, codes in newer.centres.items() if row not in self.centres)

    def prepare(self, n_rows: int) -> None:
        """Make room for the distances of so many rows."""
        if self._distance is None:
            self._distance = np.full(n_rows, np.iinfo(np.int32).max, dtype=np.int32)
        count, blocks = self._passed
        if sum(stop - start for start, stop in blocks.items()) == n_rows:  # else it was interrupted
            self._compared = count
        self._passed = len(self.centres), {}

    def score(self, codes: Codes, features: Ints, at: int, start: int, stop: int, out: Floats) -> None:
        """Compare rows with the centres that are new, and return their distances to the nearest of all."""
        assert self._distance is not None
        nearest, size = self._distance[start:stop], stop - start
        room = np.empty(size, dtype=np.int32)
        for point in list(self.centres.values())[self._compared :]:
            hamming(codes, features, point, at, at + size, room)
            np.minimum(nearest, room, out=nearest)
        self._passed[1][start] = stop
        out[:] = nearest
