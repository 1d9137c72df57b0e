"""Prepared views on disk: the same digits, made anew when anything is wrong."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from activefs import Pool
from activefs.model import Assistant, _cache
from activefs.model._views import prepare

X = np.random.default_rng(0).integers(0, 4, size=(120, 6))
Y = (X[:, 2] + X[:, 5] > 3).astype(np.int64)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_cache, "_WORTH", 0)
    return tmp_path / "views"


@pytest.fixture
def prepared(monkeypatch):
    """One entry for each time that views were prepared."""
    calls = []

    def counted(*given):
        calls.append(given)
        return prepare(*given)

    monkeypatch.setattr(_cache, "prepare", counted)
    return calls


def answer(table=X, seed=3):
    found = Assistant(Pool.from_table(table), seed=seed).complete(np.arange(40), Y[:40], 2)
    return found.probabilities, found.leave_one_out, found.posterior_draw(np.random.default_rng(0))


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_fresh_and_kept_are_the_same_to_the_digit(folder, prepared):
    fresh, kept = answer(), answer()
    assert len(prepared) == 1 and same(fresh, kept)
    assert len(list(folder.iterdir())) == 1
    answer(seed=4)  # trees have another seed, the views are the same
    assert len(prepared) == 1


def test_another_table_or_version_is_prepared_anew(folder, prepared, monkeypatch):
    answer()
    answer(np.where(np.arange(120)[:, None] == 7, 3 - X, X))
    assert len(prepared) == 2
    monkeypatch.setattr(_cache, "VERSION", "another")
    answer()
    assert len(prepared) == 3 and len(list(folder.iterdir())) == 3


def test_a_damaged_file_is_made_anew(folder, prepared):
    fresh = answer()
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert same(fresh, answer()) and len(prepared) == 2
    assert same(fresh, answer()) and len(prepared) == 2  # the new file is whole


def test_a_folder_that_cannot_be_written(folder, prepared):
    folder.parent.joinpath("views").write_text("a file where the folder should be")
    assert same(answer(), answer()) and len(prepared) == 2


def test_small_tables_are_not_kept(folder, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(folder.parent))
    answer()
    assert not folder.exists()


def test_threads_change_no_digit(monkeypatch):
    monkeypatch.setattr(_cache, "_WORTH", np.inf)
    design = np.random.default_rng(1).random((1500, 70), dtype=np.float32)
    found = []
    for n in (1, 2):
        with threadpool_limits(limits=n):
            found.append(_cache.prepared(design, None))
    for one, other in zip(*found, strict=True):
        assert one.name == other.name and np.array_equal(one.vectors, other.vectors)
