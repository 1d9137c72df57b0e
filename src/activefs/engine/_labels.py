"""A pool with the labels of a position: what they amount to, kept up to date from one position to the next."""

from __future__ import annotations

from itertools import groupby
from operator import is_
from typing import Any

import numpy as np

from activefs.criteria import Criterion
from activefs.engine._classes import ClassList
from activefs.engine._position import Position, Told
from activefs.estimates import Estimates
from activefs.pool import Pool
from activefs.redundancy import Contested, Rule, TopK, contested
from activefs.seeds import stream
from activefs.types import Bools, Ints


class LabelState:
    """Estimates, classes and free rows at a position; :meth:`at` leads from any position to any other.

    Parameters
    ----------
    pool : Pool
        The table.
    classes : ClassList
        The classes, which grow and shrink with the labels unless they are fixed.
    criterion, rule : Criterion, Rule
        What is estimated, and how k features are chosen by it.
    k : int
        Number of features wanted.
    delta : float
        Confidence parameter.
    unseen : float
        Class probability assumed for a value that was never labelled.
    seed : int
        Seed of everything random.

    Attributes
    ----------
    estimates : Estimates
        Plug-in estimates of all features.
    free : array of bool
        Rows that are neither labelled, nor asked, nor skipped.
    """

    def __init__(
        self,
        pool: Pool,
        classes: ClassList,
        criterion: Criterion,
        rule: Rule,
        k: int,
        *,
        delta: float,
        unseen: float,
        seed: int,
    ) -> None:
        self.pool, self.classes = pool, classes
        self._criterion, self._rule, self._k = criterion, rule, k
        self._delta, self._unseen, self._seed = delta, unseen, seed
        self._start()

    def _start(self) -> None:
        """Be where there is no label."""
        self._here = Position()
        self._codes: dict[int, int] = {}  # labelled rows and their class numbers, in the order told
        self._sums: list[float | None] = []  # for each label that answered a question, the sum of the best k before it
        self._contested: Contested | None = None
        self.free: Bools = np.ones(self.pool.n_rows, dtype=bool)
        self.classes.shrink(set())
        self.estimates = self._rebuilt()

    @property
    def sums(self) -> list[float]:
        """Sums of the estimates of the best k before each label that answered a question."""
        return [s for s in self._sums if s is not None]

    def rows(self) -> Ints:
        """Return the labelled rows, in the order told."""
        return np.fromiter(self._codes, dtype=np.int64, count=len(self._codes))

    def codes(self) -> Ints:
        """Return their class numbers."""
        return np.fromiter(self._codes.values(), dtype=np.int64, count=len(self._codes))

    def code_of(self, row: int) -> int:
        """Return the class number of a row; -1 if it has no label."""
        return self._codes.get(row, -1)

    def label_of(self, row: int) -> Any:
        """Return the label of a row as it was told; None if it has none."""
        if row not in self._codes:
            return None
        return next(self.classes.check(told.label) for told in self._here.told if told.row == row)

    def contested(self) -> Contested:
        """Find leaders, challengers and contested features by the plug-in estimates."""
        if self._contested is None:
            rng = stream(self._seed, 1, len(self._codes))
            self._contested = contested(self.estimates, self._k, self._rule, rng)
        return self._contested

    def sum_of_best(self) -> float:
        """Sum of the estimates of the leaders, by which the safeguard sees whether anything still changes."""
        if isinstance(self._rule, TopK):
            return float(np.partition(self.estimates.value, self._k - 1)[: self._k].sum())
        return float(self.estimates.value[self.contested().leaders].sum())

    def at(self, position: Position) -> LabelState:
        """Be at a position, and return self."""
        if position is self._here:
            return self
        before = self._here
        try:
            self.free[[*before.pending, *before.skipped]] = True
            if position.told is not before.told:
                self._move(before.told, position.told)
            self.free[[*position.pending, *position.skipped]] = False
        except BaseException:  # Ctrl-C, too: half way it would be nowhere
            self._start()
            raise
        self._here = position
        return self

    def _move(self, old: tuple[Told, ...], new: tuple[Told, ...]) -> None:
        shared = _in_common(old, new)
        for _ in range(len(old) - shared):
            self._take_back()
        # Labels that exist already are told all at once; answers one by one, as the safeguard counts them.
        for asked, group in groupby(new[shared:], key=lambda told: told.asked):
            some = list(group)
            if asked or len(some) == 1:
                for told in some:
                    self._add(told)
            else:
                self._add_known(some)

    def _add(self, told: Told) -> None:
        before = self.sum_of_best() if told.asked else None
        code = self.classes.code(told.label)
        self._codes[told.row] = code
        self.free[told.row] = False
        self._sums.append(before)
        self._contested = None
        if self.classes.count != self.estimates.n_classes:
            self.estimates = self._rebuilt()
        else:
            self.estimates.add(told.row, code)

    def _add_known(self, some: list[Told]) -> None:
        for told in some:
            self._codes[told.row] = self.classes.code(told.label)
            self.free[told.row] = False
            self._sums.append(None)
        self._contested = None
        self.estimates = self._rebuilt()

    def _take_back(self) -> None:
        row, _ = self._codes.popitem()
        self._sums.pop()
        self._contested = None
        self.free[row] = True
        self.classes.shrink(set(self._codes.values()))
        if self.classes.count == self.estimates.n_classes:
            self.estimates.remove(row)
        else:
            self.estimates = self._rebuilt()

    def _rebuilt(self) -> Estimates:
        estimates = Estimates(
            self.pool, self.classes.count, criterion=self._criterion, delta=self._delta, unseen=self._unseen
        )
        if self._codes:
            estimates.add_many(self.rows(), self.codes())
        return estimates


def _in_common(old: tuple[Told, ...], new: tuple[Told, ...]) -> int:
    """How many labels two positions share at their beginning."""
    for shorter, longer in ((old, new), (new, old)):
        # The usual case, compared in one go; what is the same object cannot be 1 in one and True in the other.
        if len(shorter) <= len(longer) and all(map(is_, shorter, longer)):
            return len(shorter)
    pairs = enumerate(zip(old, new, strict=False))
    return next((i for i, (a, b) in pairs if a != b or type(a.label) is not type(b.label)), min(len(old), len(new)))
