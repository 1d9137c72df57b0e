"""A source is encoded into a folder, and opened again."""

import json
import os
import shutil

import numpy as np
import pyarrow as pa
import pytest
from in_pieces import options_for, words
from machines import small_disk

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.pool import read_pool
from activefs.streams import TableSource, encode_source, open_codes
from activefs.streams import _codes_file as codes_file
from activefs.streams import _encode_source as encode_source_module
from activefs.streams import _sample as sample

RNG = np.random.default_rng(5)


def a_table(n=5000):
    return pa.table(
        {
            "few": RNG.integers(0, 7, n),
            "id": np.arange(n) * 3,
            "real": RNG.normal(size=n),
            "yes": pa.array(RNG.random(n) < 0.2),
            "constant": [1] * n,
            "text": pa.array(RNG.choice(["ä", "b", "\u2028"], n), mask=RNG.random(n) < 0.1),
            "levels": pa.DictionaryArray.from_arrays(
                RNG.integers(0, 3, n).astype(np.int8), pa.array(["low", "mid", "high"]), ordered=True
            ),
            "halves": RNG.integers(0, 4, n) / 2,
        }
    )


def stored_from(table, folder, rows=700, threads=2, progress=None, **options):
    source = TableSource(table, rows_per_piece=rows)
    return encode_source(source, options_for(source.names, **options), folder, threads=threads, progress=progress)


def same_as(table, stored, **options):
    pool = read_pool(table, **options)
    assert np.array_equal(stored.codes, pool.codes) and stored.codes.dtype == pool.codes.dtype
    assert repr(stored.encodings) == repr(pool.encodings)
    assert [e.ordered for e in stored.encodings] == [e.ordered for e in pool.encodings]
    assert np.array_equal(np.concatenate(stored.counts), pool.value_counts)
    assert stored.names == pool.names and list(stored.kept) == pool.columns.tolist()
    assert stored.left_out == pool.left_out
    assert (stored.n_rows, stored.n_columns) == (pool.n_rows, pool.n_columns)


def codes_in(folder):
    """What is stored in a folder, and sound."""
    stored = open_codes(folder)
    assert stored is not None
    return stored


@pytest.mark.parametrize("threads", [1, 2])
def test_as_in_memory_and_opened_again(tmp_path, threads):
    table = a_table()
    steps = []
    stored = stored_from(table, tmp_path / "new", threads=threads, missing="value", progress=lambda *s: steps.append(s))
    assert steps[-1] == (5000, 5000) and len(steps) == 8
    assert [column.name for column in stored.left_out] == ["id", "constant"]
    for found in (stored, codes_in(tmp_path / "new")):
        same_as(table, found, missing="value")
        assert type(found.codes) is np.ndarray
        assert found.is_sound()
        for codes, marks in zip(found.codes, found.marks, strict=True):
            assert marks.tolist() == [int(words(5000)[codes == v].sum()) for v in range(len(marks))]


def test_what_is_written_to_codes_stays_in_the_process(tmp_path):
    stored = stored_from(a_table(), tmp_path, missing="value")
    before = stored.codes[0, 0]
    stored.codes[0, 0] = 200
    assert codes_in(tmp_path).codes[0, 0] == before


@pytest.mark.parametrize("rows", [90, 2000])
def test_with_a_small_sample(tmp_path, monkeypatch, rows):
    """Many pieces give their beginnings, a few give slices; ids are written, and moved out again."""
    monkeypatch.setattr(sample, "SAMPLE_ROWS", 500)
    table = a_table().drop_columns(["real"])
    stored = stored_from(table, tmp_path, rows=rows, missing="value")
    same_as(table, stored, missing="value")
    real = stored_from(a_table().select(["real", "few"]), tmp_path / "real", rows=rows)
    assert len(real.encodings[0].ranges) == 10 and real.is_sound()


def test_wide_codes_and_a_second_pass(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_ROWS", 100)
    table = pa.table({"x": [f"t{i}" for i in RNG.integers(0, 300, 4000)], "y": RNG.integers(0, 3, 4000)})
    stored = stored_from(table, tmp_path)
    assert stored.codes.dtype == np.uint16
    same_as(table, stored)


def test_columns_in_several_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(encode_source_module, "_SAMPLE_BYTES", 50_000)
    table = a_table()
    same_as(table, stored_from(table, tmp_path, missing="value", ignore=["few"]), missing="value", ignore=["few"])


def test_all_columns_are_ignored(tmp_path):
    stored = stored_from(a_table(), tmp_path, ignore=a_table().column_names)
    assert stored.codes.shape == (0, 5000) and stored.n_columns == 8


def test_no_feature_remains(tmp_path):
    stored = stored_from(pa.table({"x": [1, 1, 1]}), tmp_path)
    assert stored.codes.shape == (0, 3) and codes_in(tmp_path).left_out[0].name == "x"


class TestSample:
    @pytest.mark.parametrize(("pieces", "size"), [(1, 100_000), (5, 20_000), (40, 2500), (3000, 40)])
    def test_spread_over_all_pieces(self, monkeypatch, pieces, size):
        monkeypatch.setattr(sample, "SAMPLE_ROWS", 1000)
        source = TableSource(pa.table({"x": np.arange(pieces * size)}), rows_per_piece=size)
        for threads in (1, 2):
            rows = sample.read_sample(source, ["x"], threads)["x"].to_numpy()
            assert len(rows) == 1000 and np.array_equal(rows, np.unique(rows))
            assert np.histogram(rows, 10, (0, pieces * size))[0].tolist() == pytest.approx([100] * 10, abs=40)


class TestErrors:
    def test_columns_that_cannot_be_features(self, tmp_path):
        table = pa.table({"x": pa.array([1.0] * 1999 + [None]), "y": [1.0] * 1000 + [np.inf] * 1000})
        said = r"'x' \(1 missing, the first in row 1,999, in the table\).*'y' \(infinite values, the first in row 1,000"
        with pytest.raises(InvalidInputError, match=said):
            stored_from(table, tmp_path)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("table", [pa.table({"x": pa.array([], pa.int64())}), pa.table({})])
    def test_empty(self, tmp_path, table):
        with pytest.raises(InvalidInputError, match="minimum of 1"):
            stored_from(table, tmp_path)

    def test_names_twice(self, tmp_path):
        with pytest.raises(InvalidInputError, match="duplicate column names: 'x'"):
            encode_source(TableSource(pa.table([[1], [2]], names=["x", "x"])), options_for(["x", "x"]), tmp_path)

    def test_a_source_that_changes(self, tmp_path):
        class Changing(TableSource):
            def check_unchanged(self):
                raise InvalidInputError("the table changed while it was read")

        source = Changing(a_table())
        with pytest.raises(InvalidInputError, match="changed"):
            encode_source(source, options_for(source.names), tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_rows_that_are_not_there(self, tmp_path):
        class Short(TableSource):
            def read(self, piece, columns):
                yield from (batch.slice(1) for batch in super().read(piece, columns))

        source = Short(a_table())
        with pytest.raises(InvalidInputError, match="4,999 rows where 5,000 were expected"):
            encode_source(source, options_for(source.names), tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_whoever_interrupts_it_leaves_nothing_behind(self, tmp_path):
        def stop(done, rows):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            stored_from(a_table(), tmp_path, rows=50, missing="value", progress=stop)
        assert list(tmp_path.iterdir()) == []

    def test_a_full_disk(self, tmp_path):
        said = r"needs 1\.6 MB in .*the disk is full.*ACTIVEFS_CACHE_DIR"
        with small_disk(tmp_path / "disk", 1) as disk:
            table = pa.table({f"x{j}": RNG.integers(0, 9, 200_000, dtype=np.int8) for j in range(8)})
            with pytest.raises(ActiveFSError, match=said) as caught:
                stored_from(table, disk)
            assert "\n" not in str(caught.value)
            assert list(disk.iterdir()) == []

    def test_a_disk_that_cannot_reserve_and_becomes_full(self, tmp_path, monkeypatch):
        monkeypatch.delattr(os, "posix_fallocate")
        with small_disk(tmp_path / "disk", 1) as disk:
            table = pa.table({f"x{j}": RNG.integers(0, 9, 200_000, dtype=np.int8) for j in range(8)})
            with pytest.raises(ActiveFSError, match="the disk is full"):
                stored_from(table, disk, rows=50_000)
            assert list(disk.iterdir()) == []


def test_without_pwrite(tmp_path, monkeypatch):
    for name in ("pread", "pwrite", "posix_fallocate"):
        monkeypatch.delattr(os, name)
    monkeypatch.setattr(sample, "SAMPLE_ROWS", 500)
    table = a_table().drop_columns(["real"])
    same_as(table, stored_from(table, tmp_path, missing="value"), missing="value")


class TestDamaged:
    @pytest.fixture
    def folder(self, tmp_path):
        stored_from(a_table(), tmp_path, missing="value")
        return tmp_path

    @pytest.mark.parametrize("name", ["codes.bin", "cells.npy", "meta.json"])
    def test_missing_or_cut_or_changed(self, folder, name):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[:-1])
        assert open_codes(folder) is None
        if name != "codes.bin":  # whose content is looked at only if the machine was started anew
            changed = bytearray(content)
            changed[len(content) // 2] ^= 1
            (folder / name).write_bytes(bytes(changed))
            assert open_codes(folder) is None
        (folder / name).unlink()
        assert open_codes(folder) is None
        (folder / name).write_bytes(content)
        assert open_codes(folder) is not None

    def test_no_folder(self, tmp_path):
        assert open_codes(tmp_path / "nothing") is None

    def test_of_another_version(self, folder, monkeypatch):
        from activefs.streams import _store

        monkeypatch.setattr(_store, "_VERSION", 2)
        assert open_codes(folder) is None

    def test_codes_are_read_after_a_restart(self, folder, monkeypatch):
        from activefs.streams import _store

        monkeypatch.setattr(_store, "boot", lambda: "another")
        copy = folder.with_name("copy")
        shutil.copytree(folder, copy)
        with (copy / "codes.bin").open("r+b") as file:
            file.write(bytes(2000))
        assert open_codes(copy) is None
        assert open_codes(folder) is not None and (folder / "checked").exists()

    def test_no_name_for_the_time_since_the_start(self, tmp_path, monkeypatch):
        monkeypatch.setattr(codes_file, "boot", lambda: None)
        assert stored_from(a_table(), tmp_path, missing="value").is_sound()

    def test_types_of_values_come_back(self, folder):
        content = json.loads(json.loads((folder / "meta.json").read_text())["content"])
        assert content["names"][0] == "few"
        values = {name: e.values for name, e in zip(content["names"], codes_in(folder).encodings, strict=True)}
        assert values["yes"] == (False, True) and all(type(v) is bool for v in values["yes"])
        assert all(type(v) is int for v in values["few"]) and all(type(v) is float for v in values["halves"])
