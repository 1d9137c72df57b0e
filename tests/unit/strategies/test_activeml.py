"""Strategies of scikit-activeml in our loop."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from skactiveml.pool import TypiClust, UncertaintySampling
from sklearn.naive_bayes import GaussianNB

from activefs import Pool, Session
from activefs.exceptions import InvalidInputError
from activefs.strategies import ActiveML
from activefs.strategies._activeml import as_numbers

PEERS = ("UncertaintySampling", "QueryByCommittee", "TypiClust", "CoreSet", "RandomSampling", "DiscriminativeAL")


def problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(60, 5))
    return X, (X[:, 1] > 1).astype(int)


def run(X: np.ndarray, y: np.ndarray, labels: int = 6, **params: object) -> list[int]:
    session = Session(X, k=1, strategy="activeml", strategy_params=params, random_state=4, budget=labels)
    while not session.finished:
        row = session.ask()
        session.tell(row, int(y[row]))
    labelled: list[int] = session.labelled.tolist()
    return labelled


@pytest.mark.parametrize("query", PEERS)
def test_peers_run_and_one_seed_decides_everything(query: str) -> None:
    X, y = problem()
    rows = run(X, y, query=query)
    assert len(set(rows)) == 6
    assert rows == run(X, y, query=query)


def test_objects_parameters_and_models_are_passed_on() -> None:
    X, y = problem()
    by_name = run(X, y, query="TypiClust", query_params={"k": 3})
    assert by_name == run(X, y, query=TypiClust(k=3)) != run(X, y, query="TypiClust")
    assert run(X, y, query=UncertaintySampling()) == run(X, y) != run(X, y, model=GaussianNB())


def test_more_classes_and_words_as_labels() -> None:
    X, _ = problem()
    words = np.array(["red", "green", "blue", "blue"])[X[:, 1]]
    session = Session(X, k=1, strategy=ActiveML(), random_state=0, budget=12)
    while not session.finished:
        row = session.ask()
        session.tell(row, str(words[row]))
    assert set(session.labels) == {"red", "green", "blue"}


def test_uncertainty_sampling_looks_at_the_labels() -> None:
    X, y = problem()
    assert run(X, y, labels=12) != run(X, 1 - X[:, 3] % 2, labels=12)


def test_numbers_keep_their_order_and_words_do_not_get_one() -> None:
    pool = Pool.from_table([[1, "a"], [2, "b"], [4, "c"], [2, "a"]])
    numbers = as_numbers(pool)
    assert numbers[:, 0].tolist() == [0.0, 0.5, 1.0, 0.5]
    assert numbers[:, 1:].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"query": "Nonsense"}, "there are: .*CoreSet"),
        ({"query": "CoreSet", "query_params": {"nix": 1}}, "query_params do not fit CoreSet"),
        ({"query": TypiClust(), "query_params": {"k": 1}}, "object already"),
        ({"query": "GreedySamplingTarget"}, "only strategies for classification"),
        ({"model": "forest"}, "scikit-learn classifier"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        ActiveML(**params)


def test_without_scikit_activeml_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['skactiveml'] = None\n"
        "from activefs import strategies, exceptions\n"
        "assert 'activeml' in strategies.available()\n"
        "try: strategies.create('activeml')\n"
        "except exceptions.MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'activefs[activeml]'" in done.stdout
