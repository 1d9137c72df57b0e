"""Tables as people have them: mixed columns, names that come back, columns that cannot be features."""

import datetime
import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from activefs import ActiveFeatureSelector, Pool, Session
from activefs.exceptions import InvalidInputError
from activefs.model._design import is_ordered
from activefs.study import StudySettings
from activefs.study._table import StudyTable
from activefs.tables import Dialect

RNG = np.random.default_rng(0)
ROWS = 200
COLUMNS = {
    "colour": RNG.choice(["red", "green", "blue"], ROWS),
    "smoker": RNG.random(ROWS) < 0.3,
    "children": RNG.integers(0, 4, ROWS),
    "age": RNG.integers(18, 91, ROWS),
    "weight": RNG.normal(75, 12, ROWS),
}


def as_structured():
    names = list(COLUMNS)
    kinds = ["U5", "?", "i4", "i8", "f8"]
    table = np.empty(ROWS, dtype=list(zip(names, kinds, strict=True)))
    for name in names:
        table[name] = COLUMNS[name]
    return table


TABLES = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas categories": lambda: pd.DataFrame(COLUMNS).astype({"colour": "category"}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars categories": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("colour").cast(pl.Categorical)),
    "arrow": lambda: pa.table(COLUMNS),
    "structured": as_structured,
}


@pytest.mark.parametrize("kind", TABLES)
def test_mixed_tables_of_every_kind_are_the_same_pool(kind):
    pool = Pool.from_table(TABLES[kind]())
    reference = Pool.from_table(pd.DataFrame(COLUMNS))
    assert pool.fingerprint == reference.fingerprint
    assert pool.names == tuple(COLUMNS)
    assert pool.cardinalities.tolist() == [3, 2, 4, 10, 10]


def test_bins_by_column_bin_integers_too_and_come_back_readable():
    frame = pd.DataFrame(COLUMNS)
    pool = Pool.from_table(frame, bins={"age": 4}, binning={"weight": "quantile"})
    age = pool.encodings[3]
    labels = [age.label(v) for v in range(age.n_values)]
    assert len(labels) == 4
    low, high = labels[1].split("-")
    inside = (COLUMNS["age"] >= int(low)) & (COLUMNS["age"] <= int(high))
    assert np.array_equal(pool.codes[3] == 1, inside)
    counts = np.bincount(pool.codes[4])
    assert len(counts) == 10
    assert counts.max() - counts.min() <= 2


def test_binning_none_keeps_reals_as_they_are():
    rng = np.random.default_rng(1)
    values = np.round(rng.random(300), 1) + 0.0
    values = np.where(rng.random(300) < 0.5, values, values + 3)
    pool = Pool.from_table(pd.DataFrame({"x": values}), binning={"x": "none"})
    assert pool.cardinalities[0] == len(np.unique(values))


@pytest.mark.parametrize("binning", ["kmeans", "quantile", "uniform"])
def test_binning_of_all_reals(binning):
    pool = Pool.from_table(np.random.default_rng(2).normal(size=(300, 2)), binning=binning, bins=5)
    assert pool.cardinalities.tolist() == [5, 5]
    assert all(len(e.edges) == 4 for e in pool.encodings)


def test_values_come_back_in_the_selection():
    frame = pd.DataFrame(COLUMNS)
    session = Session(frame, k=5, random_state=0, bins={"age": 3})
    session.tell(np.arange(ROWS), COLUMNS["smoker"])
    selection = session.selection()
    by_name = dict(zip(selection.names, selection.values, strict=True))
    assert by_name["smoker"] == ("False", "True")
    assert by_name["colour"] == ("blue", "green", "red")
    assert all("-" in label for label in by_name["age"])
    assert all(" to " in label for label in by_name["weight"])
    assert selection.names[0] == "smoker"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_missing_values_are_an_error_that_names_columns_or_a_value(make):
    columns = {
        "a": [1, None, 2, 1] * 10,
        "b": ["x", "y", None, "x"] * 10,
        "c": [0.5, 1.5, 2.5, 0.5] * 10,
        "d": [True, None, False, True] * 10,
    }
    with pytest.raises(InvalidInputError, match=r"'a' \(10 missing\), 'b' \(10 missing\), 'd'.*missing='value'"):
        Pool.from_table(make(columns))
    pool = Pool.from_table(make(columns), missing="value")
    assert pool.cardinalities.tolist() == [3, 3, 3, 3]
    assert [e.label(e.n_values - 1) for e in pool.encodings] == ["missing", "missing", "2.5", "missing"]


def test_columns_that_cannot_be_features_are_named_with_what_to_do():
    frame = pd.DataFrame(
        {
            "born": pd.Timestamp("2000-01-01") + pd.to_timedelta(np.arange(ROWS), unit="D"),
            "day": [datetime.date(2020, 1, 1)] * ROWS,
            "x": COLUMNS["children"],
        }
    )
    with pytest.raises(InvalidInputError) as caught:
        Pool.from_table(frame)
    message = str(caught.value)
    assert "'born'" in message and "'day'" in message and "'x'" not in message and "ignore=" in message
    pool = Pool.from_table(frame, ignore=["born", 1])
    assert pool.names == ("x",) and pool.columns.tolist() == [2] and pool.left_out == ()


def test_columns_by_position_as_by_name():
    frame = pd.DataFrame(COLUMNS)
    named = Pool.from_table(frame, bins={"age": 4}, binning={"weight": "uniform"})
    positions: dict[str, Any] = {"bins": {3: 4}, "binning": {np.int64(-1): "uniform"}}
    assert Pool.from_table(frame, **positions).fingerprint == named.fingerprint
    settings = StudySettings.checked({"k": 2, "bins": {3: 4, "weight": 5}, "binning": {-1: "uniform"}})
    kept = StudySettings.from_json(json.loads(json.dumps(settings.to_json())))
    assert kept == settings, "positions stay numbers"
    numbers = pd.DataFrame({1: COLUMNS["age"], 2: COLUMNS["weight"]})
    positions = {"bins": {1: 4}}
    with pytest.raises(InvalidInputError, match="bins names column 1, which is '2' by position, while another is call"):
        Pool.from_table(numbers, **positions)
    assert Pool.from_table(numbers, bins={"1": 4}).cardinalities.tolist() == [4, 10]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 1}, "bins must be a whole number from 2"),
        ({"bins": {"weight": 0}}, "bins of column .weight. must be a whole number from 2"),
        ({"bins": 2.5}, "bins must be a whole number from 2"),
        ({"bins": {"wait": 3}}, "does not have: 'wait'"),
        ({"binning": "kmean"}, "binning must be .kmeans., .quantile., .uniform. or .none."),
        ({"binning": {"age": "deciles"}}, "binning of column .age. must be"),
        ({"bins": {5: 3}}, "bins names column 5, but the table has 5 columns"),
        ({"bins": {True: 3}}, "bins names columns by name or position, got True"),
        ({"bins": {3: 3, "age": 4}}, "bins names column 'age' twice: say it once"),
        ({"categorical": ["age"], "bins": {-2: 3}}, "asks for bins of 'age': say one of the two"),
        ({"ignore": ["ages"]}, "does not have: 'ages'"),
        ({"ignore": [9]}, "ignore names column 9, but the table has 5 columns"),
        ({"categorical": ["zip"]}, "categorical names a column that the table does not have: 'zip'"),
        ({"categorical": [-6]}, "categorical names column -6, but the table has 5 columns"),
        ({"categorical": ["age"], "bins": {"age": 3}}, "asks for bins of 'age': say one of the two"),
        ({"categorical": [3], "binning": {"age": "uniform"}}, "asks for bins of 'age': say one of the two"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InvalidInputError, match=message):
        Session(pd.DataFrame(COLUMNS), k=2, **options)


def test_all_rows_identical_or_all_columns_constant():
    with pytest.raises(InvalidInputError, match="constant"):
        Session(np.ones((30, 4), dtype=int), k=2)
    with pytest.raises(InvalidInputError, match="no column varies"):
        ActiveFeatureSelector(k=2).fit(np.ones((30, 4)), np.arange(30) % 2)


def test_sparse_and_dense_give_the_same_pool():
    rng = np.random.default_rng(3)
    dense = rng.integers(0, 12, size=(100, 6)) * (rng.random((100, 6)) < 0.2)
    for matrix in (scipy.sparse.csr_matrix(dense), scipy.sparse.coo_array(dense), scipy.sparse.csc_array(dense)):
        assert Pool.from_table(matrix).fingerprint == Pool.from_table(dense).fingerprint


# --- numbers, and numbers that are names ---


def test_whole_numbers_are_read_alike_however_they_are_stored():
    ages = COLUMNS["age"]
    as_integers = Pool.from_table(pd.DataFrame({"age": ages, "children": COLUMNS["children"]}))
    as_floats = Pool.from_table(pd.DataFrame({"age": ages.astype(float), "children": COLUMNS["children"] * 1.0}))
    assert as_integers.fingerprint == as_floats.fingerprint
    assert as_integers.cardinalities.tolist() == [10, 4]
    assert as_floats.encodings[0].label(0).startswith("18-") and as_floats.encodings[1].label(1) == "1"


def test_ten_values_are_kept_and_eleven_are_binned():
    for values, cells in ((10, 10), (11, 10)):
        numbers = np.arange(400) % values
        pool = Pool.from_table(pd.DataFrame({"n": numbers}))
        assert pool.cardinalities.tolist() == [cells] and bool(pool.encodings[0].edges) == (values > 10)
    assert Pool.from_table(pd.DataFrame({"n": numbers}), bins=11).encodings[0].edges == ()


@pytest.mark.parametrize("named", ["zip", 1, -1])
def test_numbers_that_are_names(named):
    rng = np.random.default_rng(5)
    codes = rng.choice([80331, 10115, 20095, 50667, *range(60000, 60020)], 400)
    frame = pd.DataFrame({"x": rng.integers(0, 3, 400), "zip": codes})
    pool = Pool.from_table(frame, categorical=[named])
    assert pool.cardinalities.tolist() == [3, len(np.unique(codes))]
    assert [is_ordered(e) for e in pool.encodings] == [True, False]
    assert pool.encodings[1].label(0) == "10115"
    kept = Pool.from_table(frame, binning={"zip": "none"})
    np.testing.assert_array_equal(kept.codes, pool.codes)
    assert is_ordered(kept.encodings[1]) and kept.fingerprint != pool.fingerprint
    holes = frame.assign(zip=frame["zip"].astype(float).where(frame.index != 3))
    again = Pool.from_table(holes, categorical=[named], missing="value").encodings[1]
    assert again.label(0) == "10115" and not is_ordered(again)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_categories_of_numbers_are_names(kind):
    numbers = np.arange(120) % 12
    frame: pd.DataFrame | pl.DataFrame | pa.Table
    if kind == "pandas":
        frame = pd.DataFrame({"c": pd.Categorical(numbers)})
    elif kind == "polars":
        frame = pl.DataFrame({"c": pl.Series(numbers.astype(str), dtype=pl.Categorical)})
    else:
        frame = pa.table({"c": pa.array(numbers).dictionary_encode()})
    pool = Pool.from_table(frame)
    assert pool.cardinalities.tolist() == [12] and not is_ordered(pool.encodings[0])


def test_ordered_categories_keep_their_order():
    sizes, order = ["small", "large", "middle", "small"] * 30, ["small", "middle", "large", "huge"]
    frame = pd.DataFrame({"size": pd.Categorical(sizes, order, ordered=True)})
    dictionary = pa.DictionaryArray.from_arrays([order.index(s) for s in sizes], order, ordered=True)
    for given in (frame, pa.table({"size": dictionary})):
        pool = Pool.from_table(given)
        assert pool.encodings[0].values == ("small", "middle", "large") and is_ordered(pool.encodings[0])
        assert pool.codes[0, :4].tolist() == [0, 2, 1, 0]
        unordered = Pool.from_table(given, categorical=["size"]).encodings[0]
        assert unordered.values == ("large", "middle", "small") and not is_ordered(unordered)
    levels = pd.DataFrame({"level": pd.Categorical([3, 10, 2, None] * 30, ordered=True)})
    found = Pool.from_table(levels, missing="value").encodings[0]
    assert found.values == ("2", "3", "10") and is_ordered(found) and found.label(3) == "missing"


def test_a_study_goes_on_with_the_rules_it_was_made_with():
    new = StudySettings.checked({"k": 1, "random_state": 0}).to_json()
    assert new["rules"] == 2 and StudySettings.from_json(new).rules == 2
    old = {name: value for name, value in new.items() if name not in ("rules", "categorical")}
    assert StudySettings.from_json(old).rules == 1
    frame = pd.DataFrame({"age": COLUMNS["age"], "id": np.arange(ROWS)})
    settings = StudySettings.from_json(old)
    assert settings.read_with(Dialect(sep=";")).rules == 1
    pool = StudyTable(frame, settings).pool
    assert pool.cardinalities.tolist() == [len(np.unique(COLUMNS["age"])), ROWS] and pool.left_out == ()


@pytest.mark.parametrize("options", [{"ignore": [1]}, {"categorical": [1]}, {"bins": {1: 3}}, {"binning": {1: "none"}}])
def test_a_position_that_is_the_name_of_another_column(options):
    X = pd.DataFrame({0: range(30), 2: range(30), 1: range(30)}) % 7
    with pytest.raises(InvalidInputError, match="column 1, which is '2' by position, while another is called '1'"):
        Pool.from_table(X, **options)
    assert Pool.from_table(X, ignore=["1"]).names == ("0", "2") and Pool.from_table(X, ignore=[0]).names == ("2", "1")


@pytest.mark.parametrize("binning", ["kmeans", "quantile", "uniform"])
def test_whole_numbers_that_fill_64_bits_are_binned_in_their_order(binning):
    rng = np.random.default_rng(3)
    some = rng.integers(-(2**63), 2**63 - 1, 150, dtype=np.int64)
    hashes = some[rng.integers(0, 150, 600)]
    pool = Pool.from_table(pd.DataFrame({"hash": hashes, "b": rng.integers(0, 2, 600)}), binning=binning)
    assert pool.codes[0].max() == 9 and (np.diff(pool.codes[0][np.argsort(hashes)].astype(int)) >= 0).all()
    lows, highs = zip(*pool.encodings[0].ranges, strict=True)
    assert [*lows, *highs] == sorted([*lows, *highs], key=lambda x: (x not in lows, x)) and lows[0] == hashes.min()
