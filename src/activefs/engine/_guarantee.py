"""What can be guaranteed of an answer: bounds that hold whatever the model says, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

import numpy as np

from activefs.criteria import Criterion
from activefs.engine._certain import few_possibilities, largest_gap
from activefs.engine._labels import LabelState
from activefs.engine._move_arrays import MoveArrays
from activefs.engine._position import Position
from activefs.estimates import ControlVariates, DrawLog, Epoch, GuaranteedBounds
from activefs.model import Assistant, last_refit
from activefs.pool import Pool
from activefs.redundancy import Rule, TopK
from activefs.ties import TIE
from activefs.types import Ints

_FIRST_MODEL = 20
"""Labels from which on a model's predictions take the noise out of draws; the next ones come with twice as many."""
_REMEMBERED = 16


class Guarantee:
    """Guaranteed bounds at a position, and the gap and the certificate that follow from them.

    They hold whatever the labels that are not settled will be: such a row counts as one that awaits its label.

    Parameters
    ----------
    pool, criterion, rule, k
        The table, what is estimated, how features are chosen by it, and how many.
    delta : float
        Confidence parameter.
    assistant : Assistant, optional
        Whose predictions take the noise out of draws.
    n_threads : int
        Threads.
    """

    def __init__(
        self,
        pool: Pool,
        criterion: Criterion,
        rule: Rule,
        k: int,
        *,
        delta: float,
        assistant: Assistant | None,
        n_threads: int,
    ) -> None:
        self._pool, self._criterion, self._rule, self._k = pool, criterion, rule, k
        self._delta, self._assistant, self._threads = delta, assistant, n_threads
        self._epochs: dict[bytes, Epoch] = {}
        self._here: tuple[Position, GuaranteedBounds] | None = None
        self._certified: tuple[Position, Ints | None] | None = None
        self._variates: tuple[list[Epoch], ControlVariates | None] = [], None
        self._moves = MoveArrays()

    def bounds(self, position: Position, here: LabelState) -> GuaranteedBounds:
        """Return the bounds of the features at a position."""
        if self._here is None or self._here[0] is not position:
            known = here.settled()
            log = self._moves.log(position, known, self._pool.n_rows)
            made = GuaranteedBounds(
                self._pool,
                self._criterion,
                log,
                known.counts,
                delta=self._delta,
                all_classes=here.classes.fixed,
                control_variates=self._predictions(log, known.n_classes, named=here.classes.fixed),
                n_threads=self._threads,
            )
            self._here = position, made
        return self._here[1]

    def gap(self, position: Position, here: LabelState, leaders: Ints) -> float | None:
        """Return what the leaders lack at most against the best choice; None if nothing can be guaranteed.

        Leaders get their upper, all others their lower bound, and the best are chosen again. For a redundancy rule,
        whose choice is not monotone in such bounds, only what holds for all possible labels is said.
        """
        if few_possibilities(here):
            return largest_gap(here, self._rule, leaders)
        if not isinstance(self._rule, TopK):
            return None
        lower, upper = self.bounds(position, here).bounds(np.arange(self._pool.n_features))
        tilted = lower.copy()
        tilted[leaders] = upper[leaders]
        lacking = tilted[leaders].sum() - np.partition(tilted, leaders.size - 1)[: leaders.size].sum()
        if not np.isfinite(lacking):
            return None
        return float(lacking) if lacking > TIE * self._pool.n_features else 0.0

    def lacks_less_than(self, gap: float, position: Position, here: LabelState, leaders: Ints) -> bool:
        """Whether the leaders are guaranteed to lack less than this, which a few challengers often refute."""
        order = np.argsort(here.estimates.value, kind="stable")
        bounds = self.bounds(position, here)
        tilted = bounds.bounds(leaders)[1]
        for some in _doubling(order[~np.isin(order, leaders)]):
            tilted = np.append(tilted, bounds.bounds(some)[0])
            if tilted[: leaders.size].sum() - np.partition(tilted, leaders.size - 1)[: leaders.size].sum() >= gap:
                return False
        return True

    def may_lack_less_than(self, gap: float, position: Position, here: LabelState) -> bool:
        """Whether it is worth asking which features look best: those that do by the labels alone are not far off."""
        value, k = here.estimates.value, self._k
        if k == value.size:
            return True
        order = np.argpartition(value, k)  # the k smallest, then the next one
        bounds = self.bounds(position, here)
        # If the last of them and the first of the others change places, that alone may be too much.
        lower, upper = bounds.bounds(order[[int(np.argmax(value[order[:k]])), k]])
        if upper[0] - lower[1] >= 2.0 * gap:
            return False
        return self.lacks_less_than(2.0 * gap, position, here, order[:k])

    def certified(self, position: Position, here: LabelState) -> Ints | None:
        """Return the k features that are certified to be the best, in no order; None if there are none."""
        if self._certified is None or self._certified[0] is not position:
            self._certified = position, self._find_certified(position, here)
        return self._certified[1]

    def _find_certified(self, position: Position, here: LabelState) -> Ints | None:
        """Look whether those that look best by the labels alone are certified: no others can be.

        They are compared with one challenger after the other, the likeliest first, until one is found that may be
        better.
        """
        value, k = here.estimates.value, self._k
        if k == value.size:
            return np.arange(k)
        if not isinstance(self._rule, TopK):
            return self._for_all_labels(here, None)
        order = np.argpartition(value, k)  # the k smallest, then the next one
        leaders, others = order[:k], order[k:]
        bounds = self.bounds(position, here)
        # The last leader and the first challenger are nearly always enough to say no.
        weakest = float(bounds.bounds(leaders[[np.argmax(value[leaders])]])[1][0])
        if not _holds(bounds, weakest, others[:1]):
            return self._for_all_labels(here, leaders)
        weakest = float(bounds.bounds(leaders)[1].max())
        for some in _doubling(others[np.argsort(value[others])]):
            if not _holds(bounds, weakest, some):
                return self._for_all_labels(here, leaders)
        return np.asarray(leaders)

    def _for_all_labels(self, here: LabelState, leaders: Ints | None) -> Ints | None:
        if not few_possibilities(here):
            return None
        leaders = here.contested().leaders if leaders is None else leaders
        return leaders if largest_gap(here, self._rule, leaders) == 0.0 else None

    # --- predictions ---

    def _predictions(self, log: DrawLog, n_classes: int, *, named: bool) -> ControlVariates:
        """Return what models predicted before draws: one that knows at least half of the labels, for each draw.

        Where classes turn up, a model of early labels would have to know how many there will be: none is used.
        """
        models = [] if self._assistant is None or not named else self._models(self._assistant, log, n_classes)
        before, like = self._variates
        same = len(before) == len(models) and all(map(is_, before, models))
        like = like if same and like is not None and like.sums.shape[2] == n_classes + 1 else None
        n_cells = int(self._pool.offsets[-1])
        made = ControlVariates.of(models, log, n_cells=n_cells, n_classes=n_classes + 1, like=like)
        self._variates = models, made
        return made

    def _models(self, assistant: Assistant, log: DrawLog, n_classes: int) -> list[Epoch]:
        drawn = np.flatnonzero(log.drawn)
        models: list[Epoch] = []
        wanted = _FIRST_MODEL
        labels: dict[int, int] = {}
        for t, (row, opens, label) in enumerate(
            zip(log.rows.tolist(), log.opens.tolist(), log.labels.tolist(), strict=True)
        ):
            if opens:
                labels.pop(row, None)
            elif label >= 0:
                labels[row] = label
            if len(labels) >= wanted and drawn.size and drawn[-1] > t:
                known = last_refit(len(labels))  # such labels the strategy's model has learnt from, too
                models.append(self._epoch(assistant, log, t + 1, list(labels.items())[:known], n_classes))
                wanted = 2 * known
        return models

    def _epoch(
        self, assistant: Assistant, log: DrawLog, start: int, told: Sequence[tuple[int, int]], n_classes: int
    ) -> Epoch:
        pairs = np.asarray(told, dtype=np.int64)
        parts = (log.rows[:start], log.opens[:start], pairs, np.array([n_classes]))
        key = b"|".join(part.tobytes() for part in parts)
        if key not in self._epochs:
            while len(self._epochs) >= _REMEMBERED:
                del self._epochs[next(iter(self._epochs))]
            completion = assistant.complete(pairs[:, 0], pairs[:, 1], n_classes)
            self._epochs[key] = Epoch.of(self._pool, log, start, completion)
        return self._epochs[key]


def _holds(bounds: GuaranteedBounds, weakest: float, challengers: Ints) -> bool:
    return bool(bounds.bounds(challengers)[0].min() >= weakest - TIE)


def _doubling(features: Ints) -> list[Ints]:
    """One feature, then two, four, ..."""
    parts, start = [], 0
    while start < features.size:
        parts.append(np.asarray(features[start : 2 * start + 1], dtype=np.int64))
        start = 2 * start + 1
    return parts
