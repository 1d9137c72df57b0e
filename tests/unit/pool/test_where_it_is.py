"""What is wrong with a table is said with file, column and row, whether or not the table fits into memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from activefs import ActiveFeatureSelector, Pool, Session
from activefs.exceptions import InvalidInputError
from activefs.experiments.simulation import open_trial, simulate
from activefs.streams import _fits, _text_source


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(params=["in memory", "in pieces"])
def _fitting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "in pieces":
        monkeypatch.setattr(_fits, "MOST_CELLS", 0)
        monkeypatch.setattr(_text_source, "IN_MEMORY", 0)


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=300), "colour": rng.choice(["red", "blue"], 300)})
    return table.assign(kind=np.where(table["size"] > 0, "large", "small"))


def folder(table: pd.DataFrame, path: Path, ending: str) -> Path:
    path.mkdir()
    for part in range(3):
        rows = table.iloc[part * 100 : (part + 1) * 100]
        if ending == "csv":
            rows.to_csv(path / f"{part}.csv", index=False)
        else:
            rows.to_parquet(path / f"{part}.parquet", index=False)
    return path


def fit(path: Path) -> Any:
    return ActiveFeatureSelector(k=1).fit(str(path), ["a"] * 300)


@pytest.mark.usefixtures("_fitting")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("use", [Pool.from_table, lambda path: Session(path, k=1), fit])
def test_a_missing_value_in_a_folder(use: Any, ending: str, tmp_path: Path) -> None:
    table = frame()
    table.loc[[150, 160], "size"] = np.nan
    path = folder(table, tmp_path / "parts", ending)
    said = rf"'size' \(2 missing, the first in row 50, in .*parts.1\.{ending} \(row 150 of all\)\)"
    with pytest.raises(InvalidInputError, match=said):
        use(path)


@pytest.mark.usefixtures("_fitting")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.inf, r"'size' \(infinite values, the first in row 50, in .*1\.parquet"),
        (np.nan, r"'size' \(1 missing, the first in row 50, in .*1\.parquet"),
    ],
)
def test_numbers_that_are_none(value: float, said: str, tmp_path: Path) -> None:
    table = frame()
    table.loc[150, "size"] = value
    with pytest.raises(InvalidInputError, match=said):
        Pool.from_table(folder(table, tmp_path / "parts", "parquet"))


def test_rows_without_a_label_are_counted_where_all_rows_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = frame()
    table.loc[150, "size"] = np.nan
    table.loc[[10, 11, 120], "kind"] = None
    path = folder(table, tmp_path / "parts", "parquet")

    def tried() -> None:
        simulate(open_trial(path, "kind"), options={"k": 1, "budget": 5}, runs=1)

    with pytest.raises(InvalidInputError, match=r"row 49, in .*1\.parquet, counting rows with a label"):
        tried()
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    with pytest.raises(InvalidInputError, match=r"the first in row 50, in .*1\.parquet \(row 150 of all\)"):
        tried()


@pytest.mark.usefixtures("_fitting")
def test_what_is_computed_is_called_what_it_is() -> None:
    table = pa.table({"size": [1.5, 2.5, None, 3.5] * 10})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7))
    with pytest.raises(InvalidInputError, match=r"the first in row 2, in the record batches\)"):
        Pool.from_table(reader)


def test_one_file(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("size,colour\n1.5,red\n,blue\n2.5,red\n")
    with pytest.raises(InvalidInputError, match=r"'size' \(1 missing, the first in row 1, in .*one\.csv\)"):
        Pool.from_table(path)


@pytest.mark.usefixtures("_fitting")
@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([None, "a"], r"the id column 'name' has 1 row without an id \(the first is row 5 of the table\)"),
        (["1", "a"], r"the id column 'name' must be unique, but rows 2 and 5 of the table have both '1'"),
    ],
)
def test_ids_that_name_no_row(names: list[Any], said: str, tmp_path: Path) -> None:
    table = frame().assign(name=[str(row) for row in range(300)])
    table.loc[[4, 5], "name"] = names
    table.to_parquet(tmp_path / "t.parquet", index=False)
    with pytest.raises(InvalidInputError, match=said):
        simulate(open_trial(tmp_path / "t.parquet", "kind", "name"), options={"k": 1, "budget": 5}, runs=1)
