"""Ids of rows that are not in memory: the same names, the same errors, as for a table that is."""

import os
import subprocess
import sys
import threading
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from machines import small_disk

from activefs.codec import text_of
from activefs.exceptions import InvalidInputError
from activefs.streams import RowIds, TableSource, _id_index
from activefs.study import Study

TEXTS = st.text(st.sampled_from(" ab1\u00a0é\u0301e漢\x1c\n-"), max_size=5)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))


def ids_of(values, rows_per_piece=3):
    return RowIds(TableSource(pa.table({"id": values, "x": np.arange(len(values))}), rows_per_piece), "id")


def said_in_memory(values):
    """What a study says of the same ids."""
    table = pa.table({"id": values, "x": np.arange(len(values)) % 2, "y": np.arange(len(values)) % 3})
    try:
        with Study.create("memory://", table, k=1, classes=["a", "b"], id_column="id"):
            return None
    except InvalidInputError as error:
        return str(error)


@given(st.lists(TEXTS, min_size=1, max_size=40))
def test_texts(texts):
    forms = [text_of(text) for text in texts]
    if len(set(forms)) < len(forms):
        with pytest.raises(InvalidInputError, match="must be unique"):
            ids_of(texts)
        return
    ids = ids_of(texts)
    assert tuple(ids) == tuple(texts) and len(ids) == len(texts)
    assert [ids.index(text) for text in texts] == list(range(len(texts)))
    assert [ids.index(f" {form}\n") for form in forms] == list(range(len(texts)))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40, unique=True))
def test_integers(numbers):
    ids = ids_of(pa.array(numbers, pa.int64()))
    assert [ids.index(str(number)) for number in numbers] == list(range(len(numbers)))
    assert ids[0:2] == tuple(numbers[:2]) and ids[-1] == numbers[-1]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([2**64 - 1, 2**63, 0], pa.uint64()),
        pa.array([1.5, 2.0, -0.25, float("inf")]),
        pa.array([True, False]),
        pa.array([1, 2, 3], pa.timestamp("s")),
        pa.array([1, 2, 3], pa.date32()),
        pa.array([Decimal("1.50"), Decimal("2.00")]),
        pa.array(["a", "b", "é"]).dictionary_encode(),
        pa.array(["a", "b", "é"], pa.large_string()),
        pa.array([1, 2, 3], pa.int8()),
    ],
)
def test_other_types(values):
    ids = ids_of(values, 2)
    assert [ids.index(name) for name in ids] == list(range(len(values)))
    assert [ids.index(text_of(name)) for name in ids] == list(range(len(values)))


@pytest.mark.parametrize(
    "values",
    [
        ["a", None, "b", None],
        [1, None, 3],
        ["a", "b", " a", "b"],
        ["é", "x", "e\u0301"],
        [7, 8, 9, 8, 7],
        ["x"] * 2000,
        ["x" * 200, "y", "x" * 200],
    ],
)
def test_the_same_is_refused_in_the_same_words(values):
    with pytest.raises(InvalidInputError) as found:
        ids_of(pa.array(values))
    assert str(found.value) == said_in_memory(values)


def test_numbers_that_are_written_in_another_way():
    ids = ids_of([5, 7])
    assert ids.index("005") == ids.index("5.0") == ids.index(5.0) == 0
    assert ids_of([5.0, 7.5]).index("5") == 0
    with pytest.raises(InvalidInputError, match=r"there is no row with the id '5\.5'"):
        ids.index("5.5")
    assert 7 in ids and "8" not in ids and ids_of(["a\nb"]).index("a\r\nb") == 0


def test_no_such_column_or_row():
    with pytest.raises(InvalidInputError, match=r"there is no column 'name' \(id\) in the table; there are: 'id', 'x'"):
        RowIds(TableSource(pa.table({"id": [1], "x": [2]})), "name")
    with pytest.raises(IndexError, match="rows are numbered from 0 to 1; got 2"):
        ids_of([1, 2])[2]


def test_ids_with_the_same_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(_id_index, "_hashed", lambda values: np.full(len(values), 7, np.uint64))
    monkeypatch.setattr(_id_index, "word_of", lambda text: np.uint64(7))
    ids = ids_of(["a", "b", "c"])
    assert [ids.index(name) for name in "abc"] == [0, 1, 2]
    with pytest.raises(InvalidInputError, match="rows 2 and 4 of the table have both 'b'"):
        ids_of(["a", "b", "c", "b"])


def test_the_index_is_made_once_and_anew_if_damaged(tmp_path):
    said = []
    source = TableSource(pa.table({"id": np.arange(100_000)}), 999)
    RowIds(source, "id", lambda what, share: said.append(what))
    assert said and set(said) == {"indexing the ids in 'id'"}
    said.clear()
    assert RowIds(source, "id", lambda what, share: said.append(what)).index(77) == 77 and not said
    (words,) = (tmp_path / "cache" / "ids").glob("*/words.npy")
    words.write_bytes(words.read_bytes()[:100])
    assert RowIds(source, "id", lambda what, share: said.append(what)).index(77) == 77 and said


def test_many_ids_in_several_buckets_and_threads():
    rng = np.random.default_rng(0)
    numbers = rng.permutation(300_000) * 3
    ids = ids_of(pa.array(numbers).cast(pa.string()), 50_000)
    rows = rng.integers(0, len(numbers), 40).tolist()
    assert [ids.index(int(numbers[row])) for row in rows] == rows
    wrong = []

    def look():
        for row in rng.integers(0, len(numbers), 200).tolist():
            if ids[row] != str(numbers[row]):
                wrong.append(row)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


FILLED = """
import sys
import numpy as np
import pyarrow as pa
from activefs.exceptions import ActiveFSError
from activefs.streams import RowIds, TableSource

try:
    RowIds(TableSource(pa.table({"id": np.arange(400_000)}), 100_000), "id")
except ActiveFSError as error:
    sys.exit(str(error))
"""


def test_a_full_disk_is_told_and_does_not_end_the_process(tmp_path):
    with small_disk(tmp_path / "disk", megabytes=4) as disk:
        environment = {**os.environ, "ACTIVEFS_CACHE_DIR": str(disk)}
        done = subprocess.run([sys.executable, "-c", FILLED], env=environment, capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.startswith(f"The disk is full ({disk / 'ids'}): make room")
        assert not list((disk / "ids").iterdir())


def test_room_is_written_where_it_cannot_be_reserved(monkeypatch):
    monkeypatch.setattr(_id_index, "take_room", lambda file, size: False)
    assert ids_of(pa.array(["a", "b", "c", "d"])).index("d") == 3


def test_zeros_that_a_spreadsheet_took_away_or_put_before_texts():
    ids = ids_of(pa.array(["0007", "12", "x", "-03", "5", "05", "8.0", "0000"]))
    assert [ids.index(name) for name in ("7", 7, 7.0, "0012", "12.0", "-3", "5", "05", 8, "0")] == [
        0, 0, 0, 1, 1, 3, 4, 5, 6, 7,
    ]  # fmt: skip
    for name in ("005", "7.5", "x0", "1"):  # 005 may be either of two rows
        with pytest.raises(InvalidInputError, match="there is no row with the id"):
            ids.index(name)


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()])
def test_texts_in_views(kind):
    values = pa.array([b"a", b"b", b"c"]).cast(kind if kind == pa.binary_view() else pa.string()).cast(kind)
    ids = ids_of(values)
    assert [ids.index(ids[row]) for row in range(3)] == [0, 1, 2]
