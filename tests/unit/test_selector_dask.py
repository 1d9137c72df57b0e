"""The estimator on Dask collections, which stay with the workers."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from activefs import ActiveFeatureSelector, Session
from activefs.exceptions import InvalidInputError


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"f{j}": rng.integers(0, 4, 600) for j in range(4)})
    return frame.assign(text=rng.choice(["a", "b"], 600), ill=np.where(frame["f1"] > 1, "yes", "no"))


def selector(**more: Any) -> ActiveFeatureSelector:
    return ActiveFeatureSelector(k=2, budget=20, random_state=0, **more)


def test_a_data_frame_with_labels() -> None:
    X, there = table().drop(columns="ill"), dd.from_pandas(table(), npartitions=3)
    kinds: set[str] = set()

    def seen(session: Session) -> None:
        kinds.add(session.pool.kind)

    here = selector().fit(X, table()["ill"])
    for y in (there["ill"], there[["ill"]], table()["ill"].to_numpy()):
        found = selector().fit(there.drop(columns="ill"), y, callback=seen)
        assert found.queried_indices_.tolist() == here.queried_indices_.tolist()
        assert found.get_feature_names_out().tolist() == here.get_feature_names_out().tolist()
        assert found.feature_names_in_.tolist() == list(X.columns)
    assert kinds == {"partitioned"}
    kept = here.transform(there.drop(columns="ill"))
    assert isinstance(kept, dd.DataFrame)
    pd.testing.assert_frame_equal(kept.compute(), X[here.get_feature_names_out()], check_dtype=False)
    np.testing.assert_array_equal(found.transform(X), here.transform(X))
    with pytest.raises(ValueError, match="feature names should match"):
        here.transform(there.drop(columns=["ill", "f0"]))


def test_an_array() -> None:
    X = table()[["f0", "f1", "f2", "f3"]].to_numpy()
    y = (X[:, 1] > 1).astype(int)
    there = da.from_array(X, chunks=(200, 2))
    found = selector().fit(there, da.from_array(y, chunks=100))
    assert found.queried_indices_.tolist() == selector().fit(X, y).queried_indices_.tolist()
    kept = found.transform(there)
    assert isinstance(kept, da.Array)
    np.testing.assert_array_equal(kept.compute(), found.transform(X))


def test_what_is_refused() -> None:
    there = dd.from_pandas(table(), npartitions=3)
    X = there.drop(columns="ill")
    for X_, y, message in (
        (X["f0"], there["ill"], "a Dask Series is one column"),
        (X, there[["ill", "f0"]], "y should be a 1d array"),
        (X, there["ill"].loc[:99], "600 rows, 100 labels"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            selector().fit(X_, y)
