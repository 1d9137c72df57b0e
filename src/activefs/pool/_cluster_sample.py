"""A sample of a table on a cluster: every worker takes some rows of its parts, the driver gets those it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.pool._cluster import Cluster, Report
from activefs.pool._cluster_table import ClusterTable, PieceOf, with_names
from activefs.streams import SAMPLE_ROWS, Plans, joined, plan_column, sample_of_piece, slices
from activefs.tables import ColumnOptions, check_table, read_table
from activefs.types import Array

_MANY_PARTS = 16
_SLICES = 16
# A worker sets aside so many times the rows that are needed of parts of equal size; larger parts are read again.
_TIMES = 2
_LEAST_ROWS = 4096
# The sample of so many bytes of columns is in the memory of the driver at once.
_SAMPLE_BYTES = 64 << 20
_TEXT_BYTES = 32

Slices = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Glance:
    """What a worker has seen of a partition.

    Attributes
    ----------
    n_rows : int
        Its rows.
    names : tuple of str
        Its columns.
    widths : tuple of int
        Bytes of a value in each of them.
    aside : dict
        Some of its rows, by where they begin.
    """

    n_rows: int
    names: tuple[str, ...]
    widths: tuple[int, ...]
    aside: dict[int, Any] = field(default_factory=dict)


def plan_on_cluster(
    table: ClusterTable, options: ColumnOptions, cluster: Cluster, report: Report | None = None
) -> tuple[Plans, list[int]]:
    """Plan the columns of a table; return also how many rows its parts have.

    Raises
    ------
    InvalidInputError
        If it is empty, or if its parts have different columns.
    """
    if table.source is not None:
        sizes = [piece.n_rows for piece in table.source.pieces]
        widths = [_bytes_of(table.source.schema.field(name).type) for name in table.names]
        return _planned(_Sample(table, cluster, sizes), widths, options), sizes
    from dask.delayed import delayed

    most = _most_aside(len(table.parts))
    looks = [delayed(look_at_part)(part, table.renamed, len(table.parts), most) for part in table.parts]
    sent = cluster.compute([*looks, *(delayed(without_rows)(look) for look in looks)])
    glances = sent[: len(looks)]
    found: list[Glance] = cluster.results(sent[len(looks) :], report, table.origins)
    for origin, one in zip(table.origins, found, strict=True):
        _check_columns(table.names, origin, one)
    sizes = [one.n_rows for one in found]
    check_table(sum(sizes), table.names)
    widths = np.max([one.widths for one in found], axis=0).tolist()
    return _planned(_Sample(table, cluster, sizes, glances), widths, options), sizes


def _planned(sample: _Sample, widths: list[int], options: ColumnOptions) -> Plans:
    """Plan a few columns at a time: the sample of all need not fit into the memory of the driver."""
    exact = sample.n_rows <= SAMPLE_ROWS
    wanted = [place for place in range(len(widths)) if place not in options.ignored]
    plans = []
    for group in _groups(wanted, [width * min(sample.n_rows, SAMPLE_ROWS) for width in widths]):
        names = [sample.table.names[place] for place in group]
        for place, name, column in zip(group, names, sample.columns(names), strict=True):
            plans.append(plan_column(name, column, place, options.of(name), exact))
    return joined(plans, len(widths))


def _groups(places: list[int], needed: list[int]) -> Iterator[list[int]]:
    group: list[int] = []
    for place in places:
        if group and sum(needed[other] for other in group) + needed[place] > _SAMPLE_BYTES:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


class _Sample:
    """Rows of all parts of a table, spread over it as those of a source are."""

    def __init__(
        self, table: ClusterTable, cluster: Cluster, sizes: list[int], glances: list[Any] | None = None
    ) -> None:
        self.table, self.n_rows = table, sum(sizes)
        self._cluster, self._sizes, self._glances = cluster, sizes, glances

    def columns(self, names: list[str]) -> Iterator[Any]:
        """Fetch some columns in one round trip, and walk through them."""
        from dask.delayed import delayed

        futures, again = {}, {}
        for i, wanted in enumerate(self._wanted()):
            if not sum(stop - start for start, stop in wanted):
                continue
            if self._glances is not None and self._is_aside(i, wanted):
                futures[i] = self._cluster.client.submit(take_aside, self._glances[i], wanted, names, pure=False)
            else:
                again[i] = delayed(take_rows_of)(self.table.parts[i], wanted, names, self.table.renamed)
        futures.update(zip(again, self._cluster.compute(list(again.values())), strict=True))
        order = sorted(futures)
        origins = [self.table.origins[i] for i in order]
        found = self._cluster.results([futures[i] for i in order], origins=origins)
        return _columns_of([part for parts in found for part in parts], names)

    def _wanted(self) -> Iterator[Slices]:
        many, first = len(self._sizes) >= _MANY_PARTS, 0
        for size in self._sizes:
            yield slices(first, size, self.n_rows, many)
            first += size

    def _is_aside(self, i: int, wanted: Slices) -> bool:
        ends = dict(_set_aside(self._sizes[i], len(self._sizes), _most_aside(len(self._sizes))))
        return all(stop <= ends.get(start, -1) for start, stop in wanted)


def _columns_of(parts: list[Any], names: list[str]) -> Iterator[Any]:
    if type(parts[0]).__name__ == "RecordBatch":
        import pyarrow as pa

        table = pa.Table.from_batches(parts)
        yield from (table.column(name) for name in names)
    elif isinstance(parts[0], np.ndarray):
        yield from read_table(_stacked_arrays(parts)).columns()
    else:
        for at in range(len(names)):
            yield from read_table(_stacked([part.iloc[:, at] for part in parts])).columns()


def _stacked(columns: list[Any]) -> Any:
    """Join parts of a column of pandas; categories that differ by part become text, since they have no order then."""
    import pandas as pd

    kinds = {str(column.dtype) for column in columns}
    if "category" in kinds and len({_categories(column) for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    return pd.concat(columns, ignore_index=True).to_frame()


def _categories(column: Any) -> object:
    return (tuple(column.cat.categories), column.cat.ordered) if str(column.dtype) == "category" else None


def _stacked_arrays(parts: list[Array]) -> Array:
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        return np.asanyarray(np.ma.concatenate(parts))  # type: ignore[no-untyped-call]
    return np.concatenate(parts)


def _check_columns(names: Sequence[str], origin: str, found: Glance) -> None:
    if found.n_rows == 0 or found.names == tuple(names):
        return
    if missing := [name for name in names if name not in found.names]:
        raise InvalidInputError(
            f"{origin} has no column {missing[0]!r}, which other partitions have: give all the same columns"
        )
    if more := [name for name in found.names if name not in names]:
        raise InvalidInputError(
            f"{origin} has a column {more[0]!r}, which other partitions do not have: give all the same columns"
        )
    check_table(found.n_rows, found.names)


def _bytes_of(kind: Any) -> int:
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:  # texts are of any length
        return _TEXT_BYTES


def _most_aside(n_parts: int) -> int:
    return max(_LEAST_ROWS, _TIMES * SAMPLE_ROWS // max(1, n_parts))


def _set_aside(n_rows: int, n_parts: int, most: int) -> Slices:
    """Which rows of a part are set aside: those that the sample begins with, wherever it takes them."""
    if n_rows <= most:
        return [(0, n_rows)]
    if n_parts >= _MANY_PARTS:
        return [(0, most)]
    starts = [n_rows * k // _SLICES for k in range(_SLICES)]
    return [(start, start + most // _SLICES) for start in starts]


# --- what workers run ---


def look_at_part(part: Any, renamed: Sequence[str] | None, n_parts: int, most: int) -> Glance:
    """Count the rows of a partition, and set some of them aside."""
    part = with_names(part, renamed)
    if hasattr(part, "columns"):
        names = tuple(str(name) for name in part.columns)
        widths = tuple(int(kind.itemsize) if kind.kind in "biufc" else _TEXT_BYTES for kind in part.dtypes)
    else:
        names = tuple(f"x{j}" for j in range(part.shape[1]))
        widths = (_TEXT_BYTES if part.dtype == object else part.dtype.itemsize,) * len(names)
    aside = {start: _rows(part, start, stop) for start, stop in _set_aside(len(part), n_parts, most)}
    return Glance(len(part), names, widths, aside)


def without_rows(glance: Glance) -> Glance:
    """What the driver must know."""
    return replace(glance, aside={})


def take_aside(glance: Glance, wanted: Slices, names: Sequence[str]) -> list[Any]:
    """Give rows that were set aside."""
    return [_rows(_columns(glance.aside[start], names), 0, stop - start) for start, stop in wanted]


def take_rows_of(part: Any, wanted: Slices, names: Sequence[str], renamed: Sequence[str] | None) -> list[Any]:
    """Give rows of a part that must be read for that."""
    if isinstance(part, PieceOf):
        return list(sample_of_piece(part.source, part.number, names))
    return [_rows(_columns(with_names(part, renamed), names), start, stop) for start, stop in wanted]


def _columns(part: Any, names: Sequence[str]) -> Any:
    if not hasattr(part, "columns"):
        return part[:, [int(name[1:]) for name in names]]
    here = [str(name) for name in part.columns]
    return part.iloc[:, [here.index(name) for name in names]]


def _rows(part: Any, start: int, stop: int) -> Any:
    """Copy some rows: a view would keep all of the part in memory."""
    return (part.iloc[start:stop] if hasattr(part, "iloc") else part[start:stop]).copy()
