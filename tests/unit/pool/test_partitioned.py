"""Pools on a cluster: what they are made of, how often they ask, and how little travels."""

from __future__ import annotations

import gc
import pickle
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask.delayed import delayed

from activefs import Session
from activefs.clusters import start_workers
from activefs.exceptions import ClusterError, InvalidInputError, LeftOutWarning
from activefs.pool import Cluster, PartitionedPool, Pool, column_values, read_pool
from activefs.streams import TableSource, open_source

N = 3_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    made = Cluster(start_workers(2))
    yield made
    made.close()


def table(rows: int = N) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    size = pd.Categorical(rng.choice(["s", "m", "l"], rows), ["s", "m", "l"], ordered=True)
    return pd.DataFrame(
        {
            "few": rng.integers(0, 5, rows),
            "text": rng.choice(["red", "green", "blue"], rows),
            "many": rng.normal(size=rows),
            "size": size,
            "flag": rng.random(rows) < 0.3,
            "one": 1,
            "id": np.arange(rows),
        }
    )


def in_parts(*parts: Any) -> Any:
    return dd.from_delayed([delayed(part) for part in parts], meta=parts[0].iloc[:0], verify_meta=False)


def assert_same(pool: Pool, other: Pool) -> None:
    assert pool.info.names == other.info.names and pool.left_out == other.left_out
    assert pool.encodings == other.encodings
    np.testing.assert_array_equal(pool.value_counts, other.value_counts)
    np.testing.assert_array_equal(pool.marks, other.marks)
    assert pool.fingerprint == other.fingerprint
    np.testing.assert_array_equal(pool.codes, other.codes)


# --- the same pool as in memory ---


@pytest.mark.parametrize("partitions", [1, 3, 20])
def test_a_data_frame_is_the_same_pool(cluster: Cluster, partitions: int) -> None:
    pool = read_pool(dd.from_pandas(table(), npartitions=partitions), cluster=cluster)
    assert isinstance(pool, PartitionedPool)
    assert_same(pool, read_pool(table()))


def test_filtered_frames_have_partitions_without_rows(cluster: Cluster) -> None:
    frame = table().sort_values("few", ignore_index=True)
    kept = dd.from_pandas(frame, npartitions=9)
    assert_same(
        read_pool(kept[kept["few"] > 1], cluster=cluster), read_pool(frame[frame["few"] > 1].reset_index(drop=True))
    )


def test_arrays(cluster: Cluster) -> None:
    X = np.random.default_rng(0).integers(0, 4, size=(700, 6))
    array = da.from_array(X, chunks=(150, 4))
    assert_same(read_pool(array, cluster=cluster), read_pool(X))
    assert_same(read_pool(array, names=list("abcdef"), cluster=cluster), read_pool(X, names=list("abcdef")))
    unknown = array[array[:, 0] > 0]
    assert_same(read_pool(unknown, cluster=cluster), read_pool(X[X[:, 0] > 0]))
    with pytest.raises(InvalidInputError, match="Expected 2D array, got 1D"):
        read_pool(array[:, 0], cluster=cluster)


def test_files_and_sources(cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.Table.from_pandas(table(), preserve_index=False), path, row_group_size=400)
    told: list[tuple[str, float]] = []
    pool = read_pool(path, cluster=cluster, progress=lambda what, share: told.append((what, share)))
    assert_same(pool, read_pool(path))
    assert told[-1] == ("encoding the table", 1.0) and all(0 <= share <= 1 for _, share in told)
    assert len(pickle.dumps(open_source(path))) < 50_000
    csv = tmp_path / "table.csv"
    table().to_csv(csv, index=False)
    assert_same(read_pool(csv, cluster=cluster), read_pool(csv))
    assert_same(read_pool(table(), cluster=cluster), read_pool(table()))


def test_a_large_table_is_the_same_pool_as_a_mapped_one(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where values turn up that the sample lacks, and codes are made twice."""
    rng = np.random.default_rng(1)
    codes = np.where(np.arange(40_000) < 30_000, rng.integers(0, 9, 40_000), rng.integers(0, 700, 40_000))
    late = pa.table({"codes": codes, "word": [f"w{v}" for v in codes % 300], "x": rng.normal(size=40_000)})
    source = TableSource(late, rows_per_piece=2_000)
    monkeypatch.setattr("activefs.streams._sample.SAMPLE_ROWS", 4_000)
    monkeypatch.setattr("activefs.pool._cluster_sample.SAMPLE_ROWS", 4_000)
    monkeypatch.setattr("activefs.pool._read.fits_in_memory", lambda source: False)
    options: dict[str, Any] = {"binning": {"codes": "none"}}
    # The workers' sample is that of the driver, who says which rows; theirs is not patched, so pieces are read whole.
    there = read_pool(dd.from_pandas(late.to_pandas(), npartitions=20), cluster=cluster, **options)
    here = read_pool(source, **options)
    assert there.names == here.names and there.n_rows == here.n_rows
    for j in (0, 1):
        assert there.encodings[j] == here.encodings[j]
    np.testing.assert_array_equal(there.codes[:2], here.codes[:2])


def test_the_rows_of_large_partitions_are_sampled(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A partition that is much larger than the others is read once more for its share."""
    monkeypatch.setattr("activefs.streams._sample.SAMPLE_ROWS", 2_000)
    monkeypatch.setattr("activefs.pool._cluster_sample.SAMPLE_ROWS", 2_000)
    monkeypatch.setattr("activefs.pool._cluster_sample._LEAST_ROWS", 64)
    X = pd.DataFrame({"a": np.random.default_rng(0).integers(0, 8, 20_000), "b": np.arange(20_000) % 5})
    frame = in_parts(X[:100], X[100:19_900], X[19_900:])
    assert_same(read_pool(frame, cluster=cluster), read_pool(X))


# --- bad input ---


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.assign(many=part["many"].mask(part["many"] > 2)), r"'many' \(\d+ missing, the first in row"),
        (lambda part: part.drop(columns="flag"), "partition 2 has no column 'flag'"),
        (lambda part: part.assign(more=1), "partition 2 has a column 'more'"),
        (lambda part: part.assign(few=part["few"].astype(str)), r"'few' \(.*in row 2,000, in partition 2\)"),
        (lambda part: part.assign(many=np.inf), r"'many' \(infinite values, the first in row 2,000, in partition 2\)"),
    ],
)
def test_what_is_wrong_with_a_partition(cluster: Cluster, change: Any, message: str) -> None:
    frame = table()
    parts = [frame[:1_000], frame[1_000:2_000], change(frame[2_000:])]
    with pytest.raises(InvalidInputError, match=message) as caught:
        read_pool(in_parts(*parts), cluster=cluster)
    assert "\n" not in str(caught.value)


def test_categories_that_differ_by_partition(cluster: Cluster) -> None:
    frame = table()[["few", "text"]]
    parts = [frame[at : at + 1_000].astype({"text": "category"}) for at in range(0, N, 1_000)]
    parts[1] = parts[1].assign(text=parts[1]["text"].cat.add_categories(["violet"]))
    parts[2] = parts[2].assign(text=parts[2]["text"].cat.rename_categories({"red": "black"}))
    whole = pd.concat([part.astype({"text": object}) for part in parts])
    assert_same(read_pool(in_parts(*parts), cluster=cluster), read_pool(whole))
    for part in parts:  # each has an order, but not the same
        part["text"] = part["text"].cat.as_ordered()
    assert_same(read_pool(in_parts(*parts), cluster=cluster), read_pool(whole))


def test_tables_that_are_none(cluster: Cluster) -> None:
    frame = dd.from_pandas(table(), npartitions=3)
    for wrong, message in (
        (frame[frame["few"] > 99], "the table is empty: 0 sample"),
        (frame["few"], "a Dask Series is one column"),
        (frame[[]], "0 feature"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            read_pool(wrong, cluster=cluster)

    def broken(part: pd.DataFrame, partition_info: Any = None) -> pd.DataFrame:
        raise ValueError("no such day\nbut others")

    with pytest.raises(
        InvalidInputError, match=r"^partition 0 of the table cannot be computed: ValueError: no such day$"
    ):
        read_pool(frame.map_partitions(broken, meta=frame._meta), cluster=cluster)


# --- sessions ---


def test_sessions_of_data_frames(tmp_path: Path) -> None:
    """Without a cluster, threads of this process are one, which ends with the last pool."""
    frame = dd.from_pandas(table(), npartitions=4)
    with pytest.warns(LeftOutWarning, match="'id'"):
        session = Session(frame, 2, random_state=0, classes=[0, 1])
    pool = session.pool
    assert isinstance(pool, PartitionedPool)
    client = pool.cluster.client
    with pytest.raises(ValueError, match="No clients"):
        distributed.default_client()
    with pytest.warns(LeftOutWarning):
        here = Session(table(), 2, random_state=0, classes=[0, 1])
    for _ in range(6):
        row = session.ask()
        assert row == here.ask()
        for each in (session, here):
            each.tell(row, int(table()["few"][row] > 2))
    session.save(tmp_path / "session.json")
    expected = here.ask()
    table().to_parquet(tmp_path / "table.parquet", index=False)
    for same in (frame, table(), tmp_path / "table.parquet"):
        with pytest.warns(LeftOutWarning):
            assert Session.load(tmp_path / "session.json", same).ask() == expected
    del session, pool
    gc.collect()
    assert client.status == "closed"


def test_the_cluster_that_is_there_is_used(cluster: Cluster) -> None:
    with cluster.client.as_current():
        pool = read_pool(dd.from_pandas(table(), npartitions=3))
    assert isinstance(pool, PartitionedPool) and pool.cluster.client is cluster.client


def test_costs_are_a_column(cluster: Cluster) -> None:
    frame = table().assign(price=np.arange(N) % 7 + 1.0)
    with cluster.client.as_current():
        there = dd.from_pandas(frame, npartitions=4)
        np.testing.assert_array_equal(column_values(there, "price"), frame["price"])
        with pytest.raises(InvalidInputError, match="there is no column 'prize'"):
            column_values(there, "prize")
        options: dict[str, Any] = {
            "cost": "price",
            "budget": 50,
            "random_state": 0,
            "classes": [0, 1],
            "ignore": ["id"],
        }
        assert Session(there, 2, **options).ask() == Session(frame, 2, **options).ask()
        X = np.random.default_rng(0).integers(1, 4, size=(50, 3))
        np.testing.assert_array_equal(column_values(da.from_array(X, chunks=(20, 2)), "x1"), X[:, 1])


# --- what it costs ---


class Counted:
    """Counts round trips, and measures what is sent and what comes back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.trips: list[str] = []
        self.largest = 0
        ask = Cluster.ask

        def counting(cluster: Cluster, shards: Any, what: str, arguments: Any, shared: Any = None) -> Any:
            found = ask(cluster, shards, what, arguments, shared)
            self.trips.append(what)
            self.largest = max(self.largest, len(pickle.dumps((arguments, shared))), len(pickle.dumps(found)))
            return found

        monkeypatch.setattr(Cluster, "ask", counting)


def label_of(row: int, frame: pd.DataFrame) -> int:
    return int(frame["f0"][row] + frame["f1"][row] > 8)


@pytest.fixture(scope="module")
def wide(cluster: Cluster) -> tuple[Pool, pd.DataFrame]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"f{j}": rng.integers(0, 10, 60_000) for j in range(20)})
    return read_pool(dd.from_pandas(frame, npartitions=12), cluster=cluster), frame


def test_a_question_costs_two_round_trips(wide: tuple[Pool, pd.DataFrame], monkeypatch: pytest.MonkeyPatch) -> None:
    pool, frame = wide
    counted = Counted(monkeypatch)
    session = Session(pool, 3, strategy="afs", random_state=0, classes=[0, 1])
    for _ in range(25):
        before = len(counted.trips)
        row = session.ask()
        session.tell(row, label_of(row, frame))
        assert session.n_labels
        session.values()
        assert counted.trips[before:] in (["best"], ["count_pairs", "best"])
    assert counted.largest < 1_000_000


def test_assisted_questions_fetch_the_sample_once(
    wide: tuple[Pool, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, frame = wide
    counted = Counted(monkeypatch)
    session = Session(pool, 3, strategy="assisted", random_state=0, classes=[0, 1])
    sizes = []
    for _ in range(30):
        before = len(counted.trips)
        row = session.ask()
        session.tell(row, label_of(row, frame))
        sizes.append(len(counted.trips) - before)
    session.selection()
    assert set(counted.trips) == {"codes_of"} and max(sizes[1:]) <= 1
    assert len(counted.trips) <= 32
    assert counted.largest < 1_000_000


def test_a_table_that_changes_is_noticed(cluster: Cluster) -> None:
    """Rows that must be computed again are compared with what they were."""
    X = delayed(lambda: pd.DataFrame(np.random.default_rng().integers(0, 3, size=(100, 4)), columns=list("abcd")))
    frame = dd.from_delayed([X(), X()], meta=pd.DataFrame(np.zeros((0, 4), dtype=int), columns=list("abcd")))
    pool = read_pool(frame, cluster=cluster)
    assert isinstance(pool, PartitionedPool)
    cluster.client.restart_workers(list(cluster.client.scheduler_info(n_workers=-1)["workers"]))
    with pytest.raises(
        ClusterError, match=r"partition \d of the table had to be computed again and is not what it was"
    ):
        pool.codes_of(np.array([0, 150]))


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("activefs.clusters._CONNECT_SECONDS", 1)
    with pytest.raises(ClusterError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        Cluster.at("tcp://127.0.0.1:9")


def test_somebody_else_answers(monkeypatch: pytest.MonkeyPatch, cluster: Cluster) -> None:
    """Whoever listens and says nothing is not waited for, neither then nor when Python ends."""
    monkeypatch.setattr("activefs.clusters._CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for address in (f"tcp://127.0.0.1:{port}", f"tls://127.0.0.1:{port}", *cluster.places()[:1]):
            with pytest.raises(ClusterError, match=f"^no dask scheduler answers at {address}"):
                Cluster.at(address)
