"""Tables for studies from MATLAB files, whose variables stand for columns."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from activefs import Study
from activefs.exceptions import InvalidInputError
from activefs.storages import MemoryStorage
from activefs.tables import open_unlabelled

X = np.random.default_rng(0).integers(0, 3, size=(30, 4))
IDS = np.array([f"patient {i:02d}" for i in range(30)], dtype=object)


@pytest.mark.parametrize("values", [X, sparse.csc_matrix(X.astype(float))], ids=["dense", "sparse"])
def test_columns_are_named_by_their_variable(tmp_path, values):
    savemat(tmp_path / "t.mat", {"X": values, "ids": IDS[:, None], "note": "made today"})
    table = open_unlabelled(tmp_path / "t.mat", "ids")
    assert table.column_names == ["X0", "X1", "X2", "X3", "ids"]
    assert np.array_equal(np.stack([table[f"X{j}"].to_numpy() for j in range(4)], axis=1), X)
    assert table["ids"].to_pylist() == IDS.tolist()


def test_a_study_asks_by_the_names_in_the_file(tmp_path):
    savemat(tmp_path / "t.mat", {"X": X, "ids": IDS[:, None]})
    options: dict[str, Any] = {"id_column": "ids", "strategy": "random", "random_state": 0}
    with Study.create(MemoryStorage(), tmp_path / "t.mat", 2, **options) as study:
        row = study.ask()
        assert study.name_of(row) == IDS[row]
        assert study.pool.names == ("X0", "X1", "X2", "X3")


@pytest.mark.parametrize(
    ("content", "id_column", "said"),
    [
        ({"X": X}, "ids", "no variable 'ids'"),
        ({"X": X, "Z": X}, None, "must hold one table"),
        ({"x": np.arange(5)}, None, r"it holds x 1x5"),
    ],
)
def test_what_cannot_be_a_table_is_told(tmp_path, content, id_column, said):
    savemat(tmp_path / "t.mat", content)
    with pytest.raises(InvalidInputError, match=said):
        open_unlabelled(tmp_path / "t.mat", id_column)
