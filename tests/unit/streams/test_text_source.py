"""Text files that are read in parts mean what they mean when they are read whole."""

import bz2
import gzip
import pickle
import tracemalloc

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import source_of

from activefs.exceptions import InvalidInputError
from activefs.streams import _text_file, _text_source, open_source
from activefs.streams._spool import SpooledSource
from activefs.tables import Dialect, read_file

CELLS = {
    "whole": ["1", "22", "-3", "958", "+4", "0"],
    "codes": ["01067", "80331", "10115"],
    "decimals": ["1.5", "2.25", ".5", "1e3", "7"],
    "commas": ["1,5", "2,25", "3"],
    "thousands": ["1.065", "958", "12.400"],
    "unclear": ["1,234", "5,678"],
    "mixed commas": ["1.234,5", "2,5", "1.234"],
    "large": ["18446744073709551615", "1", "2"],
    "too large": ["184467440737095516150", "1"],
    "text": ["red", "green", " blue "],
    "signs": ["+", "-"],
    "booleans": ["true", "false", "0", "1"],
    "dates": ["2020-01-02", "1999-12-31"],
    "times": ["2020-01-02 10:11:12", "2020-01-02"],
    "amounts": [f"${n}" for n in range(15)],
    "percent": [f"{n}%" for n in range(15)],
    "missing": ["", "NA", "?"],
    "dashes": ["-", "n.a.", "."],
    "nearly": ["unknown", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
    "quoted": ["a\nb", 'say "x"', "a;b", "a,b"],
    "letters": ["Köln", "Zürich"],
}


@pytest.fixture(autouse=True)
def in_parts(monkeypatch, tmp_path):
    monkeypatch.setattr(_text_source, "IN_MEMORY", 0)
    monkeypatch.setattr(_text_file, "PART", 40)
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))


def written(rows, sep=",", end="\n"):
    def field(text):
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in (sep, '"', "\n")) else text

    return end.join(sep.join(map(field, row)) for row in rows) + end


def assert_same(path, dialect=None):
    """Whatever the reader in memory says, the one in parts says too."""
    dialect = dialect or Dialect()
    try:
        expected = read_file(path, dialect=dialect)
    except InvalidInputError as error:
        with pytest.raises(InvalidInputError) as found:
            open_source(path, dialect=dialect)
        assert str(found.value).split(":")[0].split(" has ")[0] == str(error).split(":")[0].split(" has ")[0]
        return
    source = open_source(path, dialect=dialect)
    assert isinstance(source, SpooledSource)
    table = source.to_table()
    assert table.schema.equals(expected.table.schema), f"{table.schema} instead of {expected.table.schema}"
    assert table.equals(expected.table.combine_chunks()) or table.to_pydict() == expected.table.to_pydict()
    assert source.notes == expected.notes
    assert sorted(d.in_words() for d in source.doubts) == sorted(d.in_words() for d in expected.doubts)


@st.composite
def columns(draw):
    """A column: cells of one kind, now and then of another, from some row on of a third."""
    kinds = st.sampled_from(sorted(CELLS))
    first, other = draw(kinds), draw(kinds)
    count = draw(st.integers(0, 60))
    change = draw(st.integers(0, 60))
    cells = [draw(st.sampled_from(CELLS[first if row < change else other])) for row in range(count)]
    if cells and draw(st.booleans()):
        cells[draw(st.integers(0, count - 1))] = draw(st.sampled_from(CELLS[draw(kinds)]))
    return cells


@settings(max_examples=80)
@given(
    table=st.lists(columns(), min_size=1, max_size=4),
    sep=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    decimal=st.sampled_from([None, None, ".", ","]),
)
def test_parts_mean_what_the_whole_means(tmp_path_factory, table, sep, end, decimal):
    rows = min(map(len, table))
    names = [f"c{j}" for j in range(len(table))]
    path = tmp_path_factory.mktemp("text") / "table.csv"
    path.write_bytes(written([names, *zip(*(c[:rows] for c in table), strict=False)][: rows + 1], sep, end).encode())
    assert_same(path, Dialect(sep=sep, decimal=decimal))


class TestWords:
    def test_one_late_word_makes_text_of_numbers_and_is_told(self, tmp_path):
        path = tmp_path / "table.csv"
        path.write_text("a,b\n" + "".join(f"{i},{i}.5\n" for i in range(500)) + "unknown,7\n")
        source = source_of(path)
        assert source.schema.types == [pa.string(), pa.float64()] and source.n_rows == 501
        assert [d.in_words().split(";")[0] for d in source.doubts] == [
            "Column 'a' is taken as text because of 'unknown' in line 502"
        ]
        for again in (source_of(path), pickle.loads(pickle.dumps(source))):
            assert [d.in_words() for d in again.doubts] == [d.in_words() for d in source.doubts]
            assert again.take([500]).to_pylist() == [{"a": "unknown", "b": 7.0}]

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32"])
    def test_encodings(self, tmp_path, encoding):
        path = tmp_path / "table.csv"
        path.write_bytes(
            ("n;city\n" + "".join(f"{i},5;{'Köln' if i % 7 else 'Paris'}\n" for i in range(90))).encode(encoding)
        )
        assert_same(path)

    def test_what_differs_only_far_below(self, tmp_path):
        """All parts but the last are plain; letters, quotes and zeros come at the end."""
        path = tmp_path / "table.csv"
        path.write_bytes(b"code,city\n" + b"123,Paris\n" * 200 + b'007,"K\xf6ln,\r\nDeutz"\n')
        assert_same(path)

    @pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
    def test_kinds_and_first_lines(self, tmp_path, suffix):
        path = tmp_path / f"table{suffix}"
        path.write_text("sep=|\n\na | b|\n" + " 1 |x,y|\n\n" * 40)
        assert_same(path)

    @pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lambda b: pa.compress(b, "zstd", asbytes=True)])
    def test_compressed(self, tmp_path, pack):
        text = ("a,b\n" + "".join(f"{i},x\n" for i in range(300))).encode()
        endings = {gzip.compress: ".gz", bz2.compress: ".bz2"}
        path = tmp_path / f"table.csv{endings.get(pack, '.zst')}"
        path.write_bytes(pack(text))
        assert_same(path)
        path.write_bytes(pack(text)[:-20])
        assert_same(path)


class TestRefused:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\n\n",
            "a,b\n",
            "a,a\n1,2\n",
            "a,b\n" + "1,2\n" * 50 + "3\n" + "1,2\n" * 50,
            "a,b\n" + "1,2\n" * 50 + "3,4,5\n",
            "a,b\n" + "1,2\n" * 50 + '3,"4\n' + "1,2\n" * 50,
            "a,b,c\n" + "1,2,3\n" * 30 + '1,"x,2\n3,y,4\n5,"z,6\n' + "1,2,3\n" * 9,
            "PK\x03\x04 something",
        ],
    )
    def test_the_same_is_refused(self, tmp_path, text):
        path = tmp_path / "table.csv"
        path.write_text(text)
        with pytest.raises(InvalidInputError) as whole:
            read_file(path, dialect=Dialect(sep=","))
        with pytest.raises(InvalidInputError) as parts:
            open_source(path, dialect=Dialect(sep=","))
        assert str(parts.value) == str(whole.value)

    def test_a_file_that_is_damaged_utf8(self, tmp_path):
        path = tmp_path / "table.csv"
        path.write_bytes(b"a,b\n" + "Köln,Zürich\n".encode() * 100 + b"K\xf6ln,x\n")
        with pytest.raises(InvalidInputError, match=r"some of its bytes are not utf-8: say the encoding"):
            open_source(path)

    def test_a_file_that_changes_meanwhile(self, tmp_path):
        path = tmp_path / "table.csv"
        path.write_text("a\n" + "1\n" * 500)

        def meddle(what, share):
            if what.startswith("reading") and share > 0.9:
                path.write_text("a\n" + "2\n" * 400)

        with pytest.raises(InvalidInputError, match=r"table.csv changed while it was read: start again"):
            open_source(path, progress=meddle)
        assert not list((tmp_path / "cache" / "tables").iterdir())


class TestSeveralFiles:
    def test_one_table_of_many_files(self, tmp_path):
        (tmp_path / "data").mkdir()
        for i in range(5):
            (tmp_path / "data" / f"{i}.csv").write_text("a,b\n" + f"{i},x{i}\n" * 30)
        (tmp_path / "data" / "9.csv").write_text("b,a\nlast,99.5\n")
        source = source_of(tmp_path / "data")
        assert source.schema.types == [pa.float64(), pa.string()]
        assert source.n_rows == 151 and source.take([150, 0]).to_pylist() == [
            {"a": 99.5, "b": "last"},
            {"a": 0.0, "b": "x0"},
        ]

    def test_a_doubt_names_the_file(self, tmp_path):
        (tmp_path / "1.csv").write_text("a,b\n" + "1,2\n" * 50)
        (tmp_path / "2.csv").write_text("a,b\n" + "1,2\n" * 50 + "oops,3\n")
        (said,) = [d.in_words() for d in source_of(f"{tmp_path}/*.csv").doubts]
        assert said.startswith(f"Column 'a' is taken as text because of 'oops' in line 52 of {tmp_path / '2.csv'};")

    def test_other_columns_are_refused(self, tmp_path):
        (tmp_path / "1.csv").write_text("a,b\n1,2\n")
        (tmp_path / "2.csv").write_text("a,c\n1,2\n")
        with pytest.raises(InvalidInputError, match=r"1.csv has a column 'b', which .*2.csv lacks"):
            open_source(f"{tmp_path}/*.csv")

    def test_folders_that_name_columns_are_refused(self, tmp_path):
        (tmp_path / "year=2020").mkdir()
        (tmp_path / "year=2020" / "1.csv").write_text("a,b\n1,2\n")
        with pytest.raises(InvalidInputError, match=r"has folders that name columns \(year=...\)"):
            open_source(tmp_path)


def test_the_copy_is_found_again_by_content(tmp_path):
    (tmp_path / "one.csv").write_text("a\n" + "1\n" * 500)
    (tmp_path / "two.csv").write_text("a\n" + "1\n" * 500)
    seen = []
    first = source_of(tmp_path / "one.csv")
    second = source_of(tmp_path / "two.csv", progress=lambda what, share: seen.append(what))
    assert first.key() == second.key() and seen == [f"looking through {tmp_path / 'two.csv'}"]
    assert first.key() != source_of(tmp_path / "one.csv", dialect=Dialect(encoding="cp1252")).key()


def test_a_damaged_copy_is_made_anew(tmp_path):
    (tmp_path / "one.csv").write_text("a\n" + "1\n" * 500)
    open_source(tmp_path / "one.csv")
    (copy,) = (tmp_path / "cache" / "tables").glob("*/table.parquet")
    copy.write_bytes(copy.read_bytes()[:50])
    assert source_of(tmp_path / "one.csv").n_rows == 500


def test_a_small_file_has_the_key_of_a_large_one(tmp_path, monkeypatch):
    (tmp_path / "one.csv").write_text("a\n" + "1\n" * 500)
    key = source_of(tmp_path / "one.csv").key()
    monkeypatch.setattr(_text_source, "IN_MEMORY", 10_000)
    small = source_of(tmp_path / "one.csv")
    assert not isinstance(small, SpooledSource) and small.key() == key


def test_little_memory_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(_text_file, "PART", 1 << 20)
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n" + "12345,some words,1.25\n" * 1_000_000)
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        source = source_of(path)
        python = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert source.n_rows == 1_000_000 and python < 12e6
    assert pa.total_allocated_bytes() - before < 5e6


@pytest.mark.usefixtures("in_parts")
def test_a_file_that_grows_while_it_is_read_is_said_to_have_changed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 100)

    def write_on(what, share):
        if what.startswith("reading"):
            with path.open("a") as file:
                file.write("1\n")

    with pytest.raises(InvalidInputError, match=r"t\.csv changed while it was read"):
        open_source(path, progress=write_on)
