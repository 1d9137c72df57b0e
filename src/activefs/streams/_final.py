"""What one column becomes once all its rows were seen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from activefs.streams._gathered import Gathered
from activefs.tables import MAX_VALUES, Distinct, Encoding, UnusableColumn, encode_distinct, refuse_names
from activefs.types import Array, Ints, UInt64s

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, eq=False)
class Final:
    """A feature.

    Attributes
    ----------
    encoding : Encoding
        What its codes mean.
    counts, marks : arrays
        Rows with each value, and the sum of their words.
    table : array or None
        Final codes by provisional ones: known values, missing ones, novelties of all chunks; None if they are same.
    known : int
        Provisional codes of known and missing values.
    places : dict
        Which novelties of all those of a chunk are, by its first row.
    """

    encoding: Encoding
    counts: Ints
    marks: UInt64s
    table: Ints | None = None
    known: int = 0
    places: dict[int, Ints] = field(default_factory=dict)

    def remap(self, first_row: int) -> Array | None:
        """Final codes by the provisional ones of a chunk; None if they are same."""
        if self.table is None:
            return None
        table = self.table[: self.known]
        if first_row in self.places:
            table = np.append(table, self.table[self.places[first_row]])
        return None if np.array_equal(table, np.arange(len(table))) else table


def needs_bins(gathered: Gathered) -> bool:
    """Whether a column was to be kept by a dictionary, but has so many numbers that it must be binned by edges."""
    try:
        return gathered.overflowed and gathered.is_binned
    except UnusableColumn:
        return False


def final_codes(gathered: Gathered, n_rows: int) -> Final:
    """Say what the codes of a column mean, and what becomes of provisional ones.

    Raises
    ------
    UnusableColumn
        If it is no feature; `kind` says why.
    """
    gathered.check()
    if gathered.plan.bins is not None:
        return _by_edges(gathered, n_rows)
    if gathered.plan.row is None or gathered.overflowed:
        return _judged(gathered, n_rows)
    return _by_dictionary(gathered)


def told(reason: UnusableColumn, gathered: Gathered) -> str:
    """Say why a column cannot be used, and where that shows first."""
    if reason.kind == "missing" and gathered.missing is not None:
        reason.row = gathered.missing.row
    return reason.told(gathered.plan.name, gathered.place_of)


def _by_dictionary(gathered: Gathered) -> Final:
    found, place = gathered.distinct()
    code_of, encoding = encode_distinct(found, **gathered.plan.options)
    known = gathered.plan.n_codes
    missing = encoding.n_values - 1 if gathered.n_missing else known
    table = np.insert(code_of[place], known, missing)
    counts = np.zeros(encoding.n_values, dtype=np.int64)
    marks = np.zeros(encoding.n_values, dtype=np.uint64)
    there = gathered.counts > 0
    np.add.at(counts, table[there], gathered.counts[there])
    np.add.at(marks, table[there], gathered.marks[there])
    same = not gathered.places and np.array_equal(table, np.arange(len(table)))
    return Final(encoding, counts, marks, None if same else table, known + 1, gathered.places)


def _by_edges(gathered: Gathered, n_rows: int) -> Final:
    plan, rows = gathered.plan, n_rows - gathered.n_missing
    assert plan.bins is not None
    lows, highs = gathered.lows, gathered.highs
    if gathered.fractions:
        ranges = [(float(low) + 0.0, float(high) + 0.0) for low, high in zip(lows, highs, strict=True)]  # no -0.0
    else:
        ranges = [(int(low), int(high)) for low, high in zip(lows, highs, strict=True)]
        low, high = ranges[0][0], ranges[-1][1]
        if low < 0 and high > _INT64.max:
            raise UnusableColumn("mixed", "whole numbers beyond 64 bits")
        if gathered.may_be_names and (plan.exact or plan.sketched):
            ends = np.array([low, high], dtype=np.uint64 if high > _INT64.max else np.int64)
            refuse_names(ends, rows, plan.found.n_distinct if plan.exact else gathered.estimate())
    missing = gathered.n_missing > 0
    if missing and not plan.options["missing_as_value"]:
        raise UnusableColumn("missing", f"{gathered.n_missing} missing")
    size = plan.n_codes + missing
    return Final(plan.bins.encoding(ranges, missing), gathered.counts[:size], gathered.marks[:size])


def _judged(gathered: Gathered, n_rows: int) -> Final:
    """Say what is wrong with a column that has more values than can be kept, or only one."""
    plan, found = gathered.plan, gathered.plan.found
    found = replace(found, missing=gathered.n_missing)
    if not plan.exact:
        many = max(gathered.estimate(), MAX_VALUES + 1) - len(found.values)
        more_rows = n_rows - gathered.n_missing - int(found.counts.sum())
        found = replace(found, more_values=many, more_rows=more_rows)
        if not len(found.values):  # the sample had none: any of those that came later says what they are
            found = _without_sample(gathered, found)
    _, encoding = encode_distinct(found, **plan.options)
    return Final(encoding, gathered.counts[:0], gathered.marks[:0])


def _without_sample(gathered: Gathered, found: Distinct) -> Distinct:
    later, _ = gathered.distinct()
    few = later.values[:: max(1, len(later.values) // 200)]
    return replace(
        found, values=few, counts=np.zeros(len(few), dtype=np.int64), more_values=found.more_values - len(few)
    )
