"""Tables that are not in memory become the same pools as those that are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from activefs import Pool, Session
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.pool import SparsePool
from activefs.streams import _fits, encode_source


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))


def frame(rows: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "whole": rng.integers(0, 5, rows),
            "many": rng.integers(0, 300, rows),
            "real": rng.normal(size=rows),
            "text": rng.choice(["red", "green", "blue"], rows),
            "flag": rng.random(rows) < 0.4,
            "same": np.ones(rows, dtype=int),
            "id": np.arange(rows),
        }
    )


def given(kind: str, tmp_path: Path) -> Any:
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    path = tmp_path / "table.parquet"
    pq.write_table(table, path, row_group_size=64)
    if kind == "csv":
        pa_csv.write_csv(table, tmp_path / "table.csv")
        return tmp_path / "table.csv"
    if kind in ("folder", "pattern"):
        (tmp_path / "parts").mkdir()
        for part in range(5):
            pq.write_table(table.slice(part * 100, 100), tmp_path / "parts" / f"{part}.parquet", row_group_size=30)
        return tmp_path / "parts" if kind == "folder" else str(tmp_path / "parts" / "*.parquet")
    return {
        "parquet": path,
        "address": f"file://{path}",
        "lazy": pl.scan_parquet(path),
        "dataset": ds.dataset(path),
        "duckdb": duckdb.sql(f"select * from '{path}'"),
        "reader": pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=70)),
    }[kind]


KINDS = ("parquet", "csv", "folder", "pattern", "address", "lazy", "dataset", "duckdb", "reader")


@pytest.mark.filterwarnings("ignore::activefs.exceptions.LeftOutWarning")
@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_pool_from_everywhere(kind: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Pool.from_table(frame())
    if not fits:
        monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    pool = Pool.from_table(given(kind, tmp_path))
    # A small text file is in memory before anybody can ask how large its table is; it may be mapped all the same.
    assert pool.kind == ("dense" if fits else "mapped")
    assert pool.names == expected.names and pool.encodings == expected.encodings
    assert pool.left_out == expected.left_out and pool.fingerprint == expected.fingerprint
    np.testing.assert_array_equal(pool.codes, expected.codes)


@pytest.mark.filterwarnings("ignore::activefs.exceptions.LeftOutWarning")
def test_a_session_is_saved_with_one_kind_and_goes_on_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = given("parquet", tmp_path)
    y = (frame().whole > 2).to_numpy()
    session = Session(frame(), k=2, random_state=0)
    for _ in range(14):
        row = session.ask()
        session.tell(row, bool(y[row]))
    session.save(tmp_path / "session.json")
    expected = session.ask()
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    again = Session.load(tmp_path / "session.json", path)
    assert again.pool.kind == "mapped" and again.ask() == expected


@pytest.mark.usefixtures("_cache")
def test_it_is_encoded_once_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from activefs.pool import _stream

    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    calls = []

    def encode(*given: Any, **options: Any) -> Any:
        calls.append(1)
        return encode_source(*given, **options)

    monkeypatch.setattr(_stream, "encode_source", encode)
    path = given("parquet", tmp_path)
    options: dict[str, Any] = {"ignore": ["id"]}
    first = Pool.from_table(path, **options)
    other = tmp_path / "copy.parquet"
    other.write_bytes(path.read_bytes())
    assert Pool.from_table(other, **options).fingerprint == first.fingerprint and len(calls) == 1
    assert Pool.from_table(path, bins=4, **options).fingerprint != first.fingerprint and len(calls) == 2
    # What is damaged is made anew.
    (codes,) = [p for p in (tmp_path / "cache").rglob("codes.bin") if p.stat().st_size == first.codes.nbytes][:1]
    codes.write_bytes(codes.read_bytes()[:-7])
    assert Pool.from_table(path, **options).fingerprint == first.fingerprint


def test_names_are_those_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    with pytest.raises(InvalidInputError, match="called as the file says"):
        Pool.from_table(given("parquet", tmp_path), names=list("abcdefg"))


def test_nothing_is_half_done_when_a_late_row_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    table = frame().drop(columns="id")
    table.loc[451, "real"] = np.nan
    path = tmp_path / "late.parquet"
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path, row_group_size=64)
    with pytest.raises(InvalidInputError, match=r"missing values .*'real' \(1 missing, the first in row 451.*late"):
        Pool.from_table(path)
    left = [p for p in (tmp_path / "cache").rglob("*") if p.is_file() and "pools" in p.parts]
    assert left == []
    assert Pool.from_table(path, missing="value").encodings[2].missing


def test_words_in_a_sparse_matrix_take_little_memory() -> None:
    rng = np.random.default_rng(0)
    words = sparse.random(
        1500, 3000, density=0.01, format="csr", random_state=rng, data_rvs=lambda n: rng.integers(1, 4, n)
    )
    pool = Pool.from_table(words)
    assert isinstance(pool, SparsePool)
    assert pool.lists.nbytes <= 3 * (words.data.nbytes + words.indices.nbytes + words.indptr.nbytes)
    dense = Pool.from_table(words.toarray())
    assert pool.fingerprint == dense.fingerprint and pool.encodings == dense.encodings
    np.testing.assert_array_equal(pool.codes, dense.codes)


@pytest.mark.parametrize(
    "column",
    [
        [0.0, 0.0, 1.5, np.nan, 0.0, 2.5],
        [3, 3, 3, 0, 3, 3],
        [1, 2, 3, 4, 5, 6],
        [0, 0, 0, 0, 0, 0],
        [-1, 0, 0, 2, 0, 0],
    ],
)
def test_columns_of_sparse_matrices_are_read_as_others(column: list[float]) -> None:
    table = np.column_stack([np.tile(column, 20), np.arange(120) % 2])
    every: list[dict[str, Any]] = [{}, {"bins": 2}, {"binning": "none"}]
    for options in every:
        one, two = (Pool.from_table(X, missing="value", **options) for X in (table, sparse.csc_array(table)))
        assert one.encodings == two.encodings and one.fingerprint == two.fingerprint


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ActiveFSError, match="ACTIVEFS_CACHE_DIR"):
        Pool.from_table(given("parquet", tmp_path), ignore=["id"])


@pytest.mark.usefixtures("_cache")
def test_what_changed_is_noticed_though_size_and_time_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    path = tmp_path / "t.parquet"

    def write(first: int) -> Pool:
        table = pa.table({"a": [first, 1, 2, 3] * 50, "b": [0, 1] * 100})
        pq.write_table(table, path, use_dictionary=False, compression="none", write_statistics=False)
        os.utime(path, (1e9, 1e9))
        return Pool.from_table(path)

    first, size = write(7), path.stat().st_size
    second = write(8)
    assert path.stat().st_size == size and first.encodings[0].values[-1] == 7 and second.encodings[0].values[-1] == 8
