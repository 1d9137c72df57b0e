"""A pool with the labels of a position: what they amount to, kept up to date from one position to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple, overload

import numpy as np

from activefs.criteria import Criterion
from activefs.engine._classes import ClassList
from activefs.engine._position import Position, Told
from activefs.engine._probabilities import is_uncertain
from activefs.engine._told import corrections, in_common
from activefs.estimates import Estimates
from activefs.pool import OpenRows, Pool
from activefs.redundancy import Contested, Rule, TopK, contested
from activefs.seeds import stream
from activefs.types import Floats, Int32s, Ints, Targets


class Settled(NamedTuple):
    """What is known for certain: a row whose label is not settled counts as one that has none.

    Attributes
    ----------
    rows, codes : arrays of int
        Rows whose label is settled, in the order told, and their class numbers.
    counts : array of shape (cells, C)
        These rows per value and class.
    """

    rows: Ints
    codes: Ints
    counts: Int32s

    @property
    def n_classes(self) -> int:
        """C, the number of classes to reckon with; where they turn up, those of settled labels, but at least two."""
        return int(self.counts.shape[1])


class History(Sequence[float]):
    """Sums of the estimates of the best k before each answer, and now; computed if somebody looks."""

    def __init__(self, here: LabelState) -> None:
        self._here = here

    @cached_property
    def _sums(self) -> list[float]:
        return [*self._here.sums(), self._here.sum_of_best()]

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: slice) -> list[float]: ...
    def __getitem__(self, at: int | slice) -> float | list[float]:
        return self._sums[at]

    def __len__(self) -> int:
        return len(self._sums)


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
    free : OpenRows
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
        self._codes: dict[int, int] = {}  # labelled rows and their (likeliest) class numbers, in the order told
        self._unsettled: dict[int, dict[int, float]] = {}  # rows that may be of several classes, with probabilities
        self._sums: list[float | None] = []  # for each label that answered a question, the sum of the best k before it
        self._summed = 0  # of the first labels; after a correction, those of later ones wait until somebody asks
        self._contested: Contested | None = None
        self._free: OpenRows | None = None
        self.classes.shrink(set())
        self.estimates = self._rebuilt()

    @property
    def free(self) -> OpenRows:
        """Rows that are neither labelled, nor asked, nor skipped."""
        if self._free is None:
            here = self._here
            self._free = OpenRows(self.pool.n_rows, [*self._codes, *here.pending, *here.skipped])
        return self._free

    def sums(self) -> list[float]:
        """Sums of the estimates of the best k before each label that answered a question."""
        if self._summed < len(self._sums):
            here = self._here
            self._start()
            self.at(here)
        return [s for s in self._sums if s is not None]

    @property
    def n_unknown(self) -> int:
        """How many rows have no label that is settled."""
        return self.pool.n_rows - len(self._codes) + len(self._unsettled)

    def rows(self) -> Ints:
        """Return the labelled rows, in the order told."""
        return np.fromiter(self._codes, dtype=np.int64, count=len(self._codes))

    def codes(self) -> Ints:
        """Return their class numbers; the likeliest one where a label is not settled."""
        return np.fromiter(self._codes.values(), dtype=np.int64, count=len(self._codes))

    def targets(self) -> Targets:
        """Return their class numbers; if a label is not settled, the class probabilities of all."""
        if not self._unsettled:
            return self.codes()
        found = np.eye(self.classes.count)[self.codes()]
        for i, row in enumerate(self._codes):
            if row in self._unsettled:
                found[i] = self._probabilities(row)
        return found

    def used(self) -> set[int]:
        """Return the class numbers that some row is of, or may be of."""
        return {*self._codes.values()}.union(*self._unsettled.values())

    def settled(self) -> Settled:
        """Return what is known for certain."""
        rows, codes, counts = self.rows(), self.codes(), self.estimates.counts
        if not self._unsettled:
            return Settled(rows, codes, counts)
        known = np.array([row not in self._unsettled for row in self._codes])
        rows, codes = rows[known], codes[known]
        if self.classes.fixed:
            return Settled(rows, codes, counts)
        # A class that no settled label has is not known of yet, as if those rows had not been answered.
        classes, numbers = np.unique(codes, return_inverse=True)
        known_of = np.zeros((len(counts), max(2, classes.size)), dtype=counts.dtype)
        known_of[:, : classes.size] = counts[:, classes]
        return Settled(rows, np.asarray(numbers, dtype=np.int64), known_of)

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
            self._free = None
            if position.told is not before.told:
                self._move(before.told, position.told)
        except BaseException:  # Ctrl-C, too: half way it would be nowhere
            self._start()
            raise
        self._here = position
        return self

    def _move(self, old: tuple[Told, ...], new: tuple[Told, ...]) -> None:
        shared = in_common(old, new)
        changed = corrections(old, new, shared)
        both = min(len(old), len(new))
        if changed:
            for _ in range(len(old) - both):
                self._take_back()
            self._replace(changed, new[:both])
            shared, old = both, old[:both]
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
        complete = self._summed == len(self._sums)
        before = self.sum_of_best() if told.asked and complete else None
        self._note(told)
        self._sums.append(before)
        self._summed += complete
        self._contested = None
        if self.classes.count != self.estimates.n_classes:
            self.estimates = self._rebuilt()
        elif told.row in self._unsettled:
            self.estimates.add(told.row, self._probabilities(told.row))
        else:
            self.estimates.add(told.row, self._codes[told.row])

    def _add_known(self, some: list[Told]) -> None:
        for told in some:
            self._note(told)
            self._summed += self._summed == len(self._sums)
            self._sums.append(None)
        self._contested = None
        self.estimates = self._rebuilt()

    def _note(self, told: Told) -> None:
        """Find out which classes a row is of."""
        if not is_uncertain(told.label):
            self._codes[told.row] = self.classes.code(told.label)
            return
        weights = self.classes.weights(told.label)
        self._codes[told.row] = next(iter(weights))
        if len(weights) > 1:
            self._unsettled[told.row] = weights

    def _probabilities(self, row: int) -> Floats:
        found = np.zeros(self.classes.count)
        weights = self._unsettled[row]
        found[list(weights)] = list(weights.values())
        return found

    def _replace(self, changed: dict[int, Told], told: tuple[Told, ...]) -> None:
        """Replace labels in their places, all at once; `told` are all labels as they are then."""
        again: Iterable[Told] = changed.values()
        if not self.classes.fixed:  # a class may have another number, which it has by its first label
            self.classes.shrink(set())
            again = told
        for one in again:
            self._unsettled.pop(one.row, None)
            self._note(one)
        self._summed = min(self._summed, min(changed) + 1)
        self._contested = None
        self.estimates = self._rebuilt()

    def _take_back(self) -> None:
        row, _ = self._codes.popitem()
        self._unsettled.pop(row, None)
        self._sums.pop()
        self._summed = min(self._summed, len(self._sums))
        self._contested = None
        self.classes.shrink(self.used())
        if self.classes.count == self.estimates.n_classes:
            self.estimates.remove(row)
        else:
            self.estimates = self._rebuilt()

    def _rebuilt(self) -> Estimates:
        estimates = Estimates(
            self.pool, self.classes.count, criterion=self._criterion, delta=self._delta, unseen=self._unseen
        )
        if self._codes:
            estimates.add_many(self.rows(), self.targets())
        return estimates
