"""Write synthetic_curves.json: gap curves of the brute-force AFS, the yardstick of test_synthetic_curves.py.

    python tests/golden/make_synthetic_curves.py

takes a few minutes, and is needed only if the problem or the reference changes.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "reference"))

from afs_reference import run, true_gap  # noqa: E402

K, BUDGETS, RUNS = 4, (5, 10, 20, 40, 70), 60
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "afs": ("afs", {}),
    "afs, l2": ("afs", {"psi": "l2"}),
    "afs, linf": ("afs", {"psi": "linf"}),
    "afs, pool": ("afs", {"floor": "pool"}),
    "afs-nosg": ("afs-nosg", {}),
    "avg-sel": ("avg-sel", {}),
    "avg-all": ("avg-all", {}),
    "single": ("single", {}),
    "random": ("random", {}),
}


def problem() -> tuple[np.ndarray, np.ndarray]:
    """160 rows, 14 features of 2 to 5 values, four of which tell about the label, less and less."""
    rng = np.random.default_rng(2021)
    cards = (2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 2, 3, 4, 5)
    X = np.stack([rng.choice(c, size=160, p=rng.dirichlet(np.full(c, 2.0))) for c in cards], axis=1)
    logit = 2.4 * (X[:, 0] - 0.5) + 1.4 * (X[:, 1] - 1) + 1.0 * (X[:, 2] - 1.5) + 0.9 * (X[:, 3] - 2)
    y = (rng.random(160) < 1 / (1 + np.exp(-(logit - logit.mean())))).astype(int)
    return X, y


def one_run(job: tuple[str, int]) -> list[float]:
    name, seed = job
    strategy, params = CASES[name]
    X, y = problem()
    named = run(X.tolist(), y, K, max(BUDGETS), strategy, np.random.default_rng(seed), **params)
    gap = true_gap(X.tolist(), y, K)
    return [gap(named[b]) for b in BUDGETS]


def main() -> None:
    curves = {}
    with ProcessPoolExecutor(2) as pool:
        for name in CASES:
            gaps = np.array(list(pool.map(one_run, [(name, seed) for seed in range(RUNS)])))
            error = gaps.std(axis=0, ddof=1) / np.sqrt(RUNS)
            curves[name] = {"mean": gaps.mean(axis=0).round(5).tolist(), "error": error.round(5).tolist()}
            print(name, curves[name], flush=True)
    text = json.dumps({"k": K, "labels": BUDGETS, "runs": RUNS, "curves": curves}, indent=1)
    (HERE / "synthetic_curves.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
