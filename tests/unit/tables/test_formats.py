"""Tables in files of every format are the same table, and what cannot be read is told with the line."""

import bz2
import datetime
import gzip
import json
import os
import subprocess
import sys
from decimal import Decimal

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from platforms import needs_permissions

from activefs import Pool
from activefs.exceptions import InvalidInputError, MissingExtraError
from activefs.tables import check_classes, open_labelled, open_unlabelled, read_file
from activefs.tables._kinds import kind_of
from activefs.tables._read import reading

RNG = np.random.default_rng(0)
TABLE = pa.table(
    {
        "age": RNG.integers(18, 60, 80),
        "weight": np.round(RNG.normal(75, 12, 80), 2),
        "town": RNG.choice(["Köln", "Łódź", "Paris"], 80),
        "smoker": RNG.random(80) < 0.4,
        "label": RNG.choice(["ill", "well"], 80),
    }
)


def write_workbook(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


def write_excel(table, path):
    write_workbook(path, {"data": [table.column_names, *(list(row.values()) for row in table.to_pylist())]})


def write_json_lines(table, path):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()), encoding="utf-8")


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "t.csv": pa_csv.write_csv,
    "t.parquet": pq.write_table,
    "t.pq": pq.write_table,
    "t.feather": feather.write_feather,
    "old.feather": lambda table, path: feather.write_feather(table, path, version=1),
    "t.arrow": feather.write_feather,
    "stream.arrow": write_stream,
    "t.xlsx": write_excel,
    "t.jsonl": write_json_lines,
    "t.ndjson": write_json_lines,
    "T.CSV": pa_csv.write_csv,
}


@pytest.mark.filterwarnings("ignore:Feather V1:DeprecationWarning")
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_table(tmp_path, name):
    WRITERS[name](TABLE, tmp_path / name)
    assert open_unlabelled(tmp_path / name).to_pydict() == TABLE.to_pydict()
    found = open_labelled(tmp_path / name, "label")
    assert found.labels == TABLE["label"].to_pylist()
    expected = Pool.from_table(TABLE.drop_columns(["label"]))
    assert Pool.from_table(found.features).fingerprint == expected.fingerprint


def test_categories_decimals_and_nothing_come_through_files(tmp_path):
    table = pa.table(
        {
            "kind": pa.array(["a", "b", None] * 20).dictionary_encode(),
            "price": pa.array([Decimal("1.50"), Decimal("2.25"), Decimal("3.00")] * 20),
            "label": pa.array([Decimal(1), Decimal(2), Decimal(2)] * 20, pa.decimal128(3, 0)),
        }
    )
    for name in ("t.parquet", "t.feather"):
        WRITERS[name](table, tmp_path / name)
        found = open_labelled(tmp_path / name, "label")
        assert found.labels == [1, 2, 2] * 20
        pool = Pool.from_table(found.features, missing="value")
        assert pool.encodings[0].values == ("a", "b")
        assert pool.encodings[1].values == (1.5, 2.25, 3.0)


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.struct({"x": pa.int64()}), pa.binary()])
def test_a_label_that_is_no_label(tmp_path, kind):
    value = {"x": 1} if pa.types.is_struct(kind) else b"x" if pa.types.is_binary(kind) else [1]
    pq.write_table(pa.table({"a": [1, 2], "y": pa.array([value, value], kind)}), tmp_path / "t.parquet")
    with pytest.raises(InvalidInputError, match=r"column 'y' holds .*: labels and ids are text, numbers or booleans"):
        open_labelled(tmp_path / "t.parquet", "y")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_label_of_spaces_is_no_label(tmp_path, name):
    WRITERS[name](pa.table({"a": [1, 2, 3, 4], "y": ["ill", "", "well", "  "]}), tmp_path / name)
    found = open_labelled(tmp_path / name, "y")
    assert found.labels == ["ill", "well"] and found.unlabelled == 2


def test_a_label_that_is_infinite(tmp_path):
    pq.write_table(pa.table({"a": [1, 2, 3], "y": [1.0, 2.0, float("inf")]}), tmp_path / "t.parquet")
    with pytest.raises(InvalidInputError, match=r"the label 'y' is not finite in some rows \(inf\): correct it there"):
        check_classes(open_labelled(tmp_path / "t.parquet", "y"))


# --- Excel ---


def test_cells_of_excel(tmp_path):
    day = datetime.datetime(2024, 5, 1)
    rows = [
        ["n", "real", "code", "when", "flag", "hole", 7],
        [1, 1.5, "A1", day, True, None, "x"],
        [],
        [2, 2, 12, day, False, "#N/A", " "],
        [3, None, "B", day, True],
    ]
    write_workbook(tmp_path / "t.xlsx", {"data": rows})
    assert open_unlabelled(tmp_path / "t.xlsx").to_pydict() == {
        "n": [1, 2, 3],
        "real": [1.5, 2.0, None],
        "code": ["A1", "12", "B"],
        "when": [day] * 3,
        "flag": [True, False, True],
        "hole": [None] * 3,
        "7": ["x", None, None],
    }


def test_the_first_sheet_that_is_not_empty_or_the_one_that_is_named(tmp_path):
    sheets = {"cover": [], "data": [["a", "y"], [1, 2], [3, 4]], "more": [["b"], [5]]}
    path = tmp_path / "t.xlsx"
    write_workbook(path, sheets)
    found = read_file(path)
    assert found.table.to_pydict() == {"a": [1, 3], "y": [2, 4]}
    assert found.dialect.sheet == "data"
    assert found.notes == ("t.xlsx was read from its sheet 'data'; it has others: 'more'.",)
    assert open_unlabelled(path, sheet="more").to_pydict() == {"b": [5]}
    assert open_labelled(path, "y", sheet="data").notes == ()
    for sheet, said in (
        ("none", r"no sheet 'none'; there are: 'cover', 'data', 'more'"),
        ("cover", "'cover' is empty"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            open_unlabelled(path, sheet=sheet)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "it is empty"),
        ([["a", "b"]], "has 2 columns, but no rows"),
        ([["a", "a"], [1, 2]], "names a column 'a' more than once"),
        ([["a", "b"], [1, 2], [1, 2, 3]], "line 3 has a value in column 3, but the header .line 1. has 2 names"),
        ([["a", "b"], [1, 2], [1, "#DIV/0!"]], "line 3, column 'b': #DIV/0! is no value"),
    ],
)
def test_sheets_that_are_no_table(tmp_path, rows, said):
    write_workbook(tmp_path / "t.xlsx", {"data": rows})
    with pytest.raises(InvalidInputError, match=said):
        open_unlabelled(tmp_path / "t.xlsx")


def test_without_the_package_for_excel_it_is_said_what_to_install(tmp_path, monkeypatch):
    write_excel(TABLE, tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'activefs\[excel\]'"):
        open_unlabelled(tmp_path / "t.xlsx")


def test_nothing_of_excel_is_loaded_for_other_files(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    code = (
        "import sys; from pathlib import Path; from activefs.tables import open_unlabelled; "
        f"open_unlabelled(Path({str(tmp_path / 't.csv')!r})); print('openpyxl' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


# --- what is wrong, and where ---

BROKEN = {
    "too few": ("a,b\n1,2\n3\n", "line 3 has 1 field, but the header has 2"),
    "too many": ("a,b\n1,2,3\n", "line 2 has 3 fields, but the header has 2"),
    "behind empty lines": ("a;b\n\n1;2\n\n\n3\n", "line 6 has 1 field, but the header has 2 .with semicolons"),
    "behind newlines in quotes": ('a,b\n1,"x\n\ny"\n2,"z"\n3\n', "line 6 has 1 field"),
    "behind a line that says the separator": ("sep=;\na;b\n1;2\n3\n", "line 4 has 1 field"),
    "with carriage returns": ("a,b\r\n1,2\r\n3\r\n", "line 3 has 1 field"),
    "with old line ends": ("a,b\r1,2\r3\r", "line 3 has 1 field"),
    "far behind": ("a,b\n" + "1,2\n" * 400_000 + "3\n", "line 400002 has 1 field"),
    "an open quote": ('a,b\n1,2\n3,"x\n4,5\n', "a quote is opened in line 3 and never closed"),
    "an open quote far above": ('a,b\n1,"x\n' + "4,5\n" * 400_000, "a quote is opened in line 2 and never closed"),
    "an open quote behind newlines": ('a,b\n"x\n\ny","z\n4,5\n', "a quote is opened in line 4 and never closed"),
    "empty": ("", "it is empty"),
    "blank": (" \n\n", "it is empty"),
    "no rows": ("a,b\n", "has 2 columns, but no rows"),
    "twice": ("a,b,a\nx,1,y\n", "names a column 'a' more than once"),
    "two without a name": (",,b\nx,1,y\n", "has a column without a name more than once"),
    "a web page": ("\n<!DOCTYPE html>\n<html>", "it is in fact a web page"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_with_a_text_and_where(tmp_path, case):
    content, said = BROKEN[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    with pytest.raises(InvalidInputError, match=said) as caught:
        open_unlabelled(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-16"])
def test_a_byte_that_the_encoding_does_not_know(tmp_path, encoding):
    text = 'a,b\n1,"x\ny"\n\n2,'
    content = text.encode(encoding) + (b"M\xfc" if encoding != "utf-16" else b"\x00\xd8x\x00") + b"\n"
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(
        InvalidInputError, match=rf"line 5, column 'b': byte 0x.. is not {encoding}: .*\(encoding=...\)"
    ):
        open_unlabelled(tmp_path / "t.csv", encoding=encoding)


def test_damaged_utf_8_is_not_taken_for_another_encoding(tmp_path):
    content = "a,b\n" + "1,schöne Grüße\n" * 20
    (tmp_path / "t.csv").write_bytes(content.encode() + b"2,M\xfc\n")
    with pytest.raises(InvalidInputError, match=r"line 22, column 'b': byte 0xfc is not utf-8"):
        open_unlabelled(tmp_path / "t.csv")


def test_a_letter_that_a_piece_of_the_file_ends_in(tmp_path, monkeypatch):
    from activefs.tables import _encoding

    content = ("a,b\n" + "1,ö\n" * 9).encode()
    for size in range(1, 8):
        monkeypatch.setattr(_encoding, "_CHUNK", size)
        assert _encoding.as_utf8(content) == (content, "utf-8")
        with pytest.raises(_encoding.UndecodableError) as caught:
            _encoding.as_utf8(content + b"\xfc\n", "utf-8")
        assert caught.value.position == len(content)


JSON = {
    "cut": ('{"a": 1}\n\n{"a": 2, "b":\n', "line 3, character 14: expecting value"),
    "no quotes": ('{"a": 1}\n{a: 2}\n', "line 2, character 2: expecting property name"),
    "another type": ('{"a": 1}\n\n{"a": "x"}\n', "line 3: 'a' is text, but a number in line 1"),
    "an object in it": ('{"a": 1}\n{"a": {"b": 1}}\n', "line 2: 'a' is an object, but a number in line 1"),
    "no object": ('{"a": 1}\n[1, 2]\n', "line 2 is no JSON object"),
    "a list": ('[{"a": 1},\n{"a": 2}]\n', "one JSON list: write one object per line"),
    "lists": ("[1, 2]\n[3, 4]\n", "line 1 is no JSON object"),
    "infinite": ('{"a": 1}\n{"a": 1e999}\n', "line 2: 'a' is larger than any number of 64 bits"),
    "twice": ('{"a": 1}\n{"a": 1, "a": 2}\n', "line 2 has 'a' twice"),
    "empty": ("\n", "it is empty"),
}


@pytest.mark.parametrize("case", JSON)
def test_what_is_wrong_with_json_lines_and_where(tmp_path, case):
    content, said = JSON[case]
    (tmp_path / "t.jsonl").write_text(content)
    with pytest.raises(InvalidInputError, match=said):
        open_unlabelled(tmp_path / "t.jsonl")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_json_lines_of_every_encoding(tmp_path, encoding):
    (tmp_path / "t.jsonl").write_bytes('{"a": "Köln", "b": 1}\n\n{"b": 2.5}\n'.encode(encoding))
    assert open_unlabelled(tmp_path / "t.jsonl").to_pydict() == {"a": ["Köln", None], "b": [1.0, 2.5]}


def test_a_json_line_that_is_longer_than_a_block(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": "' + "x" * 3_000_000 + '"}\n{"a": "y"}\n')
    assert [len(v) for v in open_unlabelled(tmp_path / "t.jsonl").to_pydict()["a"]] == [3_000_000, 1]
    (tmp_path / "t.jsonl").write_bytes(b'{"a": 1}\n{"a": "\xfc"}\n')
    with pytest.raises(InvalidInputError, match="line 2: byte 0xfc is not utf-8"):
        open_unlabelled(tmp_path / "t.jsonl", encoding="utf-8")


# --- files that are something else ---


def in_memory(write):
    sink = pa.BufferOutputStream()
    write(TABLE, sink)
    return sink.getvalue().to_pybytes()


IN_FACT = {
    "parquet": (in_memory(pq.write_table), "a Parquet file: rename it to .parquet"),
    "feather": (in_memory(feather.write_feather), "a Feather file: rename it to .feather"),
    "zip or Excel": (b"PK\x03\x04 and so on", "an Excel or zip file: rename it to .xlsx"),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "before 2007: save it as .xlsx"),
    "gzip": (gzip.compress(b"a,b\n1,2\n"), "compressed with gzip: let its name end with .gz"),
    "bzip2": (bz2.compress(b"a,b\n1,2\n"), "compressed with bzip2: let its name end with .bz2"),
    "a database": (b"SQLite format 3\0", "a SQLite database"),
    "rubbish": (bytes(range(256)) * 4, "it is no text"),
}


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.csv.gz"])
@pytest.mark.parametrize("case", IN_FACT)
def test_text_that_is_in_fact_something_else(tmp_path, case, name):
    content, said = IN_FACT[case]
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(InvalidInputError, match=said):
        open_unlabelled(tmp_path / name)


def test_compressed_files_that_are_damaged(tmp_path):
    whole = gzip.compress(os.urandom(4000).hex().encode())
    for name, content, said in (
        ("t.csv.gz", whole[:2000], "the file ends in the middle, copy it anew"),
        ("t.csv.bz2", bz2.compress(b"a,b\n" * 1000)[:40], "the file ends in the middle, copy it anew"),
        ("t.csv.gz", b"a,b\n1,2\n", "it is not compressed with gzip"),
        ("t.csv.zst", b"a,b\n1,2\n", "it is not compressed with zstd"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidInputError, match=said):
            open_unlabelled(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("t.xls", "save it as .xlsx or .csv"),
        ("t.ods", "save it as .xlsx or .csv"),
        ("t.json", "ends with .jsonl"),
        ("t.zip", "unpack it first"),
        ("t.csv.zip", "unpack it first"),
        ("t.parquet.gz", "must not be compressed; unpack it first"),
        ("t.doc", "its name must end with .csv, .tsv, .txt, .parquet, .feather, .arrow, .xlsx, .jsonl, .ndjson, .mat"),
        ("table", "its name must end with"),
        ("t.gz", "its name must end with"),
        ("t.xlsx", "it is no workbook of Excel 2007 or later"),
        ("t.arrow", "it is no Arrow file, or cut off"),
        ("t.feather", "it is no Arrow file, or cut off"),
        ("t.parquet", "cannot be read as parquet"),
        ("t.mat", "cannot be read as mat"),
    ],
)
def test_files_that_cannot_be_read_are_told_in_a_sentence(tmp_path, name, said):
    (tmp_path / name).write_bytes(b"something else")
    with pytest.raises(InvalidInputError, match=said) as caught:
        open_unlabelled(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_files_that_are_not_there_or_closed(tmp_path):
    with pytest.raises(InvalidInputError, match=r"there is no file .*none.csv"):
        open_unlabelled(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInputError, match=r"folder.csv is a folder: name the file in it"):
        open_unlabelled(tmp_path / "folder.csv")
    with pytest.raises(InvalidInputError, match="is a folder"):
        open_labelled(tmp_path, "y")


@needs_permissions
@pytest.mark.parametrize("name", WRITERS)
def test_files_that_may_not_be_read(tmp_path, name):
    WRITERS[name](TABLE, tmp_path / name)
    (tmp_path / name).chmod(0)
    with pytest.raises(InvalidInputError, match="ask for the right to read it"):
        open_unlabelled(tmp_path / name)


def test_names_that_a_parquet_file_has_twice(tmp_path):
    pq.write_table(pa.table([[1, 2], [3, 4]], names=["a", "a"]), tmp_path / "t.parquet")
    with pytest.raises(InvalidInputError, match="names a column 'a' more than once"):
        open_unlabelled(tmp_path / "t.parquet")


def test_a_path_may_be_text(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    assert open_unlabelled(str(tmp_path / "t.csv")).num_rows == 2
    assert open_labelled(str(tmp_path / "t.csv"), "b").labels == ["x", "y"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (pa.ArrowMemoryError("malloc of size 131136 failed"), "too little memory"),
        (pa.ArrowInvalid("straddling object straddles two block boundaries (try ...)"), "lines is far too long"),
        (OSError("it is\nso"), r"x.csv cannot be read as csv: it is$"),
    ],
)
def test_what_readers_say_of_their_inside_is_put_into_words(tmp_path, error, said):
    path = tmp_path / "x.csv"
    path.touch()
    with pytest.raises(InvalidInputError, match=said), reading(path, kind_of(path)):
        raise error
