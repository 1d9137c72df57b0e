"""What columns of text files and sheets were meant to be: missing values, codes, numbers with one cell that is none."""

import zipfile

import openpyxl
import pytest

from activefs.exceptions import InvalidInputError
from activefs.tables import Dialect, open_labelled, read_file

AGES = list(range(20, 50))
QUOTE = '"'


def read(folder, content, name="t.csv", rules=2, **said):
    path = folder / name
    path.write_text(content)
    return read_file(path, None, Dialect.checked(**said), rules)


def column(*cells, sep=","):
    """A file with ages and some other cells in the first column."""
    return "\n".join(["a", *(f"{cell}{sep}1" for cell in (*cells, *AGES))]).replace("a", f"a{sep}b", 1) + "\n"


def book(path, rows):
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    workbook.save(path)
    return read_file(path)


# --- missing values ---


@pytest.mark.parametrize(
    "nothing", ["?", "-", "--", "–", ".", "..", "n/a", "N/A", "#N/A", "na", "NULL", " ? ", " -", ""]
)
def test_words_for_nothing_among_numbers(tmp_path, nothing):
    found = read(tmp_path, column(nothing))
    assert found.table.to_pydict()["a"] == [None, *AGES]
    assert found.doubts == ()
    found = read(tmp_path, column(nothing, "1,5", sep=";"))
    assert found.table.to_pydict()["a"] == [None, 1.5, *AGES], "decimal commas, too"
    assert read(tmp_path, column(nothing, sep=";"), decimal=",").table.to_pydict()["a"] == [None, *AGES]


def test_a_question_mark_is_missing_in_text_too(tmp_path):
    table = read(tmp_path, "root,b\nbulbous,1\n?,2\n ?,3\n").table
    assert table.to_pydict() == {"root": ["bulbous", None, None], "b": [1, 2, 3]}


def test_plus_and_minus_are_categories_and_labels(tmp_path):
    content = "sign,one,y\n+,1,+\n-,-,-\n.,1,-\n"
    assert read(tmp_path, content).table.to_pydict() == {
        "sign": ["+", "-", "."],
        "one": ["1", "-", "1"],
        "y": ["+", "-", "-"],
    }
    assert open_labelled(tmp_path / "t.csv", "y").labels == ["+", "-", "-"]


def test_a_label_that_is_a_question_mark_is_missing(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,yes\n2,?\n3,no\n")
    found = open_labelled(tmp_path / "t.csv", "y")
    assert found.labels == ["yes", "no"] and found.unlabelled == 1


def test_words_for_nothing_in_sheets(tmp_path):
    rows = [("age", "sign", "label"), *((age, "+-"[age % 2], "ab"[age % 2]) for age in AGES), ("-", "?", "a")]
    found = book(tmp_path / "t.xlsx", rows)
    assert found.table.to_pydict()["age"] == [*AGES, None]
    assert found.table.to_pydict()["sign"][-3:] == ["+", "-", None]
    assert found.doubts == ()


# --- one cell that is no number ---


def test_a_cell_that_is_no_number_is_told_with_its_line(tmp_path):
    content = column("33\n44,1\n", "unknown").replace("44,1\n", '44,1\n\n"5",1\n').replace("33\n", "33,1\n")
    (said,) = read(tmp_path, content).doubted()
    line = content.split("\n").index("unknown,1") + 1
    assert said.startswith(f"Column 'a' is taken as text because of 'unknown' in line {line}; all other values are")
    assert "leave the field empty" in said and "missing='value'" in said


def test_a_cell_far_behind(tmp_path):
    found = read(tmp_path, "a,b\n" + "1.5,2\n2.5,3\n" * 3000 + "oops,1\n")
    assert "because of 'oops' in line 6002;" in found.doubted()[0]
    assert "'x' in line 3 (and 1 other value);" in read(tmp_path, column(1, "x", "y", "x")).doubted()[0]


def test_a_number_in_another_dialect_is_told(tmp_path):
    content = "a;b\n" + "1,5;2,5\n" * 50 + "none;3,5\n"
    assert "because of 'none' in line 52" in read(tmp_path, content).doubted()[0]


@pytest.mark.parametrize(
    "cells", [["x", "y"] * 20, ["12a", "3b", "7c", "9d", "1e", "2f"], ["01067", "D-1"]], ids=["text", "many", "codes"]
)
def test_text_that_is_meant_is_not_told(tmp_path, cells):
    found = read(tmp_path, column(*cells))
    assert found.table.to_pydict()["a"][0] == cells[0]
    assert found.doubts == ()


def test_who_is_told(tmp_path):
    (tmp_path / "t.csv").write_text(column("old").replace("b\n", "b,y\n").replace(",1\n", ",1,u\n", 5).replace(
        ",1\n", ",1,v\n"
    ))  # fmt: skip
    assert "Column 'a' is taken as text" in open_labelled(tmp_path / "t.csv", "y").notes[0]
    assert open_labelled(tmp_path / "t.csv", "y", "a").notes == (), "ids may be anything"


def test_only_a_few_columns_are_told(tmp_path):
    names = ",".join("abcde")
    rows = "".join(f"{','.join([str(age)] * 5)}\n" for age in AGES)
    said = read(tmp_path, f"{names}\n{','.join(['old'] * 5)}\n{rows}").doubted()
    assert len(said) == 4 and said[-1] == "There are 2 more columns of this kind."


def test_a_cell_of_a_sheet_that_is_no_number(tmp_path):
    rows = [("age", "b"), *((age, 1) for age in AGES), (None, None), ("unknown", 2)]
    found = book(tmp_path / "t.xlsx", rows)
    assert found.table.to_pydict()["age"][-1] == "unknown"
    assert f"Column 'age' is taken as text because of 'unknown' in line {len(rows)};" in found.doubted()[0]


# --- thousands ---


def test_points_between_thousands_without_decimals(tmp_path):
    content = "price;n;label\n958;1;x\n1.065;2;y\n-;3;x\n12.000;4;y\n"
    found = read(tmp_path, content)
    assert found.table.to_pydict()["price"] == [958, 1065, None, 12000]
    assert found.dialect.decimal == ","
    assert found.doubted() == (
        "Column 'price' is read with points between thousands: 1.065 in line 3 as 1065. decimal='.' makes decimal "
        "points of them.",
    )
    assert read(tmp_path, content, **found.dialect.said).table.equals(found.table), "a study reads it alike"
    assert read(tmp_path, content, decimal=".").table.to_pydict()["price"] == [958.0, 1.065, None, 12.0]
    assert read(tmp_path, "a;b\n1.234.567;x\n5;y\n").table.to_pydict()["a"] == [1234567, 5]


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1.065,1\n958,2\n",
        "a;b\n1.065;1\n958;2.5\n",
        "a;b\n1.065;1\n958.5;2\n",
        "a;b\n1.065;1\n0.958;2\n",
        "a;b\n1.065;1\n2.958;2\n",
        "a;b\n1.065;1,234\n958;2\n",
        "a;b\n1.065;1\n1958;2\n",
    ],
    ids=["commas", "other decimals", "decimals", "below one", "all alike", "commas too", "four digits"],
)
def test_points_that_are_decimal(tmp_path, content):
    found = read(tmp_path, content)
    assert found.table.to_pydict()["a"][0] == 1.065
    assert found.doubts == () and found.dialect.decimal == "."


def test_round_thousands_beside_decimal_commas(tmp_path):
    assert read(tmp_path, "a;b\n1.000;0,5\n999;1,5\n").table.to_pydict()["a"] == [1000, 999]


# --- codes ---


def test_zeros_before_whole_numbers_make_names_of_them(tmp_path):
    content = "pid,zip,month,share,n,y\n0043,01067,01,0.5,0,00\n0044,99084,12,00.5,-5,01\n0045,,02,1,10,01\n"
    found = read(tmp_path, content)
    assert found.table.to_pydict() == {
        "pid": ["0043", "0044", "0045"],
        "zip": ["01067", "99084", None],
        "month": ["01", "12", "02"],
        "share": [0.5, 0.5, 1.0],
        "n": [0, -5, 10],
        "y": ["00", "01", "01"],
    }
    assert found.doubted()[1] == (
        "Column 'zip' is taken as text: 01067 in line 2 begins with a zero, as codes do. Amounts are to be written "
        "without."
    )
    assert open_labelled(tmp_path / "t.csv", "y", "pid").ids == ["0043", "0044", "0045"]


@pytest.mark.parametrize("cells", ["01067;-\n99084;-", "01067;1,5\n99084;2,5", " 01067;1.5\n -;2"])
def test_codes_beside_decimals_and_dashes(tmp_path, cells):
    found = read(tmp_path, f"zip;b\n{cells}\n00001;3\n").table.to_pydict()["zip"]
    assert found[0] == "01067" and found[2] == "00001"


# --- whole numbers beyond 64 bits ---


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_whole_numbers_beyond_64_bits_stay_apart(tmp_path, kind):
    large = [2**70 + 1, 2**70 + 2, 5]
    lines = [f"{h},1.5" for h in large] if kind == "csv" else [f'{{"h":{h},"b":1e30}}' for h in large]
    found = read(tmp_path, "\n".join((["h,b"] if kind == "csv" else []) + lines) + "\n", f"t.{kind}")
    assert found.table.to_pydict()["h"] == [str(h) for h in large]
    assert found.doubted() == (
        f"Column 'h' is taken as text: {2**70 + 1} in line {2 if kind == 'csv' else 1} has more digits than a number "
        "can hold.",
    )
    assert found.table.to_pydict()["b"][0] == (1.5 if kind == "csv" else 1e30)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_unsigned_numbers_of_64_bits(tmp_path, kind):
    content = f"h,b\n{2**64 - 1},1\n3,2\n" if kind == "csv" else f'{{"h":{2**64 - 1}}}\n{{"h":3}}\n{{"h":null}}\n'
    found = read(tmp_path, content, f"t.{kind}")
    assert found.table.to_pydict()["h"][:2] == [2**64 - 1, 3]
    assert found.doubts == ()


# --- spaces, and columns that are none ---


def test_outer_spaces_of_names_and_cells(tmp_path):
    found = read(tmp_path, "age, z , label\n 54, 1.5, ja\n 26 , NA, nein \n")
    assert found.table.to_pydict() == {"age": [54, 26], "z": [1.5, None], "label": ["ja", "nein"]}
    with pytest.raises(InvalidInputError, match="names a column 'a' more than once"):
        read(tmp_path, "a, a\n1,2\n")


def test_nameless_columns_without_values_do_not_count(tmp_path):
    assert read(tmp_path, "a,b,,\n1,2,,\n3,4, ,\n").table.to_pydict() == {"a": [1, 3], "b": [2, 4]}
    assert read(tmp_path, "a; ;b\n1,5; ;x\n").table.to_pydict() == {"a": [1.5], "b": ["x"]}
    assert read(tmp_path, ",x\n0,1\n1,2\n").table.column_names == ["", "x"], "it has values"
    found = book(tmp_path / "t.xlsx", [("a", None, "b"), (1, None, "x"), (2, "?", "y")])
    assert found.table.to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


# --- studies of release 0.1 ---


def test_the_rules_of_release_0_1(tmp_path):
    content = "pid, a,b,\n0043,?,x,\n0044,1, y,\n"
    found = read(tmp_path, content, rules=1, decimal=".")
    assert found.table.to_pydict() == {"pid": [43, 44], " a": ["?", "1"], "b": ["x", " y"], "": [None, None]}
    assert found.doubts == ()


# --- amounts as people write them, and stray quotes ---


@pytest.mark.parametrize("sep", [";", "\t"])
def test_one_word_in_the_only_column_with_decimal_commas_is_told(tmp_path, sep):
    rows = [f"{age},5{sep}1" for age in AGES]
    (doubt,) = read(tmp_path, "\n".join([f"a{sep}b", *rows, f"k.A.{sep}1", ""])).doubts
    assert doubt.in_words().startswith("Column 'a' is taken as text because of 'k.A.' in line 32;")


@pytest.mark.parametrize("kind", ["{} {}\n", "{}\n{}\n"])
def test_large_numbers_in_objects_wherever_lines_end(tmp_path, kind):
    objects = [f'{{"a":\n {2**70 + i},"b":{i}}}' for i in range(2)]
    found = read(tmp_path, kind.format(*objects), "t.jsonl")
    assert found.table.to_pydict() == {"a": [str(2**70), str(2**70 + 1)], "b": [0, 1]}
    assert "in line 1" in found.doubts[0].in_words()


@pytest.mark.parametrize("written", ["{}%", "{} %", "{} €", "${}", "€ {}.50", "1 {}0", "1'{}0", "−{}", '"1,{}0"'])
def test_amounts_that_are_no_plain_numbers_are_told(tmp_path, written):
    first = written.format(20).strip('"')
    rows = [written.format(age) for age in AGES]
    (doubt,) = read(tmp_path, "\n".join(["pay,b", *(f"{row},1" for row in rows), "999,1", ""])).doubts
    assert doubt.in_words().startswith(f"Column 'pay' is taken as text: {first!r} in line 2 is no plain number.")


@pytest.mark.parametrize("written", ["1.{}.3", "A{}", "{}:30", "2020-01-{}", "{}-50", "{} mg/l", "v{}%"])
def test_text_that_is_no_amount_is_not_told(tmp_path, written):
    rows = [written.format(age) for age in AGES]
    assert not read(tmp_path, "\n".join(["pay,b", *(f"{row},1" for row in rows), ""])).doubts


def test_a_column_is_told_once(tmp_path):
    (doubt,) = read(tmp_path, column("5%")).doubts
    assert "because of '5%' in line 2" in doubt.in_words()


@pytest.mark.parametrize("at", range(-3, 3))
def test_a_code_at_the_border_of_two_pieces_of_a_file(at):
    from activefs.tables._cells import _PIECE, may_pad

    plain = b"1" * (_PIECE + at) + b",%s7,1\n"
    assert may_pad(plain % b"0") and not may_pad(plain % b"1") and not may_pad(plain % b"0.")


@pytest.mark.parametrize("inside", ["p0007", "2024-05-01", "2024-05-01 08:30:05", "01/05", "A-01", "1 05", "x_01"])
def test_zeros_inside_a_cell_do_not_make_codes_of_the_numbers_of_a_file(inside):
    from activefs.tables import may_pad

    end = inside.removeprefix("01")  # a cell that begins so may be a code
    assert may_pad(f"1,{inside},1\n".encode()) is (end != inside)
    assert may_pad(f"1, {inside},1\n1, 007,1".encode()) and may_pad(f'1,{inside},"007"'.encode())


@pytest.mark.parametrize("sep", ["x", ":", "-", " "])
def test_a_code_is_found_after_any_separator(sep):
    from activefs.tables import may_pad

    assert may_pad(f"1{sep}07{sep}1\n".encode(), sep)


def test_a_few_categories_with_signs_are_not_told(tmp_path):
    assert not read(tmp_path, "\n".join(["cut,b", *(f"{age % 3}0%,1" for age in AGES), ""])).doubts


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_two_stray_quotes_do_not_make_one_field_of_many_rows(tmp_path, newline):
    rows = [f"{i},{QUOTE * (i in (5, 12))}pipe,{i % 2}" for i in range(20)]
    said = "a quote is opened in line 7, and what seems to close it, in line 14, opens another"
    (tmp_path / "t.csv").write_bytes(newline.join(["a,b,c", *rows, ""]).encode())
    with pytest.raises(InvalidInputError, match=said):
        read_file(tmp_path / "t.csv")


def test_two_stray_quotes_in_adjacent_rows(tmp_path):
    with pytest.raises(InvalidInputError, match="opened in line 3, and what seems to close it, in line 4, opens"):
        read(tmp_path, 'a,b,c\n1,x,2\n3,"x,4\n5,"x,6\n7,x,8\n')


def test_a_field_may_have_many_lines_that_look_like_rows(tmp_path):
    letters = ["dear, dear, dear\nall,of,you\nyours", 'x ""y""\n1,2,3\n4,5,6\n', "\n1,2,3\n", ""]
    rows = [f'{i},"{letter}" ,{i % 2}' if i % 2 else f'{i},"{letter}",{i % 2}' for i, letter in enumerate(letters)]
    found = read(tmp_path, "\n".join(["a,b,c", *rows, '9,5" pipe,1', '"last\none",2,"3"', ""])).table.to_pydict()
    assert [text and text[:4] for text in found["b"]] == ["dear", 'x "y', "1,2,", None, '5" p', "2"]


def test_a_header_alone_has_no_rows(tmp_path):
    for content in ("a,b", "a,b\n"):
        with pytest.raises(InvalidInputError, match="has 2 columns, but no rows"):
            read(tmp_path, content)


# --- sheets ---


def test_numbers_that_a_sheet_stores_as_text_are_numbers(tmp_path):
    rows = [(" a ", "b", "code", "c"), *((str(age), age if age % 2 else f" {age}.50 ", f"0{age}", f" x{age % 3} ")
            for age in AGES), ("-", 7, "012", "x1")]  # fmt: skip
    found = book(tmp_path / "t.xlsx", rows)
    table = found.table.to_pydict()
    assert table["a"] == [*AGES, None] and table["b"] == [*(age if age % 2 else age + 0.5 for age in AGES), 7]
    assert table["code"][0] == "020", "codes keep their zeros"
    assert set(table["c"]) == {"x0", "x1", "x2"} and not found.doubts


def test_decimal_commas_and_long_codes_that_a_sheet_stores_as_text(tmp_path):
    rows = [("a", "account"), *((f"{age},5" if age % 2 else age, f"{10**19 + age}") for age in AGES)]
    table = book(tmp_path / "t.xlsx", rows).table.to_pydict()
    assert table["a"] == [age + 0.5 if age % 2 else age for age in AGES]
    assert table["account"][1] == "10000000000000000021", "Excel's numbers have fifteen digits"


def test_a_damaged_sheet(tmp_path):
    book(tmp_path / "t.xlsx", [("a", "b"), *((age, age) for age in AGES)])
    with zipfile.ZipFile(tmp_path / "t.xlsx") as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    for cut in ("xl/worksheets/sheet1.xml", "xl/workbook.xml"):
        with zipfile.ZipFile(tmp_path / "cut.xlsx", "w") as packed:
            for name, content in parts.items():
                packed.writestr(name, content[: len(content) // 2] if name == cut else content)
        with pytest.raises(InvalidInputError, match=r"it is damaged.*save the sheet"):
            read_file(tmp_path / "cut.xlsx")


def test_a_sheet_of_a_chart_is_no_table(tmp_path):
    from openpyxl.chart import BarChart, Reference

    workbook = openpyxl.Workbook()
    for row in [("a", "b"), (1, 2), (3, 4)]:
        workbook.active.append(row)
    chart = BarChart()
    chart.add_data(Reference(workbook.active, min_col=1, min_row=1, max_row=3), titles_from_data=True)
    workbook.create_chartsheet("picture", 0).add_chart(chart)
    workbook.save(tmp_path / "t.xlsx")
    assert read_file(tmp_path / "t.xlsx").table.to_pydict() == {"a": [1, 3], "b": [2, 4]}
