"""Parquet files, in folders, by patterns and at addresses: read in pieces, they are the table that they are whole."""

import os
import pickle
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from platforms import link, needs_deleting, needs_permissions
from sources import source_of

from activefs.exceptions import InvalidInputError, MissingExtraError
from activefs.streams import TableSource, _digests, _fits, _parquet_source, fits_in_memory, open_source
from activefs.streams._files import DataFile
from activefs.streams._parquet_source import ParquetSource

TABLE = pa.table(
    {
        "n": np.arange(1000),
        "text": pa.array([None if i % 7 == 0 else f"t{i % 13}" for i in range(1000)]),
        "real": np.arange(1000) / 8,
        "kind": pa.array([f"k{i % 5}" for i in range(1000)]).dictionary_encode(),
        "list": pa.array([[i, i + 1] for i in range(1000)]),
    }
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(_digests, "_SETTLED", -1.0)


def write(path, table=TABLE, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)
    return path


def parts_of(source, columns):
    return pa.Table.from_batches(
        [batch for piece in range(len(source.pieces)) for batch in source.read(piece, columns)]
    ).unify_dictionaries()


@given(
    rows=st.integers(1, 200),
    group=st.integers(1, 80),
    files=st.integers(1, 3),
    columns=st.lists(st.sampled_from(TABLE.column_names), unique=True, min_size=1),
    data=st.data(),
)
def test_pieces_are_the_whole(tmp_path_factory, rows, group, files, columns, data):
    folder = tmp_path_factory.mktemp("parquet")
    table = TABLE.slice(0, rows)
    size = -(-rows // files)
    for at in range(0, rows, size):
        write(folder / f"{at:04}.parquet", table.slice(at, size), row_group_size=group)
    source = source_of(folder)
    assert source.n_rows == rows and source.names == tuple(TABLE.column_names)
    assert [piece.first_row for piece in source.pieces][1:] == np.cumsum([p.n_rows for p in source.pieces]).tolist()[
        :-1
    ]
    assert parts_of(source, columns).to_pydict() == table.select(columns).to_pydict()
    some = data.draw(st.lists(st.integers(0, rows - 1), max_size=30))
    assert source.take(some, columns).to_pylist() == table.take(pa.array(some, pa.int64())).select(columns).to_pylist()
    assert source.to_table().to_pydict() == table.to_pydict()


def test_threads_read_different_pieces(tmp_path):
    source = source_of(write(tmp_path / "a.parquet", row_group_size=10))
    assert isinstance(source, ParquetSource)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: sum(b.column("n").to_numpy().sum() for b in source.read(i, ["n"])), range(100)))
    assert found == [sum(range(10 * i, 10 * i + 10)) for i in range(100)]
    assert len(source._handles._idle) <= 8  # as many as read at once


def test_many_files_need_few_handles(tmp_path, monkeypatch):
    monkeypatch.setattr(_parquet_source, "_OPEN", 3)
    for i in range(20):
        write(tmp_path / "data" / f"{i:02}.parquet", TABLE.slice(i, 1))
    source = source_of(tmp_path / "data")
    assert source.take(range(20), ["n"]).column("n").to_pylist() == list(range(20))
    assert isinstance(source, ParquetSource) and len(source._handles._idle) == 3


def test_a_source_may_be_sent_to_another_process(tmp_path):
    source = source_of(write(tmp_path / "a.parquet"), progress=lambda what, share: None)
    source.take([3])
    assert pickle.loads(pickle.dumps(source)).take([3]).equals(source.take([3]))


def test_only_the_columns_asked_for_in_their_order(tmp_path):
    table = pa.table({"a": [1, 2], "a.b": [3, 4], "b": [5, 6]})
    source = source_of(write(tmp_path / "a.parquet", table))
    (batch,) = source.read(0, ["b", "a"])
    assert batch.to_pydict() == {"b": [5, 6], "a": [1, 2]}


class TestPlaces:
    def test_folders_patterns_and_addresses_are_the_same(self, tmp_path):
        write(tmp_path / "data" / "b" / "2.parquet", TABLE.slice(600))
        write(tmp_path / "data" / "a" / "1.parquet", TABLE.slice(0, 600))
        write(tmp_path / "data" / "_temporary" / "x.parquet")
        write(tmp_path / "data" / ".hidden.parquet")
        (tmp_path / "data" / "_SUCCESS").touch()
        (tmp_path / "data" / "about.md").write_text("what this is")
        memory = fsspec.filesystem("memory")
        for name in ("a/1.parquet", "b/2.parquet", ".hidden.parquet"):
            memory.pipe(f"/streams/{name}", (tmp_path / "data" / name).read_bytes())
        for said in (
            tmp_path / "data",
            f"{tmp_path}/data/",
            f"{tmp_path}/data/*/*.parquet",
            f"{tmp_path}/data/**/[12].parquet",
            f"file://{tmp_path}/data",
            f"file://{tmp_path}/data/*/*.parquet",
            "memory://streams",
            "memory://streams/*/*.parquet",
        ):
            source = source_of(said)
            assert source.to_table().to_pydict() == TABLE.to_pydict(), said
            assert source.description == str(said)
            source.check_unchanged()

    def test_one_file_at_an_address(self, tmp_path):
        memory = fsspec.filesystem("memory")
        memory.pipe("/one.parquet", write(tmp_path / "one.parquet").read_bytes())
        memory.pipe("/one.csv", b"a;b\n1,5;x\n")
        memory.pipe("/one.jsonl", b'{"a": 1}\n')
        assert source_of("memory://one.parquet").n_rows == 1000
        assert source_of("memory://one.csv").to_table().to_pydict() == {"a": [1.5], "b": ["x"]}
        assert source_of("memory://one.jsonl").to_table().to_pydict() == {"a": [1]}
        source = source_of("memory://one.csv")
        key = source.key()
        memory.pipe("/one.csv", b"a;b\n2,5;x\n")
        with pytest.raises(InvalidInputError, match=r"^memory://one.csv changed while it was read"):
            source.check_unchanged()
        assert key != source_of("memory://one.csv").key()

    @needs_deleting
    def test_folders_that_name_columns(self, tmp_path):
        for year in (2019, 2020):
            for city in ("Berlin", "K%C3%B6ln"):
                write(tmp_path / f"year={year}" / f"city={city}" / "x.parquet", pa.table({"n": [1, 2]}))
        source = source_of(tmp_path)
        assert source.schema == pa.schema({"n": pa.int64(), "year": pa.int64(), "city": pa.string()})
        assert source.take([0, 7]).to_pylist() == [
            {"n": 1, "year": 2019, "city": "Berlin"},
            {"n": 2, "year": 2020, "city": "Köln"},
        ]
        assert [b.to_pydict() for b in source.read(0, ["city"])] == [{"city": ["Berlin", "Berlin"]}]
        key = source.key()
        (tmp_path / "year=2020").rename(tmp_path / "year=2021")
        assert source_of(tmp_path).key() != key

    def test_codes_in_the_names_of_folders(self, tmp_path):
        write(tmp_path / "m=01" / "x.parquet", pa.table({"n": [1]}))
        write(tmp_path / "m=__HIVE_DEFAULT_PARTITION__" / "x.parquet", pa.table({"n": [2]}))
        assert source_of(tmp_path).to_table().to_pydict() == {"n": [1, 2], "m": ["01", None]}

    def test_a_folder_behind_a_link(self, tmp_path):
        write(tmp_path / "elsewhere" / "x.parquet")
        (tmp_path / "data").mkdir()
        link(tmp_path / "data" / "link", tmp_path / "elsewhere")
        link(tmp_path / "elsewhere" / "loop", tmp_path / "data")
        assert source_of(tmp_path / "data").n_rows == 1000


class TestKey:
    def test_it_is_the_content(self, tmp_path):
        one = write(tmp_path / "one.parquet")
        (tmp_path / "folder").mkdir()
        shutil.copy(one, tmp_path / "folder" / "other.parquet")
        key = source_of(one).key()
        assert source_of(tmp_path / "folder").key() == key
        one.rename(tmp_path / "moved.parquet")
        assert source_of(tmp_path / "moved.parquet").key() == key
        assert source_of(write(tmp_path / "less.parquet", TABLE.slice(1))).key() != key

    def test_the_order_of_files_counts(self, tmp_path):
        for folder, names in (("x", "ab"), ("y", "ba"), ("z", "ab")):
            for name, at in zip(names, (0, 500), strict=True):
                write(tmp_path / folder / f"{name}.parquet", TABLE.slice(at, 500))
        keys = [source_of(tmp_path / folder).key() for folder in "xyz"]
        assert keys[0] == keys[2] != keys[1]

    def test_a_file_is_read_once_for_it(self, tmp_path, monkeypatch):
        path = write(tmp_path / "one.parquet")
        key = source_of(path).key()
        monkeypatch.setattr(DataFile, "blocks", lambda self: pytest.fail("it was read again"))
        assert source_of(path).key() == key

    def test_a_file_that_was_just_written_is_read_again(self, tmp_path, monkeypatch):
        monkeypatch.setattr(_digests, "_SETTLED", 60.0)
        path = write(tmp_path / "one.parquet", compression="none")
        before = path.stat()
        key = source_of(path).key()
        content = path.read_bytes()
        path.write_bytes(content.replace(b"t12", b"t99"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert source_of(path).key() != key

    def test_no_more_is_remembered_than_is_sensible(self, tmp_path, monkeypatch):
        monkeypatch.setattr(_digests, "_REMEMBERED", 4)
        for i in range(8):
            source_of(write(tmp_path / f"{i}.parquet", TABLE.slice(i))).key()
        assert len(list((tmp_path / "cache" / "digests").iterdir())) <= 5

    def test_without_a_cache_folder(self, tmp_path, monkeypatch):
        key = source_of(write(tmp_path / "one.parquet")).key()
        (tmp_path / "file").touch()
        monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "file"))
        assert source_of(tmp_path / "one.parquet").key() == key


class TestChanges:
    def test_what_is_written_vanishes_or_shrinks_is_named(self, tmp_path):
        path = write(tmp_path / "one.parquet", row_group_size=100)
        content = path.read_bytes()
        source = source_of(path)
        source.check_unchanged()
        time.sleep(0.01)
        path.write_bytes(content[: len(content) // 3])
        changed = rf"^{re.escape(str(path))} changed while it was read"
        sentence = f"{changed}: start again when nobody writes it any more$"
        for look in (source.check_unchanged, source.to_table, source.key):
            with pytest.raises(InvalidInputError, match=sentence):
                look()
        path.unlink()
        with pytest.raises(InvalidInputError, match=f"{changed}: it is not there any more"):
            source.check_unchanged()
        with pytest.raises(InvalidInputError, match=r"one.parquet"):
            list(source_of(write(path)).read(0, ["n"])), path.unlink(), source.take([999])


class TestSeveralFiles:
    def make(self, folder, **tables):
        for name, table in tables.items():
            write(folder / f"{name}.parquet", pa.table(table))
        return folder

    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            (pa.int32(), pa.int64(), pa.int64()),
            (pa.uint8(), pa.int8(), pa.int16()),
            (pa.uint8(), pa.uint16(), pa.uint16()),
            (pa.null(), pa.int16(), pa.int16()),
            (pa.float32(), pa.float64(), pa.float64()),
            (pa.int64(), pa.float64(), pa.float64()),
            (pa.string(), pa.large_string(), pa.large_string()),
            (pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.string()), None),
            (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
        ],
    )
    def test_types_of_which_one_holds_both(self, tmp_path, one, other, expected):
        plain = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (one, other)]
        values = [[None] if pa.types.is_null(kind) else ["x"] if "string" in str(kind) else [1, 2] for kind in plain]
        arrays = [pa.array(v, k).cast(t) for v, k, t in zip(values, plain, (one, other), strict=True)]
        source = source_of(self.make(tmp_path, a={"c": arrays[0]}, b={"c": arrays[1]}))
        assert expected is None or source.schema.field("c").type == expected
        assert source.to_table().column("c").to_pylist() == values[0] + values[1]

    def test_categories_may_differ_and_columns_may_be_in_another_order(self, tmp_path):
        words = [pa.array(list(text)).dictionary_encode() for text in ("xyx", "zyz")]
        self.make(tmp_path, a={"c": words[0], "n": [1, 2, 3]}, b={"n": [4, 5, 6], "c": words[1]})
        source = source_of(tmp_path)
        assert source.to_table().to_pydict() == {"c": list("xyxzyz"), "n": [1, 2, 3, 4, 5, 6]}
        assert source.take([5, 0, 4], ["c"]).column("c").to_pylist() == ["z", "x", "y"]

    def test_files_without_rows(self, tmp_path):
        self.make(tmp_path, a={"c": pa.array([], pa.int64())}, b={"c": [1]}, d={"c": pa.array([], pa.int64())})
        assert source_of(tmp_path).to_table().to_pydict() == {"c": [1]}
        (tmp_path / "b.parquet").unlink()
        with pytest.raises(InvalidInputError, match=r" has 1 column, but no rows$"):
            open_source(tmp_path)

    @pytest.mark.parametrize(
        ("first", "second", "said"),
        [
            (
                {"x": [1]},
                {"x": ["a"]},
                r"^column 'x' is int64 in .*a.parquet, but string in .*b.parquet: write",
            ),
            ({"x": [1], "y": [1]}, {"x": [1]}, r"^.*a.parquet has a column 'y', which .*b.parquet lacks: all files"),
            ({"x": [1]}, {"x": [1], "z": [1]}, r"^.*b.parquet has a column 'z', which .*a.parquet lacks"),
            ({"x": pa.array([1], pa.uint64())}, {"x": [1]}, r"^column 'x' is uint64 in .*a.parquet, but int64 in"),
            ({"x": pa.array([1], pa.date32())}, {"x": [1]}, r"^column 'x' is date32"),
        ],
    )
    def test_other_columns_are_refused(self, tmp_path, first, second, said):
        with pytest.raises(InvalidInputError, match=said):
            open_source(self.make(tmp_path, a=first, b=second))

    def test_numbers_that_floats_do_not_hold(self, tmp_path):
        source = source_of(self.make(tmp_path, a={"x": [1.5]}, b={"x": [2**53 + 1]}))
        with pytest.raises(InvalidInputError, match=r"^column 'x' of .*b.parquet holds values that are no double"):
            source.to_table()

    def test_folders_that_name_other_columns(self, tmp_path):
        write(tmp_path / "y=1" / "a.parquet")
        write(tmp_path / "z=1" / "a.parquet")
        with pytest.raises(InvalidInputError, match=r"name different columns"):
            open_source(tmp_path)
        write(tmp_path / "other" / "n=1" / "a.parquet")
        with pytest.raises(InvalidInputError, match=r"column 'n' is in .* and in the names of its folders"):
            open_source(tmp_path / "other")


class TestRefused:
    def test_places(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "picture.png").touch()
        write(tmp_path / "mixed" / "a.parquet")
        (tmp_path / "mixed" / "b.csv").write_text("a\n1\n")
        for name in "ab":
            (tmp_path / "lines").mkdir(exist_ok=True)
            (tmp_path / "lines" / f"{name}.jsonl").write_text('{"a": 1}\n')
        for said, sentence in {
            "nothing.parquet": r"^there is no file .*nothing.parquet$",
            "nothing": r"is of no known kind|^there is no file",
            "empty": r"empty is empty: name a folder or a pattern",
            "other": r"other holds no Parquet or text files, but picture.png: name",
            "mixed": r"mixed holds files of several kinds, such as a.parquet and b.csv: name those",
            "lines": r"lines holds 2 .jsonl files, of which only one can be read at a time",
            "*.feather": r"^no file matches .*: check the pattern$",
        }.items():
            with pytest.raises(InvalidInputError, match=sentence):
                open_source(tmp_path / said)

    def test_addresses(self):
        with pytest.raises(InvalidInputError, match=r"^there is no file memory://not/there.parquet$"):
            open_source("memory://not/there.parquet")
        with pytest.raises(InvalidInputError, match=r"^no file matches memory://not/\*.parquet"):
            open_source("memory://not/*.parquet")
        with pytest.raises(InvalidInputError, match=r"^nosuch://x cannot be read: Protocol not known"):
            open_source("nosuch://x")
        with pytest.raises(MissingExtraError, match=r"^s3://bucket/x.parquet needs a package .*: pip install s3fs$"):
            open_source("s3://bucket/x.parquet")

    def test_damaged_files(self, tmp_path):
        path = write(tmp_path / "one.parquet", write_page_checksum=True)
        content = path.read_bytes()
        for damaged in (
            content[: len(content) // 2],
            b"",
            b"a,b\n1,2\n",
            content[:-900] + b"\xff" * 892 + content[-8:],
        ):
            path.write_bytes(damaged)
            with pytest.raises(
                InvalidInputError, match=rf"^{re.escape(str(path))} cannot be read as parquet: it is damaged or cut off"
            ):
                open_source(path)
        at = len(content) // 8  # pages, not the directory at the end
        path.write_bytes(content[:at] + b"\xff" * 200 + content[at + 200 :])
        with pytest.raises(InvalidInputError, match=rf"^{re.escape(str(path))} cannot be read as parquet"):
            source_of(path).to_table()

    def test_columns_of_the_same_name(self, tmp_path):
        table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
        with pytest.raises(InvalidInputError, match=r"^the header of .* names a column 'a' more than once: rename"):
            open_source(write(tmp_path / "one.parquet", table))

    @needs_permissions
    def test_no_right_to_read(self, tmp_path):
        path = write(tmp_path / "one.parquet")
        path.chmod(0)
        with pytest.raises(InvalidInputError, match=r"cannot be read: .*; ask for the right to read it$"):
            open_source(path)
        with pytest.raises(InvalidInputError, match=r"cannot be read: .*; ask for the right to read it$"):
            open_source(tmp_path)


def test_small_enough_for_memory(monkeypatch):
    source = TableSource(TABLE)
    assert fits_in_memory(source)
    monkeypatch.setattr(_fits, "MOST_CELLS", 4999)
    assert not fits_in_memory(source)


def test_tables_in_memory_are_no_sources():
    import pandas as pd
    import polars as pl
    import scipy.sparse

    for X in (TABLE, TABLE.to_batches(), TABLE.to_batches()[0], np.eye(2), [[1, 2]], scipy.sparse.eye(2), None):
        assert open_source(X) is None
    assert open_source(pd.DataFrame({"a": [1]})) is None and open_source(pl.DataFrame({"a": [1]})) is None


def test_a_store_that_cannot_be_used_is_said_in_one_line():
    import fsspec

    class Broken(fsspec.AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
        def __init__(self, *args: object, **kwargs: object) -> None:
            raise OSError("the library is not there\nand here is\nall that it tried")

    fsspec.register_implementation("broken", Broken, clobber=True)
    with pytest.raises(InvalidInputError, match=r"^broken://a/b cannot be read: the library is not there$"):
        open_source("broken://a/b")
