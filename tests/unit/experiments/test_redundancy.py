"""What redundancy-aware selection buys: work items, means, and what is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from activefs import Session
from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import named
from activefs.experiments.redundancy import RULES, RuleItem, RuleQuality, RuleTable, reproduce_redundancy, summary
from activefs.redundancy import PoolInformation
from activefs.runs import Store, labelled_pool, plan_items, run, silent, true_impurity

WINE = named("WINE0")
ITEM = RuleItem(WINE, "mrmr", run=1, k=3, budget=25)


def test_an_item_judges_the_features_that_the_rule_chooses() -> None:
    found = ITEM.compute()
    given = labelled_pool(WINE)
    session = Session(given.pool, 3, strategy="afs", redundancy="mrmr", budget=25, random_state=1)
    while not session.finished:
        row = session.ask()
        session.tell(row, int(given.y[row]))
    chosen = session.leaders()
    truth = true_impurity(given.pool, given.y)
    assert found.gap == pytest.approx(truth[chosen].sum() - np.sort(truth)[:3].sum())
    information = PoolInformation(given.pool)
    overlaps = [information.between(chosen[chosen != f], int(f)).mean() for f in chosen]
    assert found.overlap == pytest.approx(np.mean(overlaps))
    assert 0.8 < found.accuracy <= 1.0  # these wines are easy to tell apart
    assert found == ITEM.compute() != replace(ITEM, run=2).compute()


def test_an_item_comes_back_as_it_was_and_is_not_computed_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    items = [replace(ITEM, rule=rule) for rule in ("none", "mrmr")]
    work = plan_items(items, store)
    run(work, store, jobs=1, advance=silent(work))
    assert store.read(ITEM) == ITEM.compute()
    assert plan_items(items, store).missing == 0
    assert plan_items([replace(ITEM, k=4), replace(ITEM, budget=26), replace(ITEM, run=0)], store).missing == 3


def test_means_and_intervals_by_hand() -> None:
    accuracy = {"none": (0.6, 0.8), "mrmr": (0.9, 0.9), "jmi": (0.7, 0.7), "cmim": (0.5, 0.7)}
    found = {
        RuleItem(WINE, rule, n, 3, 25): RuleQuality(accuracy[rule][n], 0.1 * (n + 1), 0.02)
        for rule in RULES
        for n in range(2)
    }
    table = RuleTable.of(found)
    assert table.accuracy[0].tolist() == pytest.approx([0.7, 0.9, 0.7, 0.6])
    assert table.half[0].tolist() == pytest.approx([12.7062 * 0.1, 0.0, 0.0, 12.7062 * 0.1], rel=1e-4)
    lines = summary(table).splitlines()
    assert lines[0] == "dataset,rule,k,budget,runs,accuracy,accuracy_low,accuracy_high,gap,overlap"
    assert lines[2] == "WINE0,mrmr,3,25,2,0.9000,0.9000,0.9000,0.1500,0.0200"


@pytest.mark.parametrize(
    ("names", "k", "budget", "runs", "words"),
    [
        (["IRIS"], 3, 25, 2, "there is no data set 'IRIS'"),
        (["MUSK"], 167, 25, 2, "166 features"),
        (["MUSK"], 3, 7000, 2, "6598 rows"),
        (["MUSK"], 3, 25, 1, "runs must be at least 2"),
    ],
)
def test_what_cannot_be_run_is_refused(
    tmp_path: Path, names: list[str], k: int, budget: int, runs: int, words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words):
        reproduce_redundancy(names, k, budget, runs, tmp_path, jobs=1, begin=silent)
    assert not list(tmp_path.iterdir())
