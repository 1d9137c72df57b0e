"""Gap curves of sessions against those of the brute-force AFS, on one small problem."""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from activefs import Session
from activefs.exceptions import OneClassWarning

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from afs_reference import true_gap  # noqa: E402
from make_synthetic_curves import BUDGETS, CASES, K, problem  # noqa: E402

RUNS = 60
STORED = json.loads((HERE / "synthetic_curves.json").read_text())


def curves(name: str) -> Iterator[list[float]]:
    strategy, params = CASES[name]
    params = {{"floor": "rho_floor"}.get(key, key): value for key, value in params.items()}
    X, y = problem()
    gap = true_gap(X.tolist(), y, K)
    for seed in range(RUNS):
        session = Session(X, K, strategy=strategy, strategy_params=params, random_state=seed, when_certified="continue")
        found = []
        for n in range(max(BUDGETS) + 1):
            if n in BUDGETS:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", OneClassWarning)
                    found.append(gap(session.selection().features.tolist()))
            if n < max(BUDGETS):
                row = session.ask()
                session.tell(row, y[row])
        yield found


def test_the_stored_curves_belong_to_this_problem() -> None:
    assert (STORED["k"], STORED["labels"]) == (K, list(BUDGETS))
    assert STORED["curves"].keys() == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_gap_is_that_of_the_brute_force(name: str) -> None:
    """Within four standard errors of the difference, at every number of labels."""
    found = np.array(list(curves(name)))
    assert np.all(found >= -1e-12)
    stored = STORED["curves"][name]
    error = np.hypot(found.std(axis=0, ddof=1) / np.sqrt(RUNS), stored["error"])
    distance = np.abs(found.mean(axis=0) - stored["mean"])
    assert np.all(distance <= 4 * error + 0.002), (found.mean(axis=0).round(4).tolist(), stored["mean"])
