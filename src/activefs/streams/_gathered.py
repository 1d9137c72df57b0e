"""What the chunks of a table together hold of one column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from activefs.streams._cells import WHAT, What
from activefs.streams._facts import ColumnFacts
from activefs.streams._plan import ColumnPlan
from activefs.streams._sketch import enter, estimate, new_registers
from activefs.tables import MAX_VALUES, Distinct, RowPlace, UnusableColumn, may_be_names, one_kind, whole
from activefs.types import Array, Ints, UInt8s

_INT64 = np.iinfo(np.int64)


class Gathered:
    """What is known of one column, chunk by chunk; who knows where rows are says it when that is asked."""

    def __init__(self, plan: ColumnPlan, place_of: Callable[[int], RowPlace] | None = None) -> None:
        self.plan = plan
        self._place_of = place_of
        self.kinds: dict[str, RowPlace] = {}
        self.n_missing = 0
        self.missing: RowPlace | None = None
        self.infinite: RowPlace | None = None
        self.refused: tuple[str, str, RowPlace] | None = None
        self.counts = np.zeros(plan.n_codes + 1, dtype=np.int64)
        self.marks = np.zeros(plan.n_codes + 1, dtype=np.uint64)
        self.novel: dict[Any, int] = {}
        self.places: dict[int, Ints] = {}
        self.overflowed = self.too_wide = self.fractions = False
        self.in_order = True
        self.registers: UInt8s | None = None
        self.lows: list[Any] = [None] * plan.n_codes
        self.highs: list[Any] = [None] * plan.n_codes

    def add(self, facts: ColumnFacts, first_row: int, origin: str) -> None:
        """Add a chunk that comes after those that were added."""
        for kind, row in facts.kinds.items():
            self.kinds.setdefault(kind, RowPlace(row, origin))
        self.n_missing += facts.n_missing
        if self.missing is None and facts.missing is not None:
            self.missing = RowPlace(facts.missing, origin)
        if self.infinite is None and facts.infinite is not None:
            self.infinite = RowPlace(facts.infinite, origin)
        if self.refused is None and facts.refused is not None:
            kind, detail, row = facts.refused
            self.refused = kind, detail, RowPlace(row, origin)
        self.overflowed |= facts.overflowed
        self.too_wide |= facts.too_wide
        self.fractions |= facts.fractions
        self.in_order &= facts.in_order
        if facts.registers is not None:
            np.maximum(self._registers(), facts.registers, out=self._registers())
        self._add_counts(facts, first_row)
        for lows, highs in facts.ends.values():
            self._add_ends(lows, highs)

    def _add_counts(self, facts: ColumnFacts, first_row: int) -> None:
        known, size = self.plan.n_codes + 1, self.plan.n_codes + 1 + len(facts.novel)
        self.counts[:known] += facts.counts[:known]
        self.marks[:known] += facts.marks[:known]
        if not facts.novel:
            return
        new = [value for value in facts.novel if value not in self.novel]
        if known + len(self.novel) + len(new) > MAX_VALUES + 1:
            self.overflowed = True
            enter(new, self._registers())
            return
        self.novel.update(zip(new, range(len(self.novel), len(self.novel) + len(new)), strict=True))
        self.counts = np.append(self.counts, np.zeros(len(new), dtype=np.int64))
        self.marks = np.append(self.marks, np.zeros(len(new), dtype=np.uint64))
        places = np.array([self.novel[value] for value in facts.novel]) + known
        self.places[first_row] = places
        self.counts[places] += facts.counts[known:size]
        self.marks[places] += facts.marks[known:size]

    def _registers(self) -> UInt8s:
        if self.registers is None:
            self.registers = new_registers()
        return self.registers

    def _add_ends(self, lows: Array, highs: Array) -> None:
        for code, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
            if low <= high:
                self.lows[code] = low if self.lows[code] is None else min(low, self.lows[code])
                self.highs[code] = high if self.highs[code] is None else max(high, self.highs[code])

    @property
    def what(self) -> What | None:
        """What the column holds, if it is one thing."""
        return WHAT.get(one_kind({kind: place.row for kind, place in self.kinds.items()}))

    @property
    def is_binned(self) -> bool:
        """Whether its numbers are put in bins if they are many."""
        return replace(self.plan, what=self.what).is_binned

    def check(self) -> None:
        """Refuse a column that holds what no feature can.

        Raises
        ------
        UnusableColumn
            Which says where that comes first.
        """
        if self.refused is not None:
            kind, detail, place = self.refused
            raise UnusableColumn(kind, detail, place.row)
        one_kind({kind: place.row for kind, place in self.kinds.items()})
        if self.infinite is not None:
            raise UnusableColumn("infinite", "infinite values", self.infinite.row)

    def place_of(self, row: int) -> RowPlace:
        """Say where a row is at which something was found."""
        if self._place_of is not None:
            return self._place_of(row)
        refused = [] if self.refused is None else [self.refused[2]]
        found = [*self.kinds.values(), self.missing, self.infinite, *refused]
        return next(place for place in found if place is not None and place.row == row)

    def distinct(self) -> tuple[Distinct, Ints]:
        """Distinct values, as far as they were kept, and the position of each value of the dictionary among them."""
        values = _array(self.plan.values.tolist() + list(self.novel), self.what)
        known = self.plan.n_codes
        counts = np.delete(self.counts, known)
        found, inverse = np.unique(values, return_inverse=True)
        total = np.zeros(len(found), dtype=np.int64)
        np.add.at(total, inverse, counts)
        order = self.plan.order if self.in_order else None
        return Distinct(found, total, self.n_missing, order), inverse.astype(np.int64)

    def estimate(self) -> int:
        """Say how many distinct values there are, more or less."""
        registers = self._registers()
        enter(self.plan.values.tolist(), registers)
        enter(list(self.novel), registers)
        return estimate(registers)

    @property
    def may_be_names(self) -> bool:
        """Whether the column is left out if nearly every row has a value of its own."""
        options = self.plan.options
        return may_be_names(options["binning"], options["default"], options["categorical"])


def _array(values: list[Any], what: What | None) -> Array:
    """Make an array of values as it would be had they been read at once."""
    if what == "number":
        if any(isinstance(value, float) for value in values):
            return whole(np.array(values, dtype=np.float64))
        if values and max(values) > _INT64.max:
            if min(values) < 0:
                raise UnusableColumn("mixed", "whole numbers beyond 64 bits")
            return np.array(values, dtype=np.uint64)
        return np.array(values, dtype=np.int64)
    made = np.empty(len(values), dtype=bool if what == "bool" else object)
    made[:] = values
    return made
