"""Simulated studies: all options of a session, runs of different lengths, and what is said about them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from activefs import Pool, Session
from activefs.criteria import Gini
from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.experiments.simulation import (
    Simulation,
    comparison,
    draw,
    html_report,
    selection_csv,
    simulate,
)
from activefs.runs import true_impurity
from activefs.tables import LabelledTable

ROWS = 120


def made(classes: int = 2) -> LabelledTable:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, size=(ROWS, 8))
    score = X[:, 1] + X[:, 5] + rng.normal(scale=0.6, size=ROWS)
    labels = [f"class <{c}>" for c in np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)]
    columns = {f"f{j}": X[:, j] for j in range(8)} | {"price": rng.choice([1.0, 4.0], size=ROWS)}
    return LabelledTable(pa.table(columns), None, labels, None, 0)


TABLE = made()
PLAIN = {"k": 2, "budget": 25, "strategy": "afs", "ignore": ["price"]}


def run(runs: int = 2, table: LabelledTable = TABLE, **changes: Any) -> Simulation:
    return simulate(table, options={**PLAIN, **changes}, runs=runs)


def by_hand(seed: int, **options: Any) -> Session:
    """The same session without any of the machinery."""
    session = Session(
        TABLE.features, 2, random_state=seed, when_certified="continue",
        classes=list(dict.fromkeys(TABLE.labels)), **{"strategy": "afs", "budget": 25, **options},
    )  # fmt: skip
    while not session.finished:
        row = session.ask()
        session.tell(row, TABLE.labels[row])
    return session


def test_a_plain_simulation_is_the_session_itself() -> None:
    found = run()
    session = by_hand(0, ignore=["price"])
    assert [row for row, _ in found.asked] == session.labelled.tolist()
    assert found.selection == session.selection()
    assert {name: counts.tolist() for name, counts in found.labels.items()} == {"afs": [25, 25], "random": [25, 25]}
    assert found.same_length and "25 labels, mean of 2 runs" in comparison(found)
    pool = Pool.from_table(TABLE.features, ignore=["price"])
    truth = true_impurity(pool, TABLE.labels)
    gap = truth[session.leaders()].sum() - np.sort(truth)[:2].sum()
    assert found.curves["afs"].gaps[0, -1] == pytest.approx(gap, abs=1e-6)


def test_with_costs_the_budget_is_a_sum_and_runs_have_different_numbers_of_labels() -> None:
    found = run(cost="price", ignore=[], budget=40.0)
    session = by_hand(0, cost="price", budget=40.0)
    assert [row for row, _ in found.asked] == session.labelled.tolist()
    price = np.asarray(TABLE.features.column("price"))
    assert price[session.labelled].sum() <= 40.0
    assert found.features == 8  # the column of costs is no feature
    assert found.labels["afs"].mean() > found.labels["random"].mean()  # AFS prefers what is cheap
    assert found.curves["afs"].gaps.shape == found.curves["random"].gaps.shape == (2, found.longest)
    for name, counts in found.labels.items():  # the last gap of a run that has ended goes on
        for gaps, n in zip(found.curves[name].gaps, counts, strict=True):
            assert (gaps[n - 1 :] == gaps[n - 1]).all()
    assert f"with {found.used('afs')}, mean" in comparison(found)
    assert f"with {found.used('random')}. Difference" in comparison(found)
    page = html_report(found, "table", "label", draw(found))
    assert "labels that cost 40 in all" in page and "labels used" in page


def test_costs_may_be_given_by_row_and_the_table_may_have_names_beside_it() -> None:
    price = np.asarray(TABLE.features.column("price"))
    by_name, by_row = run(cost="price", ignore=[], budget=40.0), run(cost=price, budget=40.0)
    assert by_name.asked == by_row.asked
    plain = np.column_stack([np.asarray(c) for c in TABLE.features.columns])
    named = LabelledTable(plain, tuple(TABLE.features.column_names), TABLE.labels, None, 0)
    beside = run(table=named, cost="price", ignore=[], budget=40.0, bins=3)
    assert beside.asked == by_name.asked


def test_labels_used_in_words() -> None:
    found = run()
    odd = replace(found, labels={"afs": np.array([10, 13]), "random": np.array([1, 1])})
    assert (odd.used("afs"), odd.used("random"), odd.longest) == ("11.5 labels on average", "1 label", 13)
    assert not odd.same_length


def test_a_gap_that_is_small_enough_ends_a_run() -> None:
    found = run(strategy="assisted", stop_when_gap_below=10.0, budget=60)  # anything will do, from 30 labels on
    ends = found.labels["assisted"]
    assert (ends < 60).all() and (found.labels["random"] == 60).all()
    told = comparison(found)
    assert "With as many labels as assisted used, random labelling has a gap of" in told
    random = found.curves["random"].gaps[np.arange(2), ends - 1].mean()
    assert f"{random:.4f}." in told
    assert f"with {found.used('assisted')}" in told


def test_a_settled_choice_ends_a_run_only_if_that_is_wanted() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(400, 3))
    table = LabelledTable(X, ("a", "b", "c"), X[:, 1].tolist(), None, 0)
    options = {"k": 1, "budget": 390, "strategy": "afs"}
    stopped = simulate(table, options={**options, "when_certified": "stop"}, runs=1)
    assert stopped.labels["afs"][0] < 390 and stopped.selection.settled
    assert simulate(table, options=options, runs=1).labels["afs"].tolist() == [390]


def test_truth_gap_and_words_follow_the_criterion() -> None:
    found = run(criterion="gini")
    pool = Pool.from_table(TABLE.features, ignore=["price"])
    truth = true_impurity(pool, TABLE.labels, Gini())
    leaders = by_hand(0, ignore=["price"], criterion="gini").leaders()
    assert found.curves["afs"].gaps[0, -1] == pytest.approx(truth[leaders].sum() - np.sort(truth)[:2].sum(), abs=1e-6)
    assert next(csv.reader(selection_csv(found).splitlines())) == [
        "rank", "feature", "column", "gini", "lower", "upper", "chance", "above_chance", "among_true_best",
    ]  # fmt: skip
    page = html_report(found, "table", "label", draw(found))
    assert "Gini" in page and "nats" not in page and "mutual" not in page and "nats" not in comparison(found)
    plain = run()
    assert "mutual information (nats)" in html_report(plain, "table", "label", draw(plain))
    assert selection_csv(plain).startswith("rank,feature,column,mutual_information,")


def test_everything_else_reaches_the_session() -> None:
    found = run(strategy_params={"safeguard": None, "psi": "l2"}, delta=0.3, n_jobs=2, redundancy="mrmr", bins=3)
    session = by_hand(
        0, strategy_params={"safeguard": None, "psi": "l2"}, delta=0.3, redundancy="mrmr", ignore=["price"]
    )
    assert [row for row, _ in found.asked] == session.labelled.tolist() and found.selection == session.selection()
    assert any("chosen by mrmr" in note for note in found.notes)
    own = run(strategy="assisted", model=LogisticRegression(), runs=1)
    assert own.asked != run(strategy="assisted", runs=1).asked
    assert run(strategy="assisted", estimator="plug-in", runs=1).strategy == "assisted + plug-in"


def test_classes_are_checked_and_called_by_their_labels() -> None:
    found = run(classes=["class <0>", "class <1>", "class <2>"], runs=1)
    assert found.notes == ["First run: no label of class 'class <2>' so far: the choice says nothing about it."]
    assert found.classes["class <2>"] == 0
    assert "class &lt;2&gt;" in html_report(found, "<table>", "label", b"")
    with pytest.raises(InvalidLabelError, match="none of the classes"):
        run(classes=["class <0>", "ill"])


def test_shares_of_the_work_add_up_to_one() -> None:
    for options in (PLAIN, {**PLAIN, "cost": "price", "ignore": []}, {**PLAIN, "budget": None}):
        shares: list[float] = []
        simulate(TABLE, options=options, runs=2, advance=shares.append)
        assert sum(shares) == pytest.approx(1.0) and min(shares) >= 0 and len(shares) > 25


def test_as_json() -> None:
    content = json.loads(json.dumps(run().to_json()))
    truly_best = run().truly_best
    assert truly_best is not None and content["selection"]["among_true_best"] == truly_best.tolist()
    assert content["labels"]["random"] == [25, 25] and len(content["gaps"]["afs"]["mean"]) == 25
    assert len(content["asked"]) == 25


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"budget": 121}, "more than the 120 rows"),
        ({"k": 9}, "k=9 features are wanted"),
        (
            {"k": 8, "when_certified": "stop"},
            "no label would be asked for: the 8 features are certified",
        ),
        ({"cost": "price", "ignore": [], "budget": 0.5}, "no label would be asked for: the budget of 0.5"),
        ({"cost": "nothing"}, "there is no column 'nothing'"),
        ({"runs": 0}, "seeds must be at least 1"),
        ({"strategy": "magic"}, "magic"),
        ({"criterion": "gini", "redundancy": "mrmr"}, "goes with criterion"),
        ({"stop_when_gap_below": 0.1}, "assisted"),
    ],
)
def test_what_cannot_be_run_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        run(**change)
