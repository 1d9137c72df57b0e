"""Labels of tables that are read in pieces: found, counted and coded as a list of them would be."""

from __future__ import annotations

import pickle
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from activefs.codec import unwrapped
from activefs.engine import RangeList
from activefs.exceptions import InvalidInputError
from activefs.streams import ClassColumn, LabelCoder, LabelledRows, RowIds, TableSource, find_labels
from activefs.tables import plain_values

LABELS = {
    "text": pa.array(["b", None, "a", "", "b", " ", "c", "a", "b"]),
    "large text": pa.array(["b", None, "a", "b", "\u00a0"], pa.large_string()),
    "categories": pa.DictionaryArray.from_arrays(pa.array([2, None, 0, 2, 0]), ["x", "never", "y"]),
    "whole": pa.array([3, 1, None, 3, -7, 1], pa.int8()),
    "floats": pa.array([1.0, float("nan"), None, 2.0, 1.0]),
    "booleans": pa.array([True, None, False, True]),
    "decimals": pa.array([Decimal("1.00"), None, Decimal("2.00"), Decimal("1.00")]),
    "nothing": pa.nulls(4),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("rows_per_piece", [2, 100])
def test_labels_are_those_of_a_list(kind, rows_per_piece):
    table = pa.table({"y": LABELS[kind], "row": np.arange(len(LABELS[kind]))})
    source = TableSource(table, rows_per_piece=rows_per_piece)
    read = plain_values(table.column("y"))
    there = [i for i, value in enumerate(read) if unwrapped(value) is not None]
    found = find_labels(source, "y")
    assert list(found.counts.items()) == list(Counter(read[i] for i in there).items())
    assert (found.n_rows, found.unlabelled) == (len(there), len(read) - len(there))
    rows = LabelledRows(source, "y", found.by_piece)
    assert rows.to_table(["row"]).column("row").to_pylist() == there
    assert rows.key() not in (source.key(), LabelledRows(source, "row", found.by_piece).key())
    if there:
        code_of = {value: code for code, value in enumerate(found.counts)}
        coded = pickle.loads(pickle.dumps(ClassColumn(rows, "y", LabelCoder(code_of))))
        assert coded.names == ("row", "y")
        assert coded.to_table(["y", "row"]).to_pydict() == {"y": [code_of[read[i]] for i in there], "row": there}


@pytest.mark.parametrize(
    "labels",
    [
        pa.array([0.5, None, 7.5, 5.0, float("nan"), 9.25, 4.999]),
        pa.array([1, 9, None, 5, 7, 8], pa.int16()),
        pa.array([Decimal("4.9"), Decimal("7.5"), None, Decimal("5.0")]),
        pa.array(["6,2", "1", None, " 7.5 ", "99"]),
    ],
)
@pytest.mark.parametrize("rows_per_piece", [2, 100])
def test_ranges_of_numbers(labels, rows_per_piece):
    classes = RangeList([5, 7.5])
    source = TableSource(pa.table({"y": labels}), rows_per_piece=rows_per_piece)
    there = [value for value in plain_values(labels) if unwrapped(value) is not None]
    found = find_labels(source, "y", classes.edges)
    codes = [classes.code(value) for value in there]
    assert [(classes.code(value), rows) for value, rows in found.counts.items()] == list(Counter(codes).items())
    rows = LabelledRows(source, "y", found.by_piece)
    coded = ClassColumn(rows, "y", LabelCoder({}, classes.edges))
    assert coded.to_table().column("y").to_pylist() == codes


def test_what_is_no_number_stays_for_whoever_makes_classes():
    for odd in ("ill", "1,234", float("inf")):
        labels = [odd, "3"] if isinstance(odd, str) else [1.0, odd]
        assert odd in find_labels(TableSource(pa.table({"y": labels})), "y", [5]).counts


def test_ids_and_rows_are_those_of_labelled_rows():
    table = pa.table({"id": ["a", "b", "c", "d"], "y": [None, "no", None, "yes"], "x": [1, 2, 3, 4]})
    source = TableSource(table, rows_per_piece=3)
    rows = LabelledRows(source, "y", find_labels(source, "y").by_piece)
    assert RowIds(rows, "id").of([1, 0]) == ("d", "b")
    assert rows.take([1, 0], ["x"]).to_pydict() == {"x": [4, 2]}
    classes = ClassColumn(rows, "y", LabelCoder({"no": 0, "yes": 1}), ["id"])
    others = ClassColumn(rows, "y", LabelCoder({"no": 1, "yes": 0}), ["id"])
    assert classes.names == ("x", "y") and classes.key() != others.key()


def test_lists_are_no_labels():
    with pytest.raises(InvalidInputError, match="labels and ids are text, numbers or booleans"):
        find_labels(TableSource(pa.table({"y": [[1], [2]]})), "y")


def test_a_label_that_was_not_there_before_is_refused():
    source = TableSource(pa.table({"y": ["no", "yes"]}))
    with pytest.raises(InvalidInputError, match="the labels in 'y' changed while the table was read: start again"):
        ClassColumn(source, "y", LabelCoder({"no": 0})).to_table()
