import inspect
from typing import Any

import numpy as np
import pytest

from activefs import Session, strategies
from activefs._kernels import threads
from activefs.exceptions import InvalidInputError
from activefs.strategies import Strategy, available, create
from activefs.testing import StrategyContract, parts_of, random_problem


class TestEveryStrategy(StrategyContract):
    @pytest.fixture(autouse=True, params=available())
    def _named(self, request):
        self.name = request.param

    def create(self):
        return create(self.name)


class TestEveryPsiAndFloor(StrategyContract):
    """The variants of AFS keep the contract, too, over more questions and when the safeguard has fired."""

    questions = 40

    @pytest.fixture(autouse=True, params=["l2", "linf"])
    def _psi(self, request):
        self.psi = request.param

    def create(self):
        return create("afs", {"psi": self.psi, "rho_floor": "pool", "safeguard": 5})


def test_the_list_of_names_is_the_public_one():
    assert available() == sorted(c.name for c in parts_of(strategies, Strategy))
    assert {"afs", "afs-nosg", "avg-sel", "avg-all", "single", "random"} <= set(available())


@pytest.mark.parametrize("name", ["afs", "avg-sel", "avg-all"])
def test_threads_change_nothing_on_a_table_that_needs_them(name, monkeypatch):
    problem = random_problem(7, (3, 2, 5, 4) * 10, rows=110_000)
    in_blocks, parts = threads.in_blocks, []

    def watched(work, size, workers, smallest):
        parts.append(min(workers, size // smallest))
        in_blocks(work, size, workers, smallest)

    monkeypatch.setattr(threads, "in_blocks", watched)
    asked = []
    for n_jobs in (1, 2):
        session = Session(problem.X.astype(np.uint8), 20, strategy=name, random_state=0, n_jobs=n_jobs)
        asked.append(session.ask(3).tolist())
    assert asked[0] == asked[1] and max(parts) == 2


def test_a_batch_is_not_one_row_many_times():
    """Most rows are copies of the one with the best score; a batch must look elsewhere, too."""
    rng = np.random.default_rng(0)
    X = np.concatenate([np.tile([[1, 1, 1, 1]], (60, 1)), rng.integers(0, 2, size=(60, 4))])
    for psi in ("l1", "l2", "linf"):
        for floor in ("labelled", "pool"):
            params = {"psi": psi, "rho_floor": floor}
            session = Session(X, 2, strategy="afs", strategy_params=params, random_state=0)
            session.tell([0, 60, 61, 62], [0, 1, 0, 1])
            rows = X[session.ask(8)]
            assert len(np.unique(rows, axis=0)) >= 4


INVALID: dict[str, list[Any]] = {
    "psi": ["l3", None, 1],
    "rho_floor": ["other", None],
    "safeguard": [0, -1, 2.5, "30", True],
    "tolerance": [-0.1, 1.5, "0.1", None, float("nan")],
    "unseen": [-0.1, 1.1, None, float("nan")],
}


@pytest.mark.parametrize("name", available())
def test_parameters_are_checked(name):
    """Every parameter that a strategy takes refuses what it cannot use, and the message names it."""
    accepted = inspect.signature(type(create(name))).parameters
    with pytest.raises(InvalidInputError, match="no_such_thing"):
        create(name, {"no_such_thing": 1})
    for parameter in set(accepted) & set(INVALID):
        for value in INVALID[parameter]:
            with pytest.raises(InvalidInputError, match=parameter):
                create(name, {parameter: value})


@pytest.mark.parametrize("wrong", ["AFS ", "afss", None, 3, strategies.AFS])
def test_unknown_strategies_are_named(wrong):
    with pytest.raises(InvalidInputError, match="afs"):
        create(wrong)


def test_parameters_go_with_a_name_only():
    with pytest.raises(InvalidInputError, match="is an object already"):
        create(strategies.AFS(), {"psi": "l1"})
