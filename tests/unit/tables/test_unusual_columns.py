"""Columns of unusual kinds are used as what they are, or refused by name."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from activefs import ActiveFeatureSelector, Pool
from activefs.codec import is_missing
from activefs.exceptions import InvalidInputError, LeftOutWarning
from activefs.tables import read_table

CYCLE = np.arange(12) % 4
PRICES = [Decimal("1.50") * int(i) for i in CYCLE]
ABOVE = [2**63 - 1, 2**63, 2**64 - 1, 1] * 3  # beyond int64, within uint64
BATCH = pa.record_batch({"a": CYCLE, "b": CYCLE % 2})


def only(X, **options):
    """Codes and encoding of the one column of a table."""
    pool = Pool.from_table(X, **options)
    assert pool.n_features == 1
    return pool.codes[0].tolist(), pool.encodings[0]


# --- masked arrays ---


def test_what_is_masked_is_missing():
    masked = np.ma.array(np.stack([CYCLE, CYCLE], axis=1), mask=np.stack([CYCLE == 1, CYCLE == 9], axis=1))
    with pytest.raises(InvalidInputError, match=r"column 'x0' \(3 missing\)"):
        Pool.from_table(masked)
    pool = Pool.from_table(masked, missing="value")
    assert pool.codes[0].tolist() == [0, 3, 1, 2] * 3
    assert [pool.encodings[0].label(v) for v in range(4)] == ["0", "2", "3", "missing"]
    assert pool.encodings[1].values == (0, 1, 2, 3)


def test_it_does_not_matter_what_is_under_the_mask():
    first, second = (
        np.ma.array([[1.0, nothing], [2.0, 3.0], [1.0, 4.0]], mask=[[False, True], [False] * 2, [False] * 2])
        for nothing in (7, np.inf)
    )
    pools = [Pool.from_table(X, missing="value") for X in (first, second)]
    assert pools[0].fingerprint == pools[1].fingerprint
    for one, other in zip(read_table(first).columns(), read_table(second).columns(), strict=True):
        assert one.values.tolist() == other.values.tolist()


@pytest.mark.parametrize("count", [1, 7, 40])
def test_every_column_of_a_masked_array_has_its_own_mask(count):
    rng = np.random.default_rng(count)
    mask = rng.random((60, count)) < 0.2
    values = rng.integers(0, 3, (60, count))
    pool = Pool.from_table(np.ma.array(values, mask=mask), missing="value")
    frame = pd.DataFrame(values, columns=pool.names).astype("Int64").mask(mask)
    assert pool.fingerprint == Pool.from_table(frame, missing="value").fingerprint


def test_masked_structured_arrays_rows_and_single_values():
    kind = [("a", "i4"), ("b", "f4")]
    table: np.ma.MaskedArray[Any, Any] = np.ma.array(
        [(1, 2.0), (2, 3.0)] * 3, mask=[(True, False)] + [(False, False)] * 5, dtype=kind
    )
    pool = Pool.from_table(table, missing="value")
    assert pool.codes.tolist() == [[2, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1]]
    rows = [np.ma.array([1, 5], mask=[False, i == 0]) + i % 2 for i in range(4)]
    assert Pool.from_table(rows, missing="value").codes.tolist() == [[0, 1, 0, 1], [2, 1, 0, 1]]
    assert is_missing(np.ma.masked)


def test_the_selector_honours_masks():
    X = np.random.default_rng(0).integers(0, 4, (40, 3))
    masked = np.ma.array(X, mask=X == 3)
    with pytest.raises(InvalidInputError, match=r"'x0'.*missing"):
        ActiveFeatureSelector(k=1, budget=20).fit(masked, X[:, 0] > 1)
    selector = ActiveFeatureSelector(k=1, budget=40, missing="value", random_state=0).fit(masked, X[:, 0] > 1)
    assert selector.selection_.values == (("0", "1", "2", "missing"),)
    assert selector.n_features_in_ == 3


# --- exact numbers ---


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": PRICES}),
        pd.DataFrame({"a": pd.Series(PRICES, dtype=pd.ArrowDtype(pa.decimal128(5, 2)))}),
        pa.table({"a": pa.array(PRICES, pa.decimal128(5, 2))}),
        pa.table({"a": pa.array(PRICES, pa.decimal256(50, 2))}),
        pl.DataFrame({"a": PRICES}),
        pd.DataFrame({"a": [Fraction(3 * int(i), 2) for i in CYCLE]}),
        [[price] for price in PRICES],
    ],
    ids=["objects", "pandas of Arrow", "decimal128", "decimal256", "polars", "fractions", "rows"],
)
def test_decimals_and_fractions_are_numbers(table):
    codes, encoding = only(table)
    assert codes == CYCLE.tolist()
    assert encoding.values == (0.0, 1.5, 3.0, 4.5)


def test_decimals_are_binned_as_the_same_floats_are():
    numbers = np.round(np.random.default_rng(0).normal(size=150), 3)
    exact = pa.table({"a": pa.array([Decimal(repr(v)) for v in numbers.tolist()], pa.decimal128(10, 3))})
    assert Pool.from_table(exact).fingerprint == Pool.from_table(pa.table({"a": numbers})).fingerprint


def test_whole_decimals_are_whole_numbers():
    assert only(pa.table({"a": pa.array(list(map(Decimal, CYCLE.tolist())), pa.decimal128(9, 0))}))[1].values == (
        0, 1, 2, 3,
    )  # fmt: skip


@pytest.mark.parametrize("digits", [0, 2])
def test_whole_decimals_are_binned_and_left_out_as_integers_are(digits):
    amounts = np.random.default_rng(1).integers(0, 900, 1000)
    columns = {"amount": amounts, "number": np.arange(1000)}
    as_decimals = pa.table(
        {n: pa.array([Decimal(int(v)) for v in c], pa.decimal128(9, digits)) for n, c in columns.items()}
    )
    with pytest.warns(LeftOutWarning, match=r"^left out: number \("):
        pool, integers = Pool.from_table(as_decimals), Pool.from_table(pd.DataFrame(columns))
    assert pool.fingerprint == integers.fingerprint
    assert pool.cardinalities.tolist() == [10]


def test_decimals_that_are_no_numbers_are_missing_or_refused():
    rows = [[None], [Decimal("NaN")], [Decimal("sNaN")], [Decimal("1.5")], [Decimal(2)]]
    assert only(rows, missing="value")[0] == [2, 2, 2, 0, 1]
    assert only(pd.DataFrame(rows), missing="value")[0] == [2, 2, 2, 0, 1]
    with pytest.raises(InvalidInputError, match=r"missing values .*'a' \(1 missing\)"):
        Pool.from_table(pd.DataFrame({"a": [Decimal("sNaN"), Decimal("1.5")]}))
    with pytest.raises(InvalidInputError, match=r"infinite.*'a'"):
        Pool.from_table(pd.DataFrame({"a": [Decimal("Infinity"), Decimal("1.5")]}))
    with pytest.raises(InvalidInputError, match=r"'a' \(whole numbers beyond 64 bits\)"):
        Pool.from_table(pd.DataFrame({"a": [Decimal("1e400"), Decimal(1)]}))
    with pytest.raises(InvalidInputError, match=r"'a' \(numbers beyond 64 bits\)"):
        Pool.from_table(pd.DataFrame({"a": [Fraction(10**400), Fraction(1, 3)]}))


# --- large whole numbers ---


@pytest.mark.parametrize(
    "table",
    [
        np.array([ABOVE], dtype=np.uint64).T,
        pa.table({"a": pa.array(ABOVE, pa.uint64())}),
        pl.DataFrame({"a": pl.Series(ABOVE, dtype=pl.UInt64)}),
        pd.DataFrame({"a": np.array(ABOVE, dtype=np.uint64)}),
        pd.DataFrame({"a": pd.Series(ABOVE, dtype=object)}),
        [[value] for value in ABOVE],
    ],
    ids=["numpy", "Arrow", "polars", "pandas", "objects", "rows"],
)
def test_unsigned_numbers_beyond_int64_keep_their_order(table):
    codes, encoding = only(table)
    assert encoding.values == (1, 2**63 - 1, 2**63, 2**64 - 1)
    assert codes == [1, 2, 3, 0] * 3


def test_unsigned_numbers_with_holes():
    table = pa.table({"a": pa.array([None, *ABOVE[1:]], pa.uint64())})
    assert only(table, missing="value")[1].values == (1, 2**63 - 1, 2**63, 2**64 - 1)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=2, max_size=40), st.integers(0, 2**64 - 1))
def test_codes_of_unsigned_numbers_are_their_ranks(numbers, near):
    for column in (numbers, [min(near + n % 50, 2**64 - 1) for n in numbers]):
        ranks = sorted(set(column))
        if len(ranks) > 1:
            codes, encoding = only(np.array([column], dtype=np.uint64).T, binning="none")
            assert encoding.values == tuple(ranks)
            assert codes == [ranks.index(n) for n in column]


@pytest.mark.parametrize("dtype", [np.uint64, np.int64])
def test_neighbours_beyond_the_floats_are_binned_apart(dtype):
    start = 2**63 + 2**62 if dtype is np.uint64 else -(2**63)
    near = np.array([[start + i] for i in range(60)], dtype=dtype)
    small = np.arange(60)[:, None]
    codes, encoding = only(near, binning={"x0": "uniform"}, bins={"x0": 6})
    assert codes == only(small, binning={"x0": "uniform"}, bins={"x0": 6})[0]
    assert encoding.ranges[0] == (start, start + 9)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"x0": pd.Series([2**70, 1] * 6, dtype=object)}),
        pl.DataFrame({"x0": pl.Series([2**70, 1] * 6, dtype=pl.Int128)}),
        [[2**70], [1]] * 6,
        [[-1], [2**63]] * 6,
    ],
    ids=["objects", "polars", "rows", "no type for both"],
)
def test_whole_numbers_beyond_64_bits_are_refused_by_name(table):
    with pytest.raises(InvalidInputError, match=r"'x0' \(whole numbers beyond 64 bits\)"):
        Pool.from_table(table)


def test_wide_types_that_hold_small_numbers_are_fine():
    assert only(pl.DataFrame({"a": pl.Series(CYCLE.tolist(), dtype=pl.Int128)}))[1].values == (0, 1, 2, 3)


# --- floats of other widths ---


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
def test_floats_of_every_width_are_plain_floats(dtype):
    numbers = np.arange(24).astype(dtype)[:, None] / dtype(4)
    pool = Pool.from_table(numbers)
    assert pool.fingerprint == Pool.from_table(numbers.astype(np.float64)).fingerprint
    assert all(type(end) is float for pair in pool.encodings[0].ranges for end in pair)


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp <= 1024, reason="no floats that are wider than 64 bits here")
def test_what_no_float_can_hold_is_infinite():
    with pytest.raises(InvalidInputError, match=r"infinite.*'x0'"):
        Pool.from_table(np.arange(12)[:, None] * np.longdouble("1e4000"))


# --- categories, batches ---


DAYS = [datetime.date(2024, 2, 1), datetime.date(2024, 1, 1), datetime.date(2024, 3, 1)]


@pytest.mark.parametrize(
    "categories",
    [[2, 9, 10, 100], [100, 9, 10, 2], [0.5, 1.0, 10.0], [1e20, 3.0, 1e-7], ["low", "high"], [True, False], DAYS],
    ids=["numbers", "numbers in another order", "reals", "wide reals", "text", "booleans", "dates"],
)
def test_ordered_categories_keep_the_order_of_their_categories(categories):
    place = [*range(len(categories))[::-1], 0] * 3
    frame = pd.DataFrame({"a": pd.Categorical([categories[i] for i in place], categories, ordered=True)})
    table = pa.table({"a": pa.DictionaryArray.from_arrays(place, pa.array(categories), ordered=True)})
    for given_table in (frame, table):
        codes, encoding = only(given_table)
        assert codes == place and encoding.ordered
    frame.loc[0, "a"] = None
    codes, encoding = only(frame, missing="value")
    assert codes == [len(categories), *place[1:]] and encoding.ordered


def test_narrow_floats_and_timestamps_as_ordered_categories():
    floats, days = np.array([0.3, 0.1], dtype=np.float32), pd.to_datetime(["2024-02-01", "2024-01-01"])
    every: tuple[Any, ...] = (floats, days)
    for categories in every:
        codes, encoding = only(pd.DataFrame({"a": pd.Categorical.from_codes([1, 0, 0], categories, ordered=True)}))
        assert codes == [1, 0, 0] and encoding.ordered


def test_numbers_that_are_categories_without_an_order_are_names():
    assert only(pd.DataFrame({"a": pd.Categorical([10, 9, 2, 100] * 3)}))[1].values == ("10", "100", "2", "9")


def test_dictionaries_of_arrow_are_categories():
    assert (
        only(pa.table({"a": pa.array(["x", None, "z"] * 4).dictionary_encode()}), missing="value")[0] == [0, 2, 1] * 4
    )


def test_record_batches_are_tables():
    whole = pa.table({"a": np.tile(CYCLE, 2), "b": np.tile(CYCLE % 2, 2)})
    assert Pool.from_table([BATCH, BATCH]).fingerprint == Pool.from_table(whole).fingerprint
    assert Pool.from_table(BATCH).names == ("a", "b")
    fitted = ActiveFeatureSelector(k=1, budget=5, random_state=0).fit([BATCH, BATCH], np.tile(CYCLE > 1, 2))
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(InvalidInputError, match="the record batches are no table"):
        Pool.from_table([BATCH, pa.record_batch({"c": CYCLE})])
    once = pa.RecordBatchReader.from_batches(BATCH.schema, [BATCH])
    assert Pool.from_table(once).fingerprint == Pool.from_table(BATCH).fingerprint


# --- refused by name ---

REFUSED = {
    "periods": (pd.DataFrame({"a": pd.period_range("2020-01", periods=12, freq="M")}), "Period.*turn dates"),
    "intervals": (pd.DataFrame({"a": pd.arrays.IntervalArray.from_breaks(range(13))}), "Interval"),
    "timedeltas": (pd.DataFrame({"a": pd.to_timedelta(CYCLE, unit="D")}), "durations.*turn dates"),
    "timedelta objects": (
        pd.DataFrame({"a": pd.Series([pd.Timedelta(1, "D")] * 12, dtype=object)}),
        "Timedelta.*turn dates",
    ),
    "timestamps": (pa.table({"a": CYCLE.astype("M8[s]")}), "dates or durations"),
    "times": (pa.table({"a": [datetime.time(1, 2)] * 12}), "time.*turn dates"),
    "calendar spans": (pa.table({"a": pa.array([pa.MonthDayNano([1, 2, 3])] * 12)}), "turn dates"),
    "complex": (pd.DataFrame({"a": CYCLE * 1j}), "complex"),
    "complex objects": (pd.DataFrame({"a": pd.Series([1j] * 12, dtype=object)}), "complex"),
    "complex in a structure": (np.zeros(12, dtype=[("a", "c16"), ("b", "i4")]), "complex"),
    "bytes of numpy": (np.array([(b"x", 1), (b"y", 2)] * 6, dtype=[("a", "S1"), ("b", "i4")]), "bytes"),
    "bytes": (pa.table({"a": [b"x", b"y"] * 6}), "bytes"),
    "lists": (pa.table({"a": [[1], [2, 3]] * 6}), "unsupported"),
    "lists with holes": (pa.table({"a": [[1], None, [2, 3]] * 4}), "unsupported"),
    "structures": (pa.table({"a": [{"x": 1}, {"x": 2}] * 6}), "dict"),
    "polars lists": (pl.DataFrame({"a": [[1], [2, 3]] * 6}), "unsupported"),
    "polars arrays": (pl.DataFrame({"a": pl.Series([[1, 2], [2, 3]] * 6, dtype=pl.Array(pl.Int64, 2))}), "list"),
    "polars structures": (pl.DataFrame({"a": [{"x": 1}, {"x": 2}] * 6}), "dict"),
    "polars objects": (pl.DataFrame({"a": pl.Series([object()] * 12, dtype=pl.Object)}), "object"),
    "arrays in cells": (pd.DataFrame({"a": [np.array([1, 2]), np.array([1, 3])] * 6}), "ndarray"),
    "fields of several values": (np.zeros(12, dtype=[("a", "f8", (2,)), ("b", "i4")]), "in every row"),
    "nothing at all": (pa.table({"a": pa.nulls(12), "b": CYCLE}), "12 missing"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_a_feature_is_refused_by_name(kind):
    table, said = REFUSED[kind]
    with pytest.raises(InvalidInputError, match=rf"'a'.*{said}|{said}.*'a'"):
        Pool.from_table(table)


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "Float64", "boolean", "string"])
def test_nullable_columns_of_pandas(dtype):
    kinds: dict[str, Callable[[Any], Any]] = {"boolean": lambda i: bool(i % 2), "string": str}
    kept = kinds.get(dtype, int)
    full = pd.DataFrame({"a": pd.array([kept(i) for i in CYCLE], dtype=dtype)})
    distinct = sorted({kept(i) for i in CYCLE})
    assert only(full)[1].values == tuple(distinct)
    some: list[Any] = [None if i == 1 else kept(i) for i in CYCLE]
    holes = pd.DataFrame({"a": pd.array(some, dtype=dtype)})
    codes, encoding = only(holes, missing="value")
    assert encoding.label(codes[1]) == "missing"


def test_a_dictionary_of_arrow_with_a_null_among_its_values():
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2] * 4), pa.array(["a", None, "b"]))
    with pytest.raises(InvalidInputError, match=r"column 'a' \(4 missing\)"):
        Pool.from_table(pa.table({"a": values}))
    codes, encoding = only(pa.table({"a": values}), missing="value")
    assert codes == [0, 2, 1] * 4 and encoding.values == ("a", "b") and encoding.missing


def test_a_sparse_vector_and_a_list_of_dicts_are_no_tables():
    with pytest.raises(InvalidInputError, match=r"two dimensions, got shape \(12,\)"):
        Pool.from_table(scipy.sparse.coo_array(CYCLE))
    with pytest.raises(InvalidInputError, match=r"list of dicts is no table.*pandas\.DataFrame"):
        Pool.from_table([{"a": 1, "b": 2}] * 12)


def test_labels_that_are_no_sequence():
    X = np.stack([CYCLE, CYCLE % 2], axis=1)
    selector = ActiveFeatureSelector(k=1, budget=6, random_state=0)
    for y in (scipy.sparse.csr_array(CYCLE[:, None]), scipy.sparse.coo_array(CYCLE)):
        with pytest.raises(InvalidInputError, match="y is sparse"):
            selector.fit(X, y)
    with pytest.raises(InvalidInputError, match="1d array"):
        selector.fit(X, np.array(3))
    by_matrix = selector.fit(X, np.asmatrix(CYCLE).T).selection_
    assert by_matrix == selector.fit(X, CYCLE).selection_
