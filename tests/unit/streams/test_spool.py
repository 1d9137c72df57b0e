"""What is kept of tables that are computed when they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from activefs import Pool
from activefs.exceptions import ActiveFSError
from activefs.streams import _fits, open_source


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))


def reader(table: Any) -> Any:
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=70))


def table(rows: int = 5000) -> Any:
    rng = np.random.default_rng(0)
    return pa.table({"a": rng.normal(size=rows), "b": rng.integers(0, 5, rows)})


@pytest.mark.parametrize("name", ["about.json", "table.parquet"])
def test_a_damaged_copy_is_made_anew(name: str, tmp_path: Path) -> None:
    first = open_source(reader(table()))
    assert first is not None
    (kept,) = tmp_path.rglob(name)
    kept.write_bytes(kept.read_bytes()[:40])
    again = open_source(reader(table()))
    assert again is not None and again.to_table().equals(table())
    assert len(list(tmp_path.rglob(name))) == 1


def test_a_copy_that_is_damaged_inside_is_deleted(tmp_path: Path) -> None:
    source = open_source(reader(table()))
    assert source is not None
    (kept,) = tmp_path.rglob("table.parquet")
    content = bytearray(kept.read_bytes())
    content[2000:2100] = bytes(100)
    kept.write_bytes(content)
    again = open_source(reader(table()))
    assert again is not None
    with pytest.raises(ActiveFSError, match="the copy of the record batches in the cache folder was damaged"):
        again.to_table()
    once_more = open_source(reader(table()))
    assert once_more is not None and once_more.to_table().equals(table())


def test_categories_that_are_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = pa.array(np.random.default_rng(0).integers(0, 30, 500)).dictionary_encode()
    given = pa.table({"a": numbers, "b": np.arange(500) % 3})
    expected = Pool.from_table(given)
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    pool = Pool.from_table(reader(given))
    assert pool.kind == "mapped" and pool.encodings == expected.encodings and pool.fingerprint == expected.fingerprint


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("how", ["write_ipc", "write_ipc_stream"])
def test_arrow_files_of_polars_hold_text_in_views(
    how: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fits:
        monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    frame = pl.DataFrame({"a": ["red", "blue", None] * 4, "b": [["x"], ["y"], None] * 4})
    getattr(frame, how)(tmp_path / "t.arrow", compat_level=pl.CompatLevel.newest())
    source = open_source(tmp_path / "t.arrow")
    assert source is not None
    assert source.take([1, 3]).to_pydict() == {"a": ["blue", "red"], "b": [["y"], ["x"]]}
    assert source.to_table().filter([True, False] * 6).num_rows == 6
