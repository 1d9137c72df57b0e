"""Every kind of pool gives the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.delayed import delayed

from activefs.clusters import start_workers
from activefs.pool import Cluster, DensePool, MappedPool, PartitionedPool, Pool, PoolShard, SparsePool, read_pool
from activefs.testing import PoolContract


class TestDense(PoolContract):
    def pool_of(self, X: Any) -> Pool:
        return DensePool.from_table(X, binning="none")


class TestSparse(PoolContract):
    def pool_of(self, X: Any) -> Pool:
        dense = DensePool.from_table(X, binning="none")
        return SparsePool.of(dense.info, dense.codes)

    def test_the_table_of_the_contract_has_lists_and_lines(self) -> None:
        pool, _ = self.both(0)
        assert isinstance(pool, SparsePool)
        assert (pool.lists.dense_at < 0).sum() == 4 and pool.lists.dense.shape[0] == 4
        assert (np.diff(pool.lists.start) > 0).sum() == 4


class TestMapped(PoolContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def pool_of(self, X: Any) -> Pool:
        dense = DensePool.from_table(X, binning="none")
        path = self.folder / f"{len(list(self.folder.iterdir()))}.bin"
        path.write_bytes(dense.codes.tobytes())
        return MappedPool(dense.info, path, dense.codes.dtype.name, dense.marks)


class TestPartitioned(PoolContract):
    """Three shards on two workers, one of the shards without rows."""

    cluster: Cluster

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _cluster(cls) -> Iterator[None]:
        cls.cluster = Cluster(start_workers(2))
        yield
        cls.cluster.close()

    def pool_of(self, X: Any) -> Pool:
        dense = DensePool.from_table(X, binning="none")
        cuts = np.array([0, dense.n_rows // 3, dense.n_rows // 3, dense.n_rows])
        shards = [PoolShard(_part(dense, a, b), int(a)) for a, b in pairwise(cuts)]
        futures = self.cluster.client.scatter(shards, hash=False)
        return PartitionedPool(dense.info, dense.marks, self.cluster, futures, cuts[:-1])


class TestOfDataFrame(PoolContract):
    """A Dask DataFrame with unknown divisions and a partition without rows, encoded by two workers."""

    cluster: Cluster

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _cluster(cls) -> Iterator[None]:
        cls.cluster = Cluster(start_workers(2))
        yield
        cls.cluster.close()

    def pool_of(self, X: Any) -> Pool:
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
        parts = [frame[:50], frame[:0], frame[50:180], frame[180:]]
        return read_pool(dd.from_delayed([delayed(part) for part in parts]), binning="none", cluster=self.cluster)


def _part(pool: Pool, start: int, stop: int) -> DensePool:
    codes = np.ascontiguousarray(pool.codes[:, start:stop])
    counts = [np.bincount(line, minlength=size) for line, size in zip(codes, pool.cardinalities, strict=True)]
    return DensePool(replace(pool.info, n_rows=stop - start, value_counts=np.concatenate(counts)), codes)
