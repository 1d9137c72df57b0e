"""A table is encoded where its rows are read: on the workers of a cluster, which keep the codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.pool._cluster import Cluster
from activefs.pool._cluster_sample import plan_on_cluster
from activefs.pool._cluster_table import ClusterTable
from activefs.pool._dense import DensePool
from activefs.pool._make_shard import digest_of, encode_part, facts_of, make_shard, rows_of_part, shard_of
from activefs.pool._partitioned import PartitionedPool
from activefs.pool._pool import Pool, PoolInfo
from activefs.streams import ChunkFacts, EncodedColumns, Plans, finish
from activefs.tables import ColumnOptions, explain
from activefs.types import Ints, UInt64s

Progress = Callable[[str, float], None]


def pool_on_cluster(
    table: ClusterTable,
    options: ColumnOptions,
    cluster: Cluster,
    row_ids: Callable[[int], Sequence[Any] | None],
    progress: Progress | None = None,
) -> PartitionedPool:
    """Encode a table on a cluster.

    Each part is read twice: for a sample, and to be coded. What the scheduler knows of the parts stays there, so that
    rows that are lost with a worker are computed again by another.

    Parameters
    ----------
    table : ClusterTable
        The table.
    options : ColumnOptions
        How its columns are read.
    cluster : Cluster
        Who does it.
    row_ids : callable
        Gives the names of so many rows.
    progress : callable, optional
        Is told what is done, and which share of it.

    Raises
    ------
    InvalidInputError
        If the table is empty, or has columns that cannot be features.
    """
    cluster.check_workers()
    plans, sizes = plan_on_cluster(table, options, cluster, _share(progress, "looking at the table", 0.0, 0.4))
    ids = row_ids(sum(sizes))
    work = _Coding(table, sizes, cluster)
    while True:
        coded, facts = work.code(plans, _share(progress, "encoding the table", 0.4, 1.0))
        encoded = finish(plans, facts)
        if encoded.again is None:
            break
        plans = encoded.again
    if table.source is not None:
        table.source.check_unchanged()
    if encoded.problems:
        raise InvalidInputError(explain(encoded.problems))
    info = _info_of(encoded, sum(sizes), len(table.names), ids)
    shards = work.shards(coded, facts, encoded, info)
    marks: UInt64s = np.concatenate([np.empty(0, dtype=np.uint64), *encoded.marks])
    return PartitionedPool(info, marks, cluster, shards, work.cuts[:-1], source=table.source)


def pool_to_cluster(pool: Pool, cluster: Cluster) -> PartitionedPool:
    """Divide a pool that is in memory among the workers of a cluster; its codes go along with the tasks."""
    cluster.check_workers()
    cuts = _cuts(pool.n_rows, len(cluster.places()))
    codes, lean = pool.codes, replace(pool.info, row_ids=None)
    shards = []
    for place, (start, stop) in zip(cluster.places(), pairwise(cuts.tolist()), strict=False):
        part = np.ascontiguousarray(codes[:, start:stop])
        counts = [np.bincount(line, minlength=size) for line, size in zip(part, pool.cardinalities, strict=True)]
        value_counts = np.concatenate([np.empty(0, dtype=np.int64), *counts])
        rows = DensePool(replace(lean, n_rows=stop - start, value_counts=value_counts), part)
        shards.append(cluster.submit(shard_of, rows, start, at=place))
    cluster.keep(shards)
    return PartitionedPool(pool.info, pool.marks, cluster, shards, cuts[:-1])


class _Coding:
    """The tasks that make codes of the parts of a table, each where its shard is going to be."""

    def __init__(self, table: ClusterTable, sizes: list[int], cluster: Cluster) -> None:
        self._table, self._cluster = table, cluster
        self._numbers = [i for i, size in enumerate(sizes) if size]
        self._sizes = [sizes[i] for i in self._numbers]
        ends = np.cumsum(self._sizes)
        self._first: list[int] = (ends - self._sizes).tolist()
        self._places = cluster.places()
        self.cuts = _cuts(int(ends[-1]), len(self._places))
        middle = ends - np.array(self._sizes) / 2
        self._owner: Ints = np.searchsorted(self.cuts[1:-1], middle, side="right")

    def code(self, plans: Plans, report: Callable[[int, int], None] | None) -> tuple[list[Any], list[ChunkFacts]]:
        """Code all parts; the codes stay with the workers, what is known of them comes back."""
        from dask.delayed import delayed

        shared = delayed(plans, name=f"activefs-plans-{id(plans)}-{np.random.default_rng().integers(1 << 62)}")
        coded: list[Any] = []
        facts: list[Any] = []
        for shard, place in enumerate(self._places[: len(self.cuts) - 1]):
            mine = np.flatnonzero(self._owner == shard).tolist()
            tasks = [delayed(encode_part)(*self._part(i, shared)) for i in mine]
            found = self._cluster.compute([*tasks, *(delayed(facts_of)(task) for task in tasks)], at=place)
            coded += found[: len(tasks)]
            facts += found[len(tasks) :]
        origins = [self._table.origins[i] for i in self._numbers]
        return coded, self._cluster.results(facts, report, origins)

    def _part(self, i: int, plans: Any) -> tuple[Any, ...]:
        number = self._numbers[i]
        return self._table.parts[number], plans, self._first[i], self._table.origins[number], self._table.renamed

    def shards(self, coded: list[Any], facts: list[ChunkFacts], encoded: EncodedColumns, info: PoolInfo) -> list[Any]:
        """Put parts together; a part that belongs to two shards is cut."""
        lean = replace(info, row_ids=None)
        dtype = "uint8" if max((e.n_values for e in info.encodings), default=0) <= 256 else "uint16"
        digests = [digest_of(one) for one in facts]
        made = []
        for shard, (start, stop) in enumerate(pairwise(self.cuts.tolist())):
            parts, mine, tables = [], [], []
            for i, (first, size) in enumerate(zip(self._first, self._sizes, strict=True)):
                begin, end = max(start, first), min(stop, first + size)
                if begin < end:
                    at = self._places[int(self._owner[i])]
                    parts.append(self._cluster.submit(rows_of_part, coded[i], begin - first, end - first, at=at))
                    mine.append(digests[i])
                    tables.append([encoded.remap(feature, first) for feature in range(len(encoded.kept))])
            place = self._places[shard]
            made.append(
                self._cluster.submit(make_shard, parts, mine, tables, encoded.rows, lean, start, dtype, at=place)
            )
        self._cluster.keep(made)
        return made


def _cuts(n_rows: int, n_places: int) -> Ints:
    """Where shards begin and end: each has a row at least."""
    count = max(1, min(n_places, n_rows))
    return np.array([n_rows * i // count for i in range(count + 1)], dtype=np.int64)


def _info_of(encoded: EncodedColumns, n_rows: int, n_columns: int, row_ids: Sequence[Any] | None) -> PoolInfo:
    return PoolInfo(
        n_rows=n_rows,
        encodings=tuple(encoded.encodings),
        value_counts=np.concatenate([np.empty(0, dtype=np.int64), *encoded.counts]),
        columns=np.asarray(encoded.kept, dtype=np.int64),
        names=tuple(encoded.names),
        row_ids=row_ids,
        n_columns=n_columns,
        left_out=tuple(encoded.left_out),
    )


def _share(progress: Progress | None, what: str, start: float, stop: float) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(what, start + (stop - start) * done / max(total, 1))
