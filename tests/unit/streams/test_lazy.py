"""Tables that are computed while they are read: kept once, by their content."""

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from machines import small_disk
from sources import source_of

from activefs import Pool
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.streams import TableSource, open_source
from activefs.streams._content import Content, in_groups
from activefs.streams._parquet_source import ParquetSource
from activefs.streams._spool import SpooledSource

ROWS = 150_000
TABLE = pa.table({"n": np.arange(ROWS), "t": pa.array([None if i % 9 == 0 else f"t{i % 11}" for i in range(ROWS)])})


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


def test_all_libraries_give_the_same_table_with_the_same_key(tmp_path, own_cache):
    expected = TableSource(TABLE)
    pq.write_table(TABLE, tmp_path / "t.parquet")
    arrow = TABLE  # DuckDB finds it by its name
    feather.write_feather(TABLE, str(tmp_path / "t.feather"))
    for X in (
        pl.DataFrame(TABLE).lazy(),
        pl.scan_parquet(tmp_path / "t.parquet"),
        duckdb.sql("select * from arrow"),
        TABLE.to_reader(max_chunksize=777),
        ds.dataset(TABLE),
        ds.dataset(tmp_path / "t.feather", format="feather"),
    ):
        source = open_source(X)
        assert isinstance(source, SpooledSource) and source.key() == expected.key()
        assert source.n_rows == ROWS and len(source.pieces) == 3
        assert source.to_table().cast(TABLE.schema).equals(TABLE)
        source.check_unchanged()
    assert len(list(own_cache.iterdir())) == 1 and arrow is TABLE


def test_parquet_files_of_a_dataset_are_used_as_they_are(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    pq.write_table(TABLE.slice(0, 100), folder / "a.parquet")
    pq.write_table(TABLE.slice(100, 50), folder / "b.parquet")
    whole = ds.dataset(folder)
    assert type(source_of(whole)) is ParquetSource and source_of(whole).n_rows == 150
    some = open_source(whole.filter(ds.field("n") < 120))
    assert isinstance(some, SpooledSource) and some.to_table().column("n").to_pylist() == list(range(120))
    other = open_source(ds.dataset(folder, schema=pa.schema({"n": pa.float64()})))
    assert isinstance(other, SpooledSource) and other.schema.types == [pa.float64()]


def test_types_that_parquet_does_not_have(tmp_path):
    table = pa.table(
        {
            "seconds": pa.array([1, None], pa.timestamp("s")),
            "view": pa.array(["a", None]).cast(pa.string_view()),
            "kind": pa.array(["a", "b"]).dictionary_encode(),
            "nothing": pa.nulls(2),
            "time": pa.array([1, 2], pa.time32("s")),
            "list": [[1], [2, 3]],
            "small": pa.array([1, 2], pa.uint8()),
            "real": pa.array([1.5, float("nan")], pa.float32()),
        }
    )
    found = source_of(table.to_reader()).to_table()
    assert str(found.to_pydict()) == str(table.to_pydict())
    assert found.schema.field("seconds").type == pa.timestamp("s")


def test_errors_of_libraries_are_one_sentence_and_leave_nothing(own_cache):
    def broken():
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("the line is dead")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), broken())
    for X, said in (
        (reader, r"^the record batches cannot be read: .*the line is dead"),
        (pl.LazyFrame({"a": ["x"]}).select(pl.col("a").cast(pl.Int64)), r"^the LazyFrame cannot be computed: "),
        (duckdb.sql("select cast(x as int) as a from (values ('x')) t(x)"), r"^the DuckDB relation cannot be read: "),
        (pa.table({"a": pa.array([], pa.int64())}).to_reader(), r"^the record batches has 1 column, but no rows$"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            open_source(X)
    assert not own_cache.exists() or not list(own_cache.iterdir())


@pytest.mark.parametrize("kind", ["reader", "lazy"])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, kind):
    table = pa.table({"x": np.random.default_rng(0).random(1_000_000)})
    with small_disk(tmp_path / "disk", megabytes=2) as disk:
        monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(disk))
        with pytest.raises(ActiveFSError, match=r"^The disk is full .*make room, or let ACTIVEFS_CACHE_DIR name"):
            open_source(table.to_reader() if kind == "reader" else pl.DataFrame(table).lazy())
        assert not list((disk / "tables").iterdir())


def test_what_is_in_use_stays_in_the_cache(own_cache, monkeypatch):
    monkeypatch.setenv("ACTIVEFS_CACHE_SIZE", "0")
    first = source_of(pa.table({"a": [1, 2]}).to_reader())
    open_source(pa.table({"a": [3]}).to_reader())
    assert first.take([1]).to_pydict() == {"a": [2]}
    del first
    open_source(pa.table({"a": [4]}).to_reader())
    assert len(list(own_cache.iterdir())) == 1


class TestArrowFiles:
    @pytest.mark.parametrize("compression", ["uncompressed", "zstd"])
    def test_pieces_are_record_batches(self, tmp_path, compression):
        path = tmp_path / "t.feather"
        feather.write_feather(TABLE, str(path), chunksize=40_000, compression=compression)
        source = source_of(path)
        assert [piece.n_rows for piece in source.pieces] == [40_000, 40_000, 40_000, 30_000]
        assert source.to_table().equals(TABLE) and source.take([149_999, 1], ["t"]).column("t").to_pylist() == [
            "t3",
            "t1",
        ]
        (batch,) = source.read(3, ["t", "n"])
        assert batch.schema.names == ["t", "n"]

    def test_streams_and_what_is_damaged(self, tmp_path):
        path = tmp_path / "t.arrow"
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
            writer.write_table(TABLE)
        assert source_of(path).to_table().equals(TABLE)
        feather.write_feather(TABLE, str(path), compression="uncompressed")
        source = source_of(path)
        content = path.read_bytes()
        path.write_bytes(content[:2000])
        with pytest.raises(InvalidInputError, match=r"t.arrow cannot be read as arrow: it is damaged or cut off"):
            open_source(path)
        with pytest.raises(InvalidInputError, match=r"t.arrow changed while it was read"):
            source.to_table()


@given(
    st.lists(st.tuples(st.none() | st.integers(-5, 5), st.none() | st.text("ab", max_size=3)), min_size=1),
    st.integers(1, 7),
)
def test_content_does_not_depend_on_how_rows_are_cut_and_stored(rows, size):
    numbers, texts = (pa.array(column) for column in zip(*rows, strict=True))
    table = pa.table({"n": numbers.cast(pa.int64()), "t": texts.cast(pa.string())})
    padded = pa.concat_tables([pa.table({"n": pa.array([9], pa.int64()), "t": ["zz"]}), table]).slice(1)
    other = padded.set_column(1, "t", padded.column("t").cast(pa.large_string()))
    keys = set()
    for some in (table, padded, other, table.combine_chunks()):
        content = Content(some.schema)
        for group in in_groups(some.to_batches(max_chunksize=size), some.schema):
            content.add(group)
        keys.add(content.key())
    assert len(keys) == 1
    changed = Content(table.schema)
    changed.add(table.set_column(0, "n", pa.array([7] * len(rows), pa.int64())))
    assert changed.key() not in keys


def test_small_files_of_other_kinds(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1, "b": "x"}\n{"a": 2}\n')
    source = source_of(tmp_path / "t.jsonl")
    assert source.to_table().to_pydict() == {"a": [1, 2], "b": ["x", None]}
    (tmp_path / "t.jsonl").write_text('{"a": 1, "b": "x"}\n')
    with pytest.raises(InvalidInputError, match=r"t.jsonl changed while it was read"):
        source.check_unchanged()


def test_categories_of_polars_have_no_order_as_in_memory():
    frame = pl.DataFrame({"a": ["small", "large", "small"] * 5}).cast(pl.Enum(["small", "large"]))
    lazy, in_memory = Pool.from_table(frame.lazy()), Pool.from_table(frame)
    assert lazy.encodings == in_memory.encodings and lazy.fingerprint == in_memory.fingerprint


def test_whatever_goes_wrong_in_a_lazy_frame_is_one_sentence(tmp_path, own_cache):
    def broken(frame):
        raise RuntimeError("what somebody wrote\nfails")

    for frame, said in (
        (pl.scan_parquet(tmp_path / "gone.parquet"), r"^the LazyFrame cannot be computed: .*gone\.parquet$"),
        (pl.LazyFrame({"a": [1]}).map_batches(broken), r"^the LazyFrame cannot be computed: what somebody wrote$"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            open_source(frame)
    assert list(own_cache.iterdir()) == []


def test_a_column_that_is_there_twice_is_one_of_the_relation():
    with pytest.raises(InvalidInputError, match=r"^the header of the DuckDB relation names a column 'a'"):
        open_source(duckdb.sql("select 1 as a, 2 as a"))


def test_a_scanner_is_read(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet")
    source = source_of(ds.dataset(tmp_path / "t.parquet").scanner(columns=["n"], filter=ds.field("n") < 10))
    assert source.to_table().to_pydict() == {"n": list(range(10))}
