import datetime
import hashlib
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from activefs import Pool, Session
from activefs.estimates._plug_in import Estimates
from activefs.exceptions import ActiveFSError, InvalidInputError

ROWS = [["a", 1, True, 0.5], ["b", 3, False, 0.5], ["a", 2, True, 1.5], ["a", 3, True, 1.5]]
NAMES = ["text", "number", "flag", "real"]
CODES = [[0, 1, 0, 0], [0, 2, 1, 2], [1, 0, 1, 1], [0, 0, 1, 1]]


def columns():
    return {name: [row[j] for row in ROWS] for j, name in enumerate(NAMES)}


MIXED_TABLES = {
    "list": ROWS,
    "tuple": tuple(map(tuple, ROWS)),
    "object array": np.array(ROWS, dtype=object),
    "structured array": np.array(list(map(tuple, ROWS)), dtype=list(zip(NAMES, ["U3", "i4", "?", "f8"], strict=True))),
    "pandas": pd.DataFrame(columns()),
    "pandas categories": pd.DataFrame(columns()).astype({"text": "category"}),
    "pandas nullable": pd.DataFrame(columns()).convert_dtypes(),
    "pandas objects": pd.DataFrame(columns()).astype(object),
    "polars": pl.DataFrame(columns()),
    "polars categories": pl.DataFrame(columns()).with_columns(pl.col("text").cast(pl.Categorical)),
    "arrow": pa.table(columns()),
    "arrow dictionary": pa.table(columns()).set_column(0, "text", pa.array(["a", "b", "a", "a"]).dictionary_encode()),
}  # fmt: skip


@pytest.mark.parametrize("kind", MIXED_TABLES)
def test_every_kind_of_table(kind):
    pool = Pool.from_table(MIXED_TABLES[kind])
    assert pool.codes.tolist() == CODES
    assert pool.codes.dtype == np.uint8
    named = kind not in ("list", "tuple", "object array")
    assert pool.names == (tuple(NAMES) if named else ("x0", "x1", "x2", "x3"))
    assert pool.offsets.tolist() == [0, 2, 5, 7, 9]
    assert pool.shares.tolist() == [3 / 4, 1 / 4, 1 / 4, 1 / 4, 1 / 2, 1 / 4, 3 / 4, 1 / 2, 1 / 2]
    assert pool.encodings[0].values == ("a", "b")
    assert [pool.encodings[1].label(v) for v in range(3)] == ["1", "2", "3"]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "f4", "f8", "f2", ">i4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_type_of_number(dtype, order):
    values = np.array([[0, 1], [1, 0], [1, 1], [0, 1]])
    pool = Pool.from_table(np.array(values, dtype=dtype, order=order))
    assert pool.codes.tolist() == values.T.tolist()


def test_extreme_integers():
    big, small = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    pool = Pool.from_table(np.array([[big], [small], [0], [big]]))
    assert pool.codes.tolist() == [[2, 0, 1, 2]]
    assert pool.encodings[0].values == (small, 0, big)
    pool = Pool.from_table(np.array([[2**64 - 1], [0], [5]], dtype=np.uint64))
    assert pool.encodings[0].values == (0, 5, 2**64 - 1)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_sparse_equals_dense(format, kind):
    rng = np.random.default_rng(0)
    dense = rng.integers(1, 4, size=(50, 12)) * (rng.random((50, 12)) < 0.2)
    build = sparse.coo_matrix if kind == "matrix" else sparse.coo_array
    one, two = Pool.from_table(dense), Pool.from_table(build(dense).asformat(format))
    np.testing.assert_array_equal(one.codes, two.codes)
    np.testing.assert_array_equal(one.shares, two.shares)
    assert one.fingerprint == two.fingerprint


def test_sparse_with_explicit_zeros_and_duplicate_entries():
    dense = np.array([[0, 3], [2, 0], [0, 0]])
    matrix = sparse.coo_array(([1, 1, 3, 0], ([1, 1, 0, 2], [0, 0, 1, 1])), shape=(3, 2))
    assert Pool.from_table(matrix).fingerprint == Pool.from_table(dense).fingerprint
    assert matrix.nnz == 4  # the caller's matrix is left as it was


def test_sparse_reals_are_binned_like_dense_ones():
    rng = np.random.default_rng(1)
    dense = rng.normal(size=(200, 3)) * (rng.random((200, 3)) < 0.5)
    np.testing.assert_array_equal(Pool.from_table(dense).codes, Pool.from_table(sparse.csr_array(dense)).codes)


# --- fingerprint ---


def test_fingerprint_is_that_of_the_content():
    values = np.random.default_rng(0).integers(0, 5, size=(40, 6))
    expected = Pool.from_table(values).fingerprint
    assert Pool.from_table(values.copy()).fingerprint == expected
    assert Pool.from_table(np.asfortranarray(values)).fingerprint == expected
    assert Pool.from_table(values.astype(np.int8)).fingerprint == expected
    assert Pool.from_table(values.tolist()).fingerprint == expected
    assert Pool.from_table(sparse.csr_array(values)).fingerprint == expected
    names = [f"x{j}" for j in range(6)]
    assert Pool.from_table(pd.DataFrame(values, columns=names)).fingerprint == expected
    assert Pool.from_table(pl.DataFrame(values, schema=names)).fingerprint == expected
    assert Pool.from_table(pa.table(dict(zip(names, values.T, strict=True)))).fingerprint == expected
    assert expected.startswith("2:") and len(expected) == 66 and int(expected[2:], 16) >= 0


def test_fingerprint_changes_with_one_cell_name_order_or_value():
    values = np.random.default_rng(0).integers(0, 5, size=(40, 6))
    seen = {Pool.from_table(values).fingerprint}
    for i, j in [(0, 0), (39, 5), (20, 3)]:
        other = values.copy()
        other[i, j] = (other[i, j] + 1) % 5
        seen.add(Pool.from_table(other).fingerprint)
    seen.add(Pool.from_table(values[::-1]).fingerprint)
    seen.add(Pool.from_table(values[:, ::-1]).fingerprint)
    seen.add(Pool.from_table(values + 1).fingerprint)  # same codes, other meaning
    seen.add(Pool.from_table(values, names=list("abcdef")).fingerprint)
    seen.add(Pool.from_table(np.insert(values, 0, 1, axis=1)).fingerprint)  # one constant column more
    assert len(seen) == 9


# --- bins, constant columns, missing values ---


def test_numbers_are_binned_and_few_values_are_kept():
    rng = np.random.default_rng(0)
    reals = np.column_stack([rng.normal(size=500), rng.integers(0, 10, 500) / 2, rng.integers(0, 40, 500)])
    frame = pd.DataFrame(reals, columns=["many", "few", "whole"]).astype({"whole": int})
    pool = Pool.from_table(frame)
    assert pool.cardinalities.tolist() == [10, 10, 10]
    # bins are ordered, and every one is used
    for v in range(9):
        assert reals[pool.codes[0] == v, 0].max() < reals[pool.codes[0] == v + 1, 0].min()
    assert Pool.from_table(frame, bins=4).cardinalities.tolist() == [4, 4, 4]
    assert Pool.from_table(frame, binning={"whole": "none"}).cardinalities.tolist() == [10, 10, 40]
    assert Pool.from_table(frame, binning="none").cardinalities.tolist() == [500, 10, 40]


def test_constant_columns_are_left_out():
    pool = Pool.from_table(np.array([[1, 5, 0], [1, 6, 0], [1, 5, 0]]))
    assert (pool.n_features, pool.n_columns, pool.columns.tolist(), pool.names) == (1, 3, [1], ("x1",))
    nothing = Pool.from_table(np.ones((4, 2)))
    assert nothing.n_features == 0 and nothing.n_rows == 4


HOLES = {
    "float array": np.array([[1.0, 0.0], [np.nan, 1.0], [2.0, 0.0]]),
    "object array": np.array([["a", 0], [None, 1], ["b", 0]], dtype=object),
    "object array with nan": np.array([["a", 0], [np.nan, 1], ["b", 0]], dtype=object),
    "pandas": pd.DataFrame({"x0": [1.0, None, 2.0], "x1": [0, 1, 0]}),
    "pandas text": pd.DataFrame({"x0": ["a", None, "b"], "x1": [0, 1, 0]}),
    "pandas nullable": pd.DataFrame({"x0": pd.array([1, pd.NA, 2], dtype="Int64"), "x1": [0, 1, 0]}),
    "pandas category": pd.DataFrame({"x0": pd.Categorical(["a", None, "b"]), "x1": [0, 1, 0]}),
    "pandas objects with NA": pd.DataFrame({"x0": pd.array(["a", pd.NA, "b"], dtype=object), "x1": [0, 1, 0]}),
    "polars": pl.DataFrame({"x0": ["a", None, "b"], "x1": [0, 1, 0]}),
    "polars nan": pl.DataFrame({"x0": [1.0, float("nan"), 2.0], "x1": [0, 1, 0]}),
    "arrow": pa.table({"x0": [1, None, 2], "x1": [0, 1, 0]}),
    "sparse": sparse.csr_array(np.array([[1.0, 0.0], [np.nan, 1.0], [2.0, 0.0]])),
}


@pytest.mark.parametrize("kind", HOLES)
def test_missing_values(kind):
    with pytest.raises(InvalidInputError, match=r"missing.*'x0'") as error:
        Pool.from_table(HOLES[kind])
    assert "'x1'" not in str(error.value) and "missing='value'" in str(error.value)
    pool = Pool.from_table(HOLES[kind], missing="value")
    assert pool.codes.tolist() == [[0, 2, 1], [0, 1, 0]]
    assert pool.encodings[0].label(2) == "missing"


def test_error_names_all_columns_that_cannot_be_used():
    frame = pd.DataFrame(
        {
            "a": [1.0, None],
            "b": [1, "x"],
            "c": [np.inf, 0.0],
            "d": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
        }
    )
    with pytest.raises(InvalidInputError) as error:
        Pool.from_table(frame)
    for name in "abcd":
        assert f"'{name}'" in str(error.value)


# --- bad tables ---

BAD = {
    "ragged": ([[1, 2], [3]], "ragged|length"),
    "ragged objects": (np.array([[1, 2], [3]], dtype=object), "2D|ragged"),
    "no rows": (np.empty((0, 3)), "0 sample"),
    "no columns": (np.empty((3, 0)), "0 feature"),
    "empty list": ([], "2D|empty"),
    "1-d": (np.arange(5), "2D"),
    "3-d": (np.zeros((2, 2, 2)), "2D"),
    "complex": (np.array([[1j], [2]]), "[Cc]omplex"),
    "number": (5, "2D"),
    "a file that is not there": ("table.csv", "there is no file table.csv"),
    "text": ("table", "there is no file or folder table"),
    "none": (None, "2D"),
    "infinite": (np.array([[1.0], [np.inf]]), "inf"),
    "mixed types": (np.array([[1], ["a"], [2]], dtype=object), "mixed"),
    "bool and number": (np.array([[True], [2], [3]], dtype=object), "mixed"),
    "lists in cells": (pd.DataFrame({"a": [[1], [2]]}), "'a'"),
    "dates": (pd.DataFrame({"when": pd.date_range("2020", periods=3)}), "'when'"),
    "durations": (pd.DataFrame({"for": pd.to_timedelta([1, 2, 3], "D")}), "'for'"),
    "dates in polars": (pl.DataFrame({"when": [datetime.date(2020, 1, d) for d in (1, 2)]}), "'when'"),
    "duplicate names in pandas": (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "duplicate.*'a'"),
    "duplicate names in arrow": (pa.table([[1, 2], [3, 4]], names=["a", "a"]), "duplicate.*'a'"),
    "names that print alike": (pd.DataFrame([[1, 2], [3, 4]], columns=[1, "1"]), "duplicate.*'1'"),
    "empty frame": (pd.DataFrame(), "0 "),
    "frame without rows": (pd.DataFrame({"a": []}), "0 sample|empty"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_table(kind):
    table, match = BAD[kind]
    with pytest.raises(InvalidInputError, match=match) as error:
        Pool.from_table(table)
    assert isinstance(error.value, ActiveFSError) and isinstance(error.value, ValueError)
    with pytest.raises(InvalidInputError):
        Session(table, 1)


@pytest.mark.parametrize("kind", ["int64", "int32", "str"])
def test_number_of_values_is_limited(kind):
    """65,535 values are welcome in a feature, one more is an error that names the column."""
    values = np.random.default_rng(0).permutation(np.concatenate([np.arange(65_535), np.arange(65_535)]))
    pool = Pool.from_table(pd.DataFrame({"good": values % 2, "wide": values.astype(kind)}), categorical=["wide"])
    assert pool.cardinalities.tolist() == [2, 65_535]
    assert pool.codes.dtype == np.uint16
    assert int(pool.codes[1].max()) == 65_534
    values[np.flatnonzero(values == 7)[0]] = 65_535
    with pytest.raises(InvalidInputError, match=r"65,535.*'wide'"):
        Pool.from_table(pd.DataFrame({"good": values % 2, "wide": values.astype(kind)}), categorical=["wide"])


def test_row_ids_and_names():
    pool = Pool.from_table([[1, 2], [3, 4]], names=["a", "b"], row_ids=["first", "second"])
    assert pool.names == ("a", "b") and pool.row_ids == ("first", "second")
    for bad in (["one"], ["same", "same"]):
        with pytest.raises(InvalidInputError, match="row ids"):
            Pool.from_table([[1, 2], [3, 4]], row_ids=bad)
    with pytest.raises(InvalidInputError, match="3 feature names for 2"):
        Pool.from_table([[1, 2], [3, 4]], names=["a", "b", "c"])
    with pytest.raises(InvalidInputError, match="duplicate"):
        Pool.from_table([[1, 2], [3, 4]], names=["a", "a"])


def test_a_pool_is_taken_as_it_is():
    pool = Pool.from_table([[1, 2], [3, 4]])
    assert Pool.from_table(pool) is pool
    assert Session(pool, 1).pool is pool


# --- size ---


def peak_above(work):
    """Bytes at the peak of some work beyond those before it, and its result."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = work()
        return tracemalloc.get_traced_memory()[1] - before, result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_encoding_takes_at_most_three_bytes_a_cell(dtype, order):
    table = np.random.default_rng(0).integers(0, 10, size=(200_000, 50), dtype=np.int8).astype(dtype, order=order)
    used, pool = peak_above(lambda: Pool.from_table(table))
    assert pool.codes.nbytes == table.size
    assert used <= 3 * table.size


def test_asking_takes_at_most_three_bytes_a_cell():
    table = np.random.default_rng(0).integers(0, 10, size=(200_000, 50), dtype=np.int8)
    Session(table[:100], 5, strategy="afs", random_state=0).ask()  # compiled code is not counted

    def work():
        session = Session(table, 5, strategy="afs", random_state=0)
        for label in (0, 1, 1):
            session.tell(session.ask(), label)
        return session

    used, _ = peak_above(work)
    assert used <= 3 * table.size


def test_one_feature_with_thousands_of_values_costs_its_own_values_only():
    """200 features, one of 5,000 values: nothing may be 200 x 5,000."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, size=(12_000, 200))
    table[:, 17] = rng.permutation(12_000) % 5_000
    cells = 199 * 3 + 5_000
    pool = Pool.from_table(table, binning="none")
    assert pool.shares.size == cells == pool.offsets[-1]
    assert pool.codes.nbytes == 2 * table.size
    estimates = Estimates(pool)
    assert estimates.counts.shape == (cells, 2)

    def work():
        session = Session(pool, 20, strategy="afs", random_state=0)
        for _ in range(3):
            row = session.ask()
            session.tell(row, int(table[row, 0] > 0))
        return session

    Session(pool, 20, strategy="afs", random_state=0).ask()
    used, session = peak_above(work)
    assert session.estimates.counts.shape == (cells, 2)
    # 40 contested features have 780 pairs; tables of 5,000 x 5,000 or 200 x 5,000 x 3 each would be far beyond
    assert used < 25_000_000


def test_a_feature_with_many_values_among_the_contested():
    """The pairs of a feature of 5,000 values with another of 3,000, both contested."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, size=(6_000, 6))
    table[:, 0], table[:, 1] = rng.permutation(6_000) % 5_000, rng.permutation(6_000) % 3_000
    for psi in ("l1", "l2", "linf"):
        session = Session(table, 3, strategy="afs", strategy_params={"psi": psi}, random_state=0, binning="none")
        used, rows = peak_above(lambda s=session: s.ask(2))
        assert len(set(rows.tolist())) == 2
        assert used < 25_000_000


# --- fingerprints of earlier releases ---


def fingerprint_of_0_1(pool):
    digest = hashlib.sha256()
    head = (pool.n_rows, pool.n_columns, pool.names, pool.columns.tolist(), pool.encodings, pool.row_ids)
    digest.update(repr(head).encode())
    for row in pool.codes:
        digest.update(row.astype("<u2").tobytes())
    return digest.hexdigest()


def test_a_pool_knows_its_fingerprint_of_an_earlier_release():
    values = np.random.default_rng(0).integers(0, 5, size=(40, 6))
    pool, other = Pool.from_table(values, row_ids=range(40)), Pool.from_table(values[::-1], row_ids=range(40))
    assert pool.has_fingerprint(pool.fingerprint) and pool.has_fingerprint(fingerprint_of_0_1(pool))
    assert not pool.has_fingerprint(other.fingerprint) and not pool.has_fingerprint(fingerprint_of_0_1(other))
