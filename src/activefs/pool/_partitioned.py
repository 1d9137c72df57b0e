"""A pool on a cluster: each worker has some of the rows, and what is asked of all goes to where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from activefs.pool._best import lowest_tie
from activefs.pool._cluster import Cluster
from activefs.pool._open_rows import OpenRows
from activefs.pool._pool import Pool, PoolInfo
from activefs.pool._scores import RowScores
from activefs.pool._shard import BestOfShard
from activefs.streams import StreamSource
from activefs.types import Bools, Codes, Floats, Int32s, Ints, UInt64s

_REMEMBERED_BYTES = 1 << 28
_SEVERAL = 1000
"""Rows from which on they are remembered together, as those that a model looks at are."""
_REMEMBERED_REQUESTS = 4


class PartitionedPool(Pool):
    """A pool whose rows are in the memory of the workers of a Dask cluster.

    A question costs one round trip for counts of pairs that are new, and one for the best rows, however many parts
    there are. Codes of rows that were asked for are remembered here.

    Parameters
    ----------
    info : PoolInfo
        What is known without looking at rows.
    marks : array
        Checksums of the cells.
    cluster : Cluster
        The workers.
    shards : sequence of futures
        The rows, in order; each future is that of a `PoolShard`.
    first_rows : array of int
        Which row is the first of each shard.
    source : StreamSource, optional
        Where workers read the rows: what it keeps in a cache stays there as long as the pool.
    """

    kind: ClassVar[str] = "partitioned"

    def __init__(
        self,
        info: PoolInfo,
        marks: UInt64s,
        cluster: Cluster,
        shards: Sequence[Any],
        first_rows: Ints,
        *,
        source: StreamSource | None = None,
    ) -> None:
        super().__init__(info)
        self._source = source
        self._marks, self.cluster, self._shards, self._first = marks, cluster, list(shards), first_rows
        self._sizes: Ints = np.diff(np.append(first_rows, info.n_rows))
        self._known: dict[int, Codes] = {}
        # By the rows that were asked for: which they are, each once and ascending, their codes, and those in order.
        self._requests: dict[bytes, tuple[Ints, Codes, Codes]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), self.info, self._marks, self.cluster.address, self._shards, self._first)

    @cached_property
    def marks(self) -> UInt64s:
        """Checksums of the cells, known since the rows were encoded."""
        return self._marks

    def codes_of(self, rows: Ints, features: Ints | None = None) -> Codes:
        """Return the codes of some rows; those that nobody asked for before are fetched in one round trip.

        Parameters
        ----------
        rows : array of int, shape (n,)
            The rows, in any order.
        features : array of int, optional
            Numbers of the features wanted; by default all.
        """
        rows = np.asarray(rows, dtype=np.int64)
        if rows.size >= _SEVERAL:
            return self._codes_of_many(rows, features)
        missing = np.array(sorted({row for row in rows.tolist() if row not in self._known}), dtype=np.int64)
        if missing.size:
            self._remember(missing, self._fetched(missing))
        codes = np.empty((self.n_features, rows.size), dtype=self._dtype)
        for i, row in enumerate(rows.tolist()):
            codes[:, i] = self._known[row]
        return codes if features is None else codes[features]

    def count_pairs(self, first: Ints, second: Ints, offset: Ints, counts: Int32s, workers: int = 1) -> None:
        """Count the pairs of values of pairs of features.

        Parameters
        ----------
        first, second, offset, counts, workers
            As for :meth:`activefs.Pool.count_pairs`; `workers` is not used here.
        """
        sizes = self.cardinalities[first] * self.cardinalities[second]
        found = sum(self.cluster.ask(self._shards, "count_pairs", [(first, second, sizes)] * len(self._shards)))
        start = np.cumsum(sizes) - sizes
        for p in range(first.size):
            counts[offset[p] : offset[p] + sizes[p]] += found[start[p] : start[p] + sizes[p]]

    def occurring_pairs(self, first: int, second: int) -> tuple[Ints, Ints]:
        """Return the pairs of values that occur, and how often.

        Parameters
        ----------
        first, second : int
            Numbers of the two features.
        """
        found = self.cluster.ask(self._shards, "occurring_pairs", [(first, second)] * len(self._shards))
        keys, place = np.unique(np.concatenate([keys for keys, _ in found]), return_inverse=True)
        counts = np.bincount(place, weights=np.concatenate([counts for _, counts in found]))
        return keys, counts.astype(np.int64)

    def best_row(
        self,
        scores: RowScores,
        open_rows: OpenRows,
        choose: Callable[[int], int],
        *,
        cost: Floats | None = None,
        workers: int = 1,
    ) -> int:
        """Return the open row with the largest score per cost.

        Parameters
        ----------
        scores, open_rows, choose, cost, workers
            As for :meth:`activefs.Pool.best_row`.
        """
        arguments = [
            (open_rows.part(first, size), None if cost is None else cost[first : first + size])
            for first, size in zip(self._first.tolist(), self._sizes.tolist(), strict=True)
        ]
        found: list[BestOfShard] = self.cluster.ask(self._shards, "best", arguments, shared=scores)
        best = max(one.best for one in found)
        inside = [i for i, one in enumerate(found) if one.best >= lowest_tie(best)]
        ties: dict[int, Ints] = {i: found[i].rows for i in inside}
        counts = {i: found[i].n_ties for i in inside}
        # What ties with the best of a shard need not tie with the best of all, if these differ by rounding.
        if unclear := [i for i in inside if found[i].best != best]:
            self._ask_again(unclear, scores, arguments, best, ties, counts)
        chosen = choose(sum(counts.values()))
        for i in inside:
            if chosen < counts[i]:
                if chosen >= ties[i].size:
                    self._ask_again([i], scores, arguments, best, ties, counts)
                row = int(ties[i][chosen])
                self._note(found[i], row)
                return row
            chosen -= counts[i]
        raise IndexError(chosen)

    def scores_of_all(self, scores: RowScores, workers: int = 1) -> Floats:
        """Return the scores of all rows.

        Parameters
        ----------
        scores, workers
            As for :meth:`activefs.Pool.scores_of_all`.
        """
        found = self.cluster.ask(self._shards, "scores_of_all", [()] * len(self._shards), shared=scores)
        return np.concatenate(found)

    def without_last(self) -> PartitionedPool:
        """Return the pool without its last feature, whose codes stay with the workers."""
        info = self.info.without_last()
        return PartitionedPool(info, self._marks[: info.value_counts.size], self.cluster, self._shards, self._first)

    # --- inside ---

    @property
    def _dtype(self) -> type[np.uint8] | type[np.uint16]:
        return np.uint8 if self.cardinalities.max(initial=0) <= 256 else np.uint16

    def _ask_again(
        self,
        which: list[int],
        scores: RowScores,
        arguments: list[tuple[OpenRows, Floats | None]],
        best: float,
        ties: dict[int, Ints],
        counts: dict[int, int],
    ) -> None:
        """Ask some shards for all rows that tie with the best of all."""
        some = [self._shards[i] for i in which]
        found = self.cluster.ask(some, "ties", [(*arguments[i], best) for i in which], shared=scores)
        for i, rows in zip(which, found, strict=True):
            ties[i], counts[i] = rows, int(rows.size)

    def _note(self, found: BestOfShard, row: int) -> None:
        """Remember the codes of a row that is going to be asked, which came with it."""
        at = np.flatnonzero(found.rows[: found.codes.shape[1]] == row)
        if at.size:
            self._remember(np.array([row]), found.codes[: self.n_features, at[:1]])

    def _codes_of_many(self, rows: Ints, features: Ints | None) -> Codes:
        key = rows.tobytes()
        if key not in self._requests:
            different, back = np.unique(rows, return_inverse=True)
            if different.size * self.n_features > _REMEMBERED_BYTES:
                return self._fetched(different, features)[:, back]
            found = self._mostly_known(different)
            while len(self._requests) >= _REMEMBERED_REQUESTS:
                del self._requests[next(iter(self._requests))]
            self._requests[key] = different, found, found[:, back]
        codes = self._requests[key][2]
        return codes if features is None else codes[features]

    def _mostly_known(self, rows: Ints) -> Codes:
        """Return codes of rows, which ascend; those of an earlier request, as a model makes one, need not travel."""
        codes = np.empty((self.n_features, rows.size), dtype=self._dtype)
        missing: Bools = np.ones(rows.size, dtype=bool)
        for known, of_known, _ in self._requests.values():
            at = np.minimum(np.searchsorted(known, rows), known.size - 1)
            new = missing & (known[at] == rows)
            codes[:, new] = of_known[:, at[new]]
            missing &= ~new
        if missing.any():
            codes[:, missing] = self._fetched(rows[missing])
        return codes

    def _fetched(self, rows: Ints, features: Ints | None = None) -> Codes:
        """Return codes of rows, which ascend, from where they are."""
        owner = np.searchsorted(self._first, rows, side="right") - 1
        which = np.unique(owner).tolist()
        parts = self.cluster.ask(
            [self._shards[i] for i in which], "codes_of", [(rows[owner == i], features) for i in which]
        )
        size = self.n_features if features is None else features.size  # shards may have a line that is no feature
        parts = [np.empty((size, 0), dtype=self._dtype), *(part[:size] for part in parts)]
        return np.concatenate(parts, axis=1)

    def _remember(self, rows: Ints, codes: Codes) -> None:
        for i, row in enumerate(rows.tolist()):
            self._known[row] = np.ascontiguousarray(codes[:, i])
        while len(self._known) * self.n_features > _REMEMBERED_BYTES and len(self._known) > _SEVERAL:
            del self._known[next(iter(self._known))]


def _reopened(
    kind: type[PartitionedPool], info: PoolInfo, marks: UInt64s, address: str, shards: list[Any], first: Ints
) -> PartitionedPool:
    """Make the pool again in another process, which talks to the same cluster."""
    return kind(info, marks, Cluster.at(address), shards, first)
