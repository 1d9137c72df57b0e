"""What each column of a table becomes, as far as a sample of its rows tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.streams._cells import ColumnCells, What, cells_of, text_list, texts_at
from activefs.tables import (
    MAX_VALUES,
    Bins,
    ColumnOptions,
    Distinct,
    Table,
    UnusableColumn,
    counted,
    encode_distinct,
    in_order,
    may_be_names,
    place_bins,
    read_table,
    whole,
)
from activefs.types import Array

# Room for values that the sample lacks, before codes need two bytes.
_ROOM = 55
# Columns of which at least this share of the sample is distinct may be names of rows: their values are sketched.
_SUSPECT = 0.5


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """How a column is coded: by a dictionary of values, or by the edges of bins.

    Attributes
    ----------
    name, position : str, int
        The column, and where it is in the table.
    options : dict
        Arguments of `encode_distinct`.
    what : {"number", "bool", "text"} or None
        What it holds; None if the sample has no value.
    values : array
        The dictionary, in the order of its codes; what turns up besides is appended.
    bins : Bins or None
        Where bins begin, if it goes by edges.
    row : int or None
        Its row in the codes; None if it cannot be a feature, whatever comes.
    exact : bool
        Whether all distinct values are known.
    found : Distinct
        What the sample has; of too many values only some.
    order : tuple of str or None
        Categories in their order.
    sketched : bool
        Whether distinct values are counted by a sketch, since they may be names of rows.
    """

    name: str
    position: int
    options: dict[str, Any]
    what: What | None
    values: Array
    bins: Bins | None
    row: int | None
    exact: bool
    found: Distinct
    order: tuple[str, ...] | None = None
    sketched: bool = False
    bytes_of_value: int = 8

    @property
    def n_codes(self) -> int:
        """Number of codes that are known, without that of missing values, which is the next one."""
        return len(self.values) if self.bins is None else len(self.bins.edges) + 1

    @property
    def most_codes(self) -> int:
        """Number of codes that must have room."""
        missing = self.options["missing_as_value"] and (self.found.missing > 0 or not self.exact)
        room = 0 if self.exact or self.bins is not None or self.bytes_of_value == 1 else _ROOM
        return self.n_codes + missing + room

    @property
    def is_binned(self) -> bool:
        """Whether its numbers are put in bins if they are many."""
        how = "none" if self.options["categorical"] else self.options["binning"] or self.options["default"]
        return self.what == "number" and how != "none"

    @cached_property
    def code_of(self) -> dict[Any, int]:
        """Code of each value of the dictionary."""
        return {value: code for code, value in enumerate(self.values.tolist())}


@dataclass(frozen=True, eq=False)
class Plans:
    """How the columns of a table are coded.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        Those that were not ignored, in the order of the table.
    n_columns : int
        All columns of the table.
    """

    columns: tuple[ColumnPlan, ...]
    n_columns: int

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Of the codes: uint8, or uint16 if some column may have more than 256."""
        wide = any(plan.row is not None and plan.most_codes > 256 for plan in self.columns)
        return np.dtype(np.uint16 if wide else np.uint8)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that must be read."""
        return tuple(plan.name for plan in self.columns)

    @property
    def n_coded(self) -> int:
        """Number of columns that are coded."""
        return sum(plan.row is not None for plan in self.columns)


def plan_columns(sample: Any, options: ColumnOptions, *, exact: bool) -> Plans:
    """Decide from a sample of rows how the columns of a table are coded.

    Parameters
    ----------
    sample : table
        Some rows: anything that `read_table` takes.
    options : ColumnOptions
        What was said about the columns of the whole table.
    exact : bool
        Whether the sample is the whole table.

    Examples
    --------
    >>> sample = {"age": np.arange(30) % 12, "sex": np.array(["f", "m"] * 15)}
    >>> import pandas as pd
    >>> options = ColumnOptions(["age", "sex"], 10, "kmeans", False, [])
    >>> plans = plan_columns(pd.DataFrame(sample), options, exact=True)
    >>> [(plan.what, plan.n_codes) for plan in plans.columns]
    [('number', 10), ('text', 2)]
    """
    table: Table = read_table(sample)
    plans = [
        plan_column(column.name, column, place, options.of(column.name), exact)
        for place, column in enumerate(table.columns())
        if place not in options.ignored
    ]
    return joined(plans, len(table.names))


def joined(plans: Sequence[ColumnPlan], n_columns: int) -> Plans:
    """Give each column that is coded its row in the codes."""
    placed, row = [], 0
    for plan in plans:
        placed.append(replace(plan, row=None if plan.row is None else row))
        row += plan.row is not None
    return Plans(tuple(placed), n_columns)


def plan_column(name: str, column: Any, position: int, options: dict[str, Any], exact: bool) -> ColumnPlan:
    """Decide how one column is coded, given a sample of it: a `Column`, or an Arrow array."""
    if options["rules"] == 1:
        raise InvalidInputError("a table that is read in pieces is read by the rules of this release, rules=2")
    try:
        cells = cells_of(column)
    except UnusableColumn:
        return _unusable(name, position, options)
    if cells.infinite is not None or (cells.what is None and cells.kinds):
        return _unusable(name, position, options)
    size = cells.values.dtype.itemsize if cells.what == "number" else 8
    return plan_distinct(name, position, options, cells.what, _distinct(cells), exact, size)


def _unusable(name: str, position: int, options: dict[str, Any]) -> ColumnPlan:
    """Plan nothing for a column that cannot be a feature: the pass over all rows finds that out, and says where."""
    nothing = Distinct(np.empty(0, dtype=object), np.empty(0, dtype=np.int64))
    return ColumnPlan(name, position, options, None, nothing.values, None, None, False, nothing)


def _distinct(cells: ColumnCells) -> Distinct:
    """Count the values of a sample."""
    present = cells.values if cells.missing is None else cells.values[~cells.missing]
    holes = 0 if cells.missing is None else int(cells.missing.sum())
    if cells.what == "text":
        counts = np.bincount(present, minlength=len(cells.texts))
        used = np.flatnonzero(counts)
        if len(used) > 2 * MAX_VALUES and not isinstance(cells.texts, list):
            return _of_many_texts(texts_at(cells.texts, used), len(present), holes, cells.order)
        texts = np.array(text_list(texts_at(cells.texts, used)), dtype=object)
        distinct, place = np.unique(texts, return_inverse=True)  # a dictionary may have a text twice
        totals = np.bincount(place, weights=counts[used]).astype(np.int64)
    else:
        distinct, totals = counted(whole(present))
        distinct = distinct.astype(bool) if cells.what == "bool" else distinct
    return Distinct(distinct, totals, holes, cells.order)


def _of_many_texts(texts: Any, rows: int, holes: int, order: tuple[str, ...] | None) -> Distinct:
    """A few of so many texts that none is kept; a million of them as Python's would take most of the memory."""
    import pyarrow as pa
    import pyarrow.compute as pc

    distinct = texts.unique()
    few = pc.sort_indices(distinct).to_numpy()[:: _step(len(distinct))]
    values = np.array(distinct.take(pa.array(few)).to_pylist(), dtype=object)
    counts = np.zeros(len(values), dtype=np.int64)
    return Distinct(values, counts, holes, order, more_values=len(distinct) - len(values), more_rows=rows)


def _step(size: int) -> int:
    """From one of the texts that `looks_like_names` looks at to the next."""
    return max(1, size // 200)


def plan_distinct(
    name: str,
    position: int,
    options: dict[str, Any],
    what: What | None,
    found: Distinct,
    exact: bool,
    bytes_of_value: int = 8,
) -> ColumnPlan:
    """Decide how a column is coded whose distinct values are these, or these among others."""
    by_place = np.arange(len(found.values))
    if found.order is not None and not options["categorical"]:
        by_place, _ = in_order(found.values, found.order)
    values = found.values[by_place]
    plan = ColumnPlan(
        name, position, options, what, values, None, 0, exact, found, found.order, bytes_of_value=bytes_of_value
    )
    if exact and (known := _known_already(plan)) is not None:
        return known
    many = found.n_distinct > options["bins"] and (exact or plan.most_codes > 256)
    if plan.is_binned and many:
        placed, _ = place_bins(found.values, found.counts, options["bins"], options["binning"] or options["default"])
        names = may_be_names(options["binning"], options["default"], options["categorical"])
        sketched = names and not exact and found.n_distinct >= _SUSPECT * found.rows and found.values.dtype.kind in "iu"
        return replace(plan, values=values[:0], bins=placed, found=_some(found), sketched=sketched)
    return plan if found.n_distinct <= MAX_VALUES else _without_codes(plan)


def _known_already(plan: ColumnPlan) -> ColumnPlan | None:
    """Plan a column that is no feature, and needs no codes; None if it is one."""
    try:
        if encode_distinct(plan.found, **plan.options)[1].n_values > 1:
            return None
    except UnusableColumn:
        return replace(_without_codes(plan), sketched=False)
    return replace(plan, values=plan.values[:0], row=None)


def _without_codes(plan: ColumnPlan) -> ColumnPlan:
    return replace(plan, values=plan.values[:0], row=None, found=_some(plan.found), sketched=True)


def _some(found: Distinct) -> Distinct:
    """What says enough about a column whose values are too many to be kept: where they begin and end, a few of them."""
    values = found.values
    if not len(values):
        return found
    if values.dtype.kind in "OSUT":  # those that `looks_like_names` looks at
        few = np.arange(0, len(values), _step(len(values)))
    else:
        few = np.unique([0, len(values) - 1])
    counts = found.counts[few]
    more_rows = found.rows - int(counts.sum())
    return replace(
        found, values=values[few], counts=counts, more_values=found.n_distinct - len(few), more_rows=more_rows
    )
