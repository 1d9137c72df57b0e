"""Text tables as people have them: separators, decimal signs and encodings are found out, or said."""

import bz2
import csv
import gzip
import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activefs import Pool
from activefs.exceptions import InvalidInputError
from activefs.tables import Dialect, find_separator, open_labelled, open_unlabelled, read_file, said_in_file

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
ENCODINGS = ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"]
ROWS = [("größe", "weight", "note, if any", "label")] + [
    (i % 7, i / 4, ["schön; ja", 'so "so"', "über\nzwei | Zeilen", "nein\t!"][i % 4], "ill" if i % 3 else "well")
    for i in range(60)
]


def written(rows, sep, decimal):
    """A file as a spreadsheet writes it: quotes only where they are needed."""
    out = io.StringIO()
    text = [[f"{v}".replace(".", decimal) if isinstance(v, float) else v for v in row] for row in rows]
    csv.writer(out, delimiter=sep).writerows(text)
    return out.getvalue()


def read(folder, content, name="t.csv", written_in="utf-8", **said):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(written_in))
    found = read_file(path, None, Dialect.checked(**said))
    return found.table.to_pydict(), found.dialect


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("sep", SEPARATORS)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_every_dialect_is_found_out(tmp_path, suffix, sep, decimal, encoding):
    table, dialect = read(tmp_path, written(ROWS, SEPARATORS[sep], decimal), f"t{suffix}", encoding)
    assert dialect.sep == SEPARATORS[sep]
    assert dialect.decimal == decimal
    for j, name in enumerate(ROWS[0]):
        # Lines end with \r\n in the file, and inside of a field with \n.
        assert table[name] == [row[j] for row in ROWS[1:]]
    assert dialect.encoding == {"utf-8-sig": "utf-8", "latin-1": "cp1252"}.get(encoding, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("sep", SEPARATORS)
def test_what_was_found_is_what_can_be_said(tmp_path, sep, encoding):
    content = written(ROWS, SEPARATORS[sep], ",")
    table, dialect = read(tmp_path, content, written_in=encoding)
    path = tmp_path / "t.csv"
    assert open_unlabelled(path, **dialect.said).to_pydict() == table
    assert open_unlabelled(path, sep=sep, decimal=",", encoding=encoding).to_pydict() == table


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_empty_lines(tmp_path, end):
    table, _ = read(tmp_path, f"a;b{end}{end}1,5;x{end}{end}{end}2;y{end}{end}")
    assert table == {"a": [1.5, 2.0], "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("pack", "suffix"),
    [
        (gzip.compress, ".gz"),
        (bz2.compress, ".bz2"),
        (lambda content: pa.compress(content, "zstd", asbytes=True), ".zst"),
    ],
    ids=["gzip", "bzip2", "zstd"],
)
def test_compressed_text(tmp_path, pack, suffix):
    content = pack(written(ROWS, ";", ",").encode("latin-1"))
    table, dialect = read(tmp_path, content, f"t.csv{suffix}")
    assert table["weight"] == [row[1] for row in ROWS[1:]]
    assert dialect == Dialect(";", ",", "cp1252")
    lines = "".join(f'{{"a": {i}}}\n' for i in range(9)).encode()
    assert read(tmp_path, pack(lines), f"t.jsonl{suffix}")[0] == {"a": list(range(9))}


# --- plain files are read as ever ---


def plain(content):
    options = pa_csv.ConvertOptions(strings_can_be_null=True)
    return pa_csv.read_csv(io.BytesIO(content), convert_options=options)


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c\n1,x,2.5\n2,y,\n3,NA,1e3\n",
        "a,b\n1,true\n,false\n",
        "when,n\n2024-01-02,1\n2024-01-03,2\n",
        'a,b\n"1","x, y; z"\n"2","so ""so"""\n',
        "a\n1\n2\n",
        "one name\nx\ny z\n",
        ",x\n0,1\n1,2\n",
        "list,n\na;b,1\nc;d,2\n",
        'a,b\n"1,234",1\n"2,345,678",2\n',
        'price,b\n"1,234.50",1\n"2.00",2\n',
        'answers,b\n"1,2",0.5\n"3,4",1.5\n',
        "a,b\n1,5 inch\n2,a|b\n",
        "\ufeffa,b\n1,ü\n2,ß\n",
    ],
)
def test_plain_files_are_read_as_ever(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    assert open_unlabelled(path).equals(plain(content.encode()))
    assert read_file(path).dialect == Dialect(",", ".", "utf-8")


names = st.text(st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters='",;|\t\r\n'), min_size=1)
cells = st.one_of(st.integers(-99, 10**6), st.floats(-1e6, 1e6), st.text(st.sampled_from('abz äß\n";|\t,'), max_size=6))


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 4).flatmap(lambda n: st.tuples(
    st.lists(names, min_size=n, max_size=n, unique=True), st.lists(st.tuples(*[cells] * n), min_size=1, max_size=8)
)))  # fmt: skip
def test_any_plain_file_is_read_as_ever(tmp_path_factory, table):
    header, rows = table
    path = tmp_path_factory.mktemp("any") / "t.csv"
    path.write_bytes(written([header, *rows], ",", ".").encode())
    expected = plain(path.read_bytes())
    if expected.num_rows:
        assert read_file(path, None, Dialect(decimal="."), rules=1).table.equals(expected), "a study of release 0.1"
        assert read_file(path, rules=1).dialect.sep == ","
    trimmed = [[cell.strip() if isinstance(cell, str) else cell for cell in row] for row in (header, *rows)]
    if expected.num_rows and len(set(trimmed[0])) == len(header) and all(trimmed[0]):
        found = read_file(path, None, Dialect(decimal=".")).table.to_pydict()
        path.write_bytes(written(trimmed, ",", ".").encode())
        if (expected := plain(path.read_bytes())).num_rows == len(next(iter(found.values()))):
            assert found == expected.to_pydict(), "outer spaces do not count"


# --- separators ---

FOUND = {
    "semicolons in quoted text": ('a,b\n"x;y",2\n"z;w",3\n', ","),
    "commas in quoted text": ('a;b\n"x,y";2\n"z,w";3\n', ";"),
    "commas in unquoted text": ("name;note\nx;one, two\ny;three\n", ";"),
    "decimal commas": ("a;b\n1,5;2,5\n", ";"),
    "commas in the header too": ("weight, kg;height, cm\n70,5;180,2\n71,5;182,0\n", ";"),
    "header only": ("a;b;c\n", ";"),
    "tabs in csv": ("a\tb\n1\t2\n", "\t"),
    "newlines in quotes": ('a|b\n"x\ny,z\n"|2\n"z;w"|3\n', "|"),
    "one column": ("a\n1\n2\n", ","),
    "one column of text with commas in quotes": ('a\n"x, y"\n"z"\n', ","),
    "one column of decimal commas": ("a\n1,5\n2\n", ";"),
    "one broken row among many": ("a;b\n" + "1;2\n" * 9 + "3\n", ";"),
    "said in the file": ("sep=|\na|b\n1|2\n", "|"),
}


@pytest.mark.parametrize("case", FOUND)
def test_separators(case):
    content, sep = FOUND[case]
    said = said_in_file(content.encode())
    assert (said[0] if said else find_separator(content)) == sep


def test_a_first_line_that_says_the_separator_is_no_header(tmp_path):
    for end in ("\n", "\r\n"):
        table, dialect = read(tmp_path, f"sep=;{end}a;b{end}1,5;2{end}")
        assert table == {"a": [1.5], "b": [2]}
        assert read(tmp_path, f"sep=;{end}a;b{end}1,5;2{end}", **dialect.said)[0] == table


def test_a_table_that_is_wider_than_what_is_looked_at(tmp_path):
    names = [f"a rather long name of column {j}" for j in range(20_000)]
    rows = [names, *([f"{i + j},5" for j in range(20_000)] for i in range(3))]
    table, dialect = read(tmp_path, "\n".join(";".join(row) for row in rows) + "\n")
    assert dialect == Dialect(";", ",", "utf-8")
    assert table[names[-1]] == [19_999.5, 20_000.5, 20_001.5]


# --- decimal commas ---

DECIMALS: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "whole column": ("a;b\n1,5;x\n3,25;y\n", {"a": [1.5, 3.25]}),
    "whole numbers among them": ("a;b\n1,5;x\n3;y\n-,5;z\n", {"a": [1.5, 3.0, -0.5]}),
    "signs, exponents and spaces": ("a;b\n+1,5e+3;x\n -2,5E-1 ;y\n3,;z\n", {"a": [1500.0, -0.25, 3.0]}),
    "missing values": ("a;b\n1,5;x\n;y\nNA;z\n", {"a": [1.5, None, None]}),
    "one text among them": ("a;b\n1,5;x\nabout 3,5;y\n", {"a": ["1,5", "about 3,5"]}),
    "three decimals beside others": ("a;b\n1,234;1,5\n999;2,5\n", {"a": [1.234, 999.0], "b": [1.5, 2.5]}),
    "three decimals everywhere": ("a;b\n1,234;x\n5,678;y\n", {"a": [1.234, 5.678]}),
    "three decimals after a zero": ("a;b\n0,234;x\n5,678;y\n", {"a": [0.234, 5.678]}),
    "thousands, perhaps": ("a;b\n1,234;x\n999;y\n", {"a": ["1,234", "999"]}),
    "thousands beside decimal points": ("a;b\n1,234;1.5\n5,678;2\n", {"a": ["1,234", "5,678"], "b": [1.5, 2.0]}),
    "thousands between tabs": ("a\tb\n1,234\tx\n5,678\ty\n", {"a": ["1,234", "5,678"]}),
    "thousands for sure": ("a;b\n1,234,567;x\n5,678;y\n", {"a": ["1,234,567", "5,678"]}),
    "thousands with points": ("a;b\n1.234,5;1.234\n5,5;999\n", {"a": [1234.5, 5.5], "b": [1234, 999]}),
    "millions with points": ("a;b\n1.234.567;0,5\n5;1,5\n", {"a": [1234567, 5], "b": [0.5, 1.5]}),
    "decimal points in another column": ("a;b\n1,5;2.25\n2,5;7.5\n", {"a": [1.5, 2.5], "b": [2.25, 7.5]}),
    "quoted between commas": ('a,b\n"1,5",2\n"3,5",4\n', {"a": [1.5, 3.5], "b": [2, 4]}),
    "quoted between commas, with points": ('a,b\n"1,5",2.5\n"3,5",4\n', {"a": ["1,5", "3,5"], "b": [2.5, 4.0]}),
    "quoted thousands": ('a,b\n"1,234",2\n"3,500",4\n', {"a": ["1,234", "3,500"]}),
    "dates": ("a;b\n12.03.2024;1,5\n13.03.2024;2,5\n", {"a": ["12.03.2024", "13.03.2024"]}),
}


@pytest.mark.parametrize("case", DECIMALS)
def test_decimal_commas(tmp_path, case):
    content, expected = DECIMALS[case]
    table, dialect = read(tmp_path, content)
    assert {name: table[name] for name in expected} == expected
    assert [type(v) for name in expected for v in table[name]] == [type(v) for vs in expected.values() for v in vs]
    assert read(tmp_path, content, **dialect.said) == (table, dialect)


def test_the_decimal_sign_can_be_said(tmp_path):
    content = "a;b\n1,234;x\n999;y\n"
    assert read(tmp_path, content, decimal=",")[0]["a"] == [1.234, 999.0]
    assert read(tmp_path, "a;b\n1,5;x\n", decimal=".")[0]["a"] == ["1,5"]


def test_text_far_behind_numbers_stays_text(tmp_path):
    content = "a;b\n" + "1,5;2,5\n" * 5000 + "none;3,5\n"
    table, dialect = read(tmp_path, content)
    assert table["a"][:2] == ["1,5", "1,5"]
    assert table["b"][-1] == 3.5
    assert dialect.decimal == ","


@given(st.lists(st.floats(-1e9, 1e9).map(lambda v: round(v, 2)), min_size=1, max_size=30))
@settings(deadline=None)
def test_numbers_come_back_to_the_digit(tmp_path_factory, numbers):
    numbers = [0.25, *numbers]
    text = "a;b\n" + "".join(f"{repr(v).replace('.', ',')};x\n" for v in numbers)
    assert read(tmp_path_factory.mktemp("any"), text)[0]["a"] == numbers


def test_the_same_pool_in_every_dialect(tmp_path):
    rng = np.random.default_rng(0)
    rows = [("x", "y"), *zip(np.round(rng.normal(size=200), 3).tolist(), rng.integers(0, 3, 200).tolist(), strict=True)]
    found = set()
    for sep, decimal in ((",", "."), (";", ","), ("\t", ","), ("|", ".")):
        path = tmp_path / "t.csv"
        path.write_text(written(rows, sep, decimal))
        found.add(Pool.from_table(open_unlabelled(path)).fingerprint)
    assert len(found) == 1


# --- encodings ---


def test_a_letter_far_behind_is_found_too(tmp_path):
    content = "a,b\n" + "1,x\n" * 100_000 + "2,Müller\n"
    table, dialect = read(tmp_path, content, written_in="latin-1")
    assert table["b"][-1] == "Müller"
    assert dialect.encoding == "cp1252"


def test_what_only_latin_1_has(tmp_path):
    assert read(tmp_path, b"a,b\n1,M\xfc\x81\n")[1].encoding == "latin-1"


def test_the_encoding_can_be_said(tmp_path):
    content = "a,b\n1,Łódź\n"
    assert read(tmp_path, content, written_in="cp1250")[0]["b"] != ["Łódź"]
    path = tmp_path / "t.csv"
    assert open_unlabelled(path, encoding="cp1250").to_pydict()["b"] == ["Łódź"]
    for said in ("utf-8", "UTF8", "utf-8-sig"):
        path.write_bytes("\ufeffa,b\n1,ü\n".encode())
        assert open_unlabelled(path, encoding=said).to_pydict() == {"a": [1], "b": ["ü"]}
    path.write_bytes("\ufeffa,b\n1,ü\n".encode("utf-16-le"))
    assert open_unlabelled(path, encoding="utf-16-le").to_pydict() == {"a": [1], "b": ["ü"]}


# --- what is said must make sense ---


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"sep": "ab"}, "sep must be one character"),
        ({"sep": "\n"}, "sep must be one character"),
        ({"decimal": ";"}, "decimal must be '.' or ','"),
        ({"encoding": "klingon"}, "encoding must be the name of an encoding"),
        ({"sheet": "x"}, "sheet says how an Excel file is read, which t.csv is not"),
    ],
)
def test_what_cannot_be_said(tmp_path, said, words):
    (tmp_path / "t.csv").write_text("a,y\n1,2\n3,4\n")
    with pytest.raises(InvalidInputError, match=words):
        open_unlabelled(tmp_path / "t.csv", **said)
    with pytest.raises(InvalidInputError, match=words):
        open_labelled(tmp_path / "t.csv", "y", **said)


def test_labels_and_ids_of_a_german_spreadsheet(tmp_path):
    content = "Nummer;Größe;Befund\nä1;1,5;gesund\nä2;2,5;krank\nä3;1,5;gesund\nä4;1,0;\n"
    (tmp_path / "t.csv").write_bytes(content.encode("cp1252"))
    found = open_labelled(tmp_path / "t.csv", "Befund", "Nummer")
    assert found.labels == ["gesund", "krank", "gesund"]
    assert found.ids == ["ä1", "ä2", "ä3"]
    assert found.features.to_pydict() == {"Größe": [1.5, 2.5, 1.5]}
    assert found.unlabelled == 1
    assert found.dialect == Dialect(";", ",", "cp1252")
    assert found.notes == ("t.csv was read with semicolons between columns, decimal commas, encoding cp1252.",)
