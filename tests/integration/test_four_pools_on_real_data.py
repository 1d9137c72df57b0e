"""The paper's data sets, held in all four ways: the same questions to the row, and the same answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import real_data
from scipy import sparse

from activefs import Pool, Session, datasets
from activefs.clusters import start_workers
from activefs.pool import Cluster, DensePool, SparsePool, read_pool
from activefs.streams import _fits

LABELS = 24


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(start_workers(2))
    yield cluster
    cluster.close()


def in_four_ways(codes: np.ndarray, folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> dict[str, Pool]:
    """Read the table as whoever has it in these forms would: a matrix, a sparse matrix, a large file, a cluster."""
    path = folder / "table.parquet"
    pq.write_table(pa.table({f"x{j}": column for j, column in enumerate(codes.T)}), path, row_group_size=700)
    memory, lists = (read_pool(table, binning="none") for table in (codes, sparse.csr_array(codes)))
    pools = {
        "dense": DensePool(memory.info, memory.codes),
        "sparse": lists if lists.kind == "sparse" else SparsePool.of(lists.info, lists.codes),
        "partitioned": read_pool(path, binning="none", cluster=cluster),
    }
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    return pools | {"mapped": read_pool(path, binning="none")}


def asked(pool: Pool, y: np.ndarray, strategy: str) -> tuple[list[int], list[int]]:
    session = Session(pool, 10, strategy=strategy, random_state=0, budget=LABELS, when_certified="continue")
    rows = []
    while not session.finished:
        rows.append(session.ask())
        session.tell(rows[-1], int(y[rows[-1]]))
    return rows, session.selection().features.tolist()


@pytest.mark.parametrize("name", ["PCMAC", "MUSK", "MNIST35"])
def test_the_same_questions_and_the_same_answer(
    name: str, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_data.need(name)
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))
    found = datasets.load(name)
    pools = in_four_ways(found.X, tmp_path, cluster, monkeypatch)
    assert {kind: pool.kind for kind, pool in pools.items()} == {kind: kind for kind in pools}
    assert len({pool.fingerprint for pool in pools.values()}) == 1
    for strategy in ("afs", "assisted"):
        expected = asked(pools["dense"], found.y, strategy)
        assert len(set(expected[0])) == LABELS
        for kind, pool in pools.items():
            assert asked(pool, found.y, strategy) == expected, (kind, strategy)
