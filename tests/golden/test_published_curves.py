"""Gap curves on two of the paper's data sets, against figures measured with another implementation.

Needs RELATHE.mat and musk-clean2.tsv.gz in the folder that the environment variable ACTIVEFS_DATA_DIR
names; skipped otherwise. Means of few runs: the band is wide, and meant to catch a wrong formula, not noise.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from activefs import Pool, Session
from activefs.datasets import Dataset, load
from activefs.exceptions import OneClassWarning

FILES = {"RELATHE": "RELATHE.mat", "MUSK": "musk-clean2.tsv.gz"}
LABELS = (25, 50, 100, 200)
K = 20

# Gap in nats after 25, 50, 100, 200 labels; noise 10 to 20 %.
EXPECTED = {
    ("RELATHE", "random", "labelled"): (0.487, 0.453, 0.324, 0.198),
    ("RELATHE", "afs", "labelled"): (0.449, 0.407, 0.277, 0.171),
    ("RELATHE", "afs", "pool"): (0.468, 0.334, 0.215, 0.133),
    ("MUSK", "random", "labelled"): (0.481, 0.390, 0.314, 0.205),
    ("MUSK", "afs", "labelled"): (0.530, 0.537, 0.280, 0.133),
    ("MUSK", "afs", "pool"): (0.510, 0.316, 0.177, 0.137),
}


def data_set(name: str) -> Dataset:
    folder = os.environ.get("ACTIVEFS_DATA_DIR")
    if folder is None or not (Path(folder) / FILES[name]).exists():
        pytest.skip(f"set the environment variable ACTIVEFS_DATA_DIR to a folder with {FILES[name]}")
    return load(name)


def true_entropies(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """H_j from all labels, by counting."""
    out = np.zeros(X.shape[1])
    for j, column in enumerate(X.T):
        n = np.bincount(column)
        q = np.bincount(column, weights=y)[n > 0] / n[n > 0]
        inner = np.where((q > 0) & (q < 1), q, 0.5)
        h = -inner * np.log(inner) - (1 - inner) * np.log(1 - inner)
        out[j] = (n[n > 0] / n.sum() * np.where((q > 0) & (q < 1), h, 0.0)).sum()
    return out


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.parametrize("case", EXPECTED, ids=" ".join)
def test_gap_curve(case: tuple[str, str, str]) -> None:
    name, strategy, floor = case
    data = data_set(name)
    pool, y = Pool.from_table(data.X), data.y.astype(int)
    truth = true_entropies(data.X, y)
    best = np.sort(truth)[:K].sum()
    params = {"rho_floor": floor} if strategy == "afs" else None
    curves = []
    for seed in range(10 if strategy == "random" else 4):
        session = Session(pool, K, strategy=strategy, strategy_params=params, random_state=seed)
        curve = []
        for n in range(max(LABELS) + 1):
            if n in LABELS:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", OneClassWarning)
                    curve.append(truth[session.selection().features].sum() - best)
            if n < max(LABELS):
                row = session.ask()
                session.tell(row, y[row])
        curves.append(curve)
    found, expected = np.mean(curves, axis=0), np.array(EXPECTED[case])
    assert np.all(np.min(curves, axis=0) >= -1e-9)
    assert np.all(np.abs(found - expected) <= 0.4 * expected + 0.03), found.round(3).tolist()
