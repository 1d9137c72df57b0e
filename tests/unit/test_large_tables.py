"""Sessions and selectors on files, folders and lazy tables, in memory and beyond it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from activefs import ActiveFeatureSelector, Session
from activefs.exceptions import InvalidInputError, LeftOutWarning
from activefs.streams import _fits


@pytest.fixture(params=["memory", "mapped"])
def size(request, monkeypatch):
    if request.param == "mapped":
        monkeypatch.setattr(_fits, "MOST_CELLS", 10)
    return request.param


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    made = pd.DataFrame(rng.integers(0, 4, size=(300, 5)), columns=list("abcde"))
    made["colour"] = rng.choice(["red", "blue"], 300)
    made["amount"] = rng.normal(size=300).round(3)
    made["price"] = rng.choice([0.5, 1.0, 2.0], 300)
    return made


def answers(made: pd.DataFrame) -> np.ndarray:
    return ((made.b > 1) | (made.colour == "red")).to_numpy().astype(int)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    frame().to_parquet(tmp_path / "t.parquet", row_group_size=64)
    return tmp_path / "t.parquet"


def asked(session: Session, y: np.ndarray, n: int = 25) -> list[int]:
    rows = []
    for _ in range(n):
        rows.append(session.ask())
        session.tell(rows[-1], int(y[rows[-1]]))
    return [*rows, *session.selection().features.tolist()]


def tables(path: Path) -> dict[str, object]:
    import polars as pl

    frame().iloc[:150].to_csv(path.parent / "parts-1.csv", index=False)
    frame().iloc[150:].to_csv(path.parent / "parts-2.csv", index=False)
    return {
        "path": path,
        "text": str(path),
        "address": f"file://{path}",
        "pattern": str(path.parent / "parts-*.csv"),
        "lazy": pl.scan_parquet(path),
        "dataset": ds.dataset(path),
        "reader": pa.RecordBatchReader.from_batches(
            (table := pa.Table.from_pandas(frame(), preserve_index=False)).schema, table.to_batches(70)
        ),
    }


@pytest.mark.parametrize("cost", [None, "price"])
def test_a_session_asks_what_it_asks_of_the_table_in_memory(path, size, cost):
    y = answers(frame())
    options: dict[str, Any] = {
        "k": 2,
        "random_state": 3,
        "strategy": "afs",
        "bins": {"amount": 5},
        "categorical": ["c"],
    }
    options |= {"ignore": ["e"], "cost": cost}
    expected = asked(Session(frame(), **options), y)
    for name, table in tables(path).items():
        session = Session(table, **options)
        assert session.pool.kind == ("dense" if size == "memory" else "mapped")
        assert asked(session, y) == expected, name


def test_a_session_is_saved_and_loaded_with_its_path(path, size, tmp_path):
    y = answers(frame())
    session = Session(path, 2, random_state=0, cost="price", missing="value")
    asked(session, y, 10)
    session.save(tmp_path / "s.json")
    again, other = Session.load(tmp_path / "s.json", str(path)), Session.load(tmp_path / "s.json", frame())
    assert asked(again, y, 10) == asked(other, y, 10) == asked(session, y, 10)
    changed = frame()
    first = changed["a"].to_numpy(copy=True)
    first[299] = (first[299] + 1) % 4
    changed["a"] = first
    changed.to_parquet(path)
    with pytest.raises(InvalidInputError, match="the table is not the one"):
        Session.load(tmp_path / "s.json", path)


def test_missing_values_of_a_large_table(path, size):
    holes = frame()
    holes.loc[[4, 200], "colour"] = None
    holes.to_parquet(path)
    with pytest.raises(InvalidInputError, match="missing"):
        Session(path, 2)
    session = Session(path, 2, missing="value", random_state=0)
    assert session.pool.encodings[5].missing


def test_a_cost_that_is_missing(path, size):
    frame().assign(price=None).to_parquet(path)
    with pytest.raises(InvalidInputError, match="price"):
        Session(path, 2, cost="price")
    holes = frame().astype({"price": "Int64"}, errors="ignore")
    holes["price"] = pd.array([None, *range(1, 300)], dtype="Int64")
    holes.to_parquet(path)
    with pytest.raises(InvalidInputError, match="column 'price' has missing values"):
        Session(path, 2, cost="price")


def test_columns_that_are_left_out_are_told(path, size):
    frame().assign(name=[f"row {i}" for i in range(300)]).to_parquet(path)
    with pytest.warns(LeftOutWarning, match="'name'"):
        Session(path, 2)


def test_the_selector_fits_a_file(path, size):
    y = answers(frame())
    given: dict[str, Any] = {"k": 2, "budget": 30, "random_state": 0}
    expected = ActiveFeatureSelector(**given).fit(frame(), y)
    for table in (path, str(path), ds.dataset(path)):
        found = ActiveFeatureSelector(**given).fit(table, y)
        assert found.queried_indices_.tolist() == expected.queried_indices_.tolist()
        assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
        assert (found.n_features_in_, list(found.feature_names_in_)) == (8, list(frame().columns))
    by_oracle = ActiveFeatureSelector(**given).fit(path, oracle=lambda row: int(y[row]))
    assert by_oracle.get_support().tolist() == expected.get_support().tolist()
    np.testing.assert_array_equal(found.transform(frame()), expected.transform(frame()))


def test_transforming_a_file(path, monkeypatch):
    fitted = ActiveFeatureSelector(k=2, budget=30, random_state=0).fit(path, answers(frame()))
    np.testing.assert_array_equal(fitted.transform(path), fitted.transform(frame()))
    monkeypatch.setattr(_fits, "MOST_CELLS", 10)
    with pytest.raises(InvalidInputError, match=r"does not fit into memory.*get_feature_names_out"):
        fitted.transform(path)


def test_the_selector_counts_labels(path, size):
    with pytest.raises(InvalidInputError, match="300 rows, 299 labels"):
        ActiveFeatureSelector(k=2).fit(path, np.zeros(299))
