"""The paper's data sets themselves: needs their files in the folder that ACTIVEFS_DATA_DIR names."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from real_data import need

from activefs.datasets import DATA_SETS, available, fetch, load
from activefs.datasets._files import checked_content
from activefs.datasets._registry import ENTRIES

# Features with more than one value; rows of each class.
EXPECTED = {
    "BASEHOCK": (4862, [994, 999]),
    "PCMAC": (3289, [982, 961]),
    "RELATHE": (4322, [779, 648]),
    "MUSK": (166, [5581, 1017]),
    "MNIST01": (618, [6903, 7877]),
    "MNIST35": (640, [7141, 6313]),
    "MNIST46": (646, [6824, 6876]),
    "MNIST": (719, [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]),
    "ADULT": (14, [37155, 11687]),
}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", DATA_SETS)
def test_real(name: str) -> None:
    need(name)
    entry = ENTRIES[name]
    assert len(fetch(name)) == len(entry.files)
    assert next(info for info in available() if info.name == name).present
    data, again = load(name), load(name.lower())  # computed, then from the cache
    features, rows = EXPECTED[name]
    assert data.X.shape == (entry.rows, features) and data.X.dtype == np.uint8 and data.X.flags.c_contiguous
    assert np.bincount(data.y).tolist() == rows and data.y.dtype == np.uint8
    assert len(data.feature_names) == len(set(data.feature_names)) == features
    assert np.array_equal(data.X, again.X) and np.array_equal(data.y, again.y)
    assert data.feature_names == again.feature_names and np.array_equal(data.columns, again.columns)


@pytest.mark.parametrize("name", ["PCMAC", "MUSK", "MNIST35", "ADULT"])
def test_codes_are_dense_ordered_and_few(name: str) -> None:
    need(name)
    entry = ENTRIES[name]
    paths = fetch(name)
    contents = [checked_content(file, path.read_bytes(), path) for file, path in zip(entry.files, paths, strict=True)]
    table = entry.read(contents)
    data = load(name)
    constant = table.values.min(axis=0) == table.values.max(axis=0)
    assert data.columns.tolist() == np.flatnonzero(~constant).tolist()
    for codes, column in zip(data.X.T, data.columns, strict=True):
        raw = table.values[:, column]
        order = np.argsort(raw, kind="stable")
        steps = np.diff(codes[order].astype(int))
        assert codes[order[0]] == 0 and set(steps) <= {0, 1}, column
        distinct = len(np.unique(raw))
        if distinct <= 10 or column in table.categorical:
            assert codes.max() + 1 == distinct, column
        else:
            assert 2 <= codes.max() + 1 <= 10, column


def test_adult_categories():
    need("ADULT")
    data = load("ADULT")
    values = dict(zip(data.feature_names, data.X.max(axis=0) + 1, strict=True))
    assert values["native-country"] == 42 and values["workclass"] == 9 and values["sex"] == 2
    assert values["education"] == 16 and values["education-num"] == 10 and values["fnlwgt"] == 10


def test_adult_as_uci_has_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The checksums of UCI's own files, which the download is compared with, are those of the same rows."""
    need("ADULT")
    rows = []
    for path in fetch("ADULT"):
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode()
        rows.append([line.rstrip(".") for line in text.splitlines() if line[:1].isdigit()])
    data = load("ADULT")
    (tmp_path / "adult.data").write_text("\n".join(rows[0]) + "\n\n")
    (tmp_path / "adult.test").write_text("|1x3 Cross validator\n" + ".\n".join(rows[1]) + ".\n\n")
    monkeypatch.setenv("ACTIVEFS_DATA_DIR", str(tmp_path))
    of_uci = load("ADULT")
    assert np.array_equal(of_uci.X, data.X) and np.array_equal(of_uci.y, data.y)
