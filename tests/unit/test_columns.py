"""Tables as people have them: mixed columns, names that come back, columns that cannot be features."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from activefs import ActiveFeatureSelector, Pool, Session
from activefs.exceptions import InvalidInputError

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
    assert pool.cardinalities.tolist()[:3] == [3, 2, 4]
    assert pool.cardinalities[4] == 10


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
            "id": [f"p{i:04d}" for i in range(ROWS)],
            "number": np.arange(ROWS),
            "born": pd.Timestamp("2000-01-01") + pd.to_timedelta(np.arange(ROWS), unit="D"),
            "note": [f"patient number {i} came in on a rainy day and left" for i in range(ROWS)],
            "day": [datetime.date(2020, 1, 1)] * ROWS,
            "x": COLUMNS["children"],
        }
    )
    with pytest.raises(InvalidInputError) as caught:
        Pool.from_table(frame)
    message = str(caught.value)
    for name in ("'id'", "'number'", "'born'", "'note'", "'day'"):
        assert name in message
    assert "'x'" not in message
    assert "ignore=" in message
    assert "free text" in message
    pool = Pool.from_table(frame, ignore=["id", "number", "born", "note", 4])
    assert pool.names == ("x",)
    assert pool.columns.tolist() == [5]


def test_small_tables_may_have_distinct_values():
    assert Pool.from_table(np.arange(20)[:, None]).cardinalities.tolist() == [20]


def test_a_million_distinct_strings_are_one_sentence():
    with pytest.raises(InvalidInputError) as caught:
        Pool.from_table(pd.DataFrame({"s": np.arange(1_000_000).astype(str), "x": np.arange(1_000_000) % 2}))
    assert "'s'" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 1}, "bins must be a whole number from 2"),
        ({"bins": {"weight": 0}}, "bins of column .weight. must be a whole number from 2"),
        ({"bins": 2.5}, "bins must be a whole number from 2"),
        ({"bins": {"wait": 3}}, "does not have: 'wait'"),
        ({"binning": "kmean"}, "binning must be .kmeans., .quantile. or .uniform."),
        ({"binning": {"age": "deciles"}}, "binning of column .age. must be"),
        ({"ignore": ["ages"]}, "does not have: 'ages'"),
        ({"ignore": [9]}, "has 5 columns"),
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
