"""A simulated study on a table whose labels are known: what a few of them would have found."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activefs import redundancy as rules
from activefs import strategies
from activefs.exceptions import InvalidInputError, OneClassWarning
from activefs.model import Assistant
from activefs.options import declared
from activefs.pool import Pool
from activefs.runs import Bundle, Problem, run_session
from activefs.selection import Selection
from activefs.session import Session
from activefs.strategies import Estimator
from activefs.tables import LabelledTable
from activefs.types import Binning, Missing

RANDOM = "random"


@dataclass(frozen=True, eq=False)
class Study:
    """What came out.

    Attributes
    ----------
    selection : Selection
        Chosen features of the first run.
    truly_best : array of bool
        Whether each of them is among the k that all labels would give.
    curves : dict of str to Bundle
        Gap after every label, by strategy: the chosen one and random labelling.
    asked : list of (row name, label)
        Labels of the first run, in order.
    rows, features : int
        Size of the table, without columns that have one value only.
    k, budget, runs, seed : int
        As asked for.
    strategy : str
        Name of the strategy, and of the estimate if it is not the strategy's own.
    classes : dict of label to count
        How often each label occurs in the table.
    notes : list of str
        What was left out, and what looks odd.
    """

    selection: Selection
    truly_best: NDArray[np.bool_]
    curves: dict[str, Bundle]
    asked: list[tuple[object, object]]
    rows: int
    features: int
    k: int
    budget: int
    runs: int
    seed: int
    strategy: str
    classes: dict[object, int]
    notes: list[str]


def simulate(
    table: LabelledTable,
    *,
    k: int,
    budget: int,
    strategy: str = strategies.RECOMMENDED,
    estimator: Estimator | None = None,
    runs: int = 5,
    seed: int = 0,
    missing: Missing = "error",
    ignore: Sequence[str] = (),
    redundancy: str = "none",
    bins: int = 10,
    binning: Binning = "kmeans",
    advance: Callable[[], None] = lambda: None,
) -> Study:
    """Reveal labels one by one, as a strategy asks for them, and compare with random labelling.

    Parameters
    ----------
    table : LabelledTable
        The table.
    k, budget : int
        Features wanted, labels to be revealed.
    strategy : str
        Name of a strategy.
    estimator : {"plug-in", "assisted"}, optional
        How features are judged; by default what suits the strategy. Random labelling, with which it is compared,
        is judged by its labels alone.
    runs, seed : int
        Runs of each strategy, with the seeds `seed`, `seed` + 1, ...
    missing : {"error", "value"}
        Whether missing values are an error or a value of their own.
    ignore : sequence of str
        Columns that are no features.
    redundancy : str
        Name of a rule that makes k features of single ones.
    bins, binning
        How real-valued columns are binned.
    advance : callable
        Called after each of the runs; there are `runs` for each of one or two strategies.
    """
    pool = Pool.from_table(
        table.features, missing=missing, names=table.names, row_ids=table.ids, ignore=ignore, bins=bins, binning=binning
    )
    _check(pool, k, budget, runs)
    # Unknown names are told before the first run.
    judged = declared()["estimator"].accepts.check("estimator", estimator) or strategies.create(strategy).estimator
    rules.create(redundancy)
    values = list(dict.fromkeys(table.labels))
    number = {value: i for i, value in enumerate(values)}
    problem = Problem.of(pool, np.array([number[label] for label in table.labels], dtype=np.int64))
    curves: dict[str, Bundle] = {}
    first = None
    shown = strategy if judged == strategies.create(strategy).estimator else f"{strategy} + {judged}"
    lines: dict[str, tuple[str, Estimator]] = {shown: (strategy, judged), RANDOM: (RANDOM, "plug-in")}
    assistant = Assistant(pool, seed=seed) if "assisted" in (judged, strategies.create(strategy).estimator) else None
    for name, (choice, how) in lines.items():
        gaps = []
        for run in range(runs):
            session, result = run_session(
                problem, strategies.create(choice), (k,), budget, seed + run, redundancy, assistant, how
            )
            gaps.append(result.gaps[0].astype(np.float64))
            first = (session, result) if first is None else first
            advance()
        curves[name] = Bundle(np.stack(gaps), same_rows=False)
    assert first is not None
    notes = _notes(table, pool, len(set(ignore)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OneClassWarning)
        selection = first[0].selection()
    notes += [f"First run: {warning.message}." for warning in caught]
    if redundancy != "none":
        notes.append(
            f"Features were chosen by {redundancy}, which gives up information of single features for less overlap; "
            "the gap counts the information of single features."
        )
    # What the same rule chooses when it knows all labels.
    all_labels = Session(pool, k, redundancy=redundancy, random_state=seed, classes=list(range(max(2, len(values)))))
    all_labels.tell(np.arange(pool.n_rows), problem.y)
    best = pool.columns[all_labels.leaders()]
    names = pool.row_ids or range(pool.n_rows)
    return Study(
        selection=selection,
        truly_best=np.isin(selection.features, best),
        curves=curves,
        asked=[(names[row], table.labels[row]) for row in first[1].rows.tolist()],
        rows=pool.n_rows,
        features=pool.n_features,
        k=k,
        budget=budget,
        runs=runs,
        seed=seed,
        strategy=shown,
        classes={value: table.labels.count(value) for value in values},
        notes=notes,
    )


def _notes(table: LabelledTable, pool: Pool, ignored: int) -> list[str]:
    notes = []
    if table.unlabelled:
        notes.append(f"{table.unlabelled:,} rows without a label were left out.")
    if dropped := pool.n_columns - pool.n_features - ignored:
        notes.append(f"{dropped:,} column{'s' if dropped > 1 else ''} with one value only left out.")
    return notes


def _check(pool: Pool, k: int, budget: int, runs: int) -> None:
    for what, value in (("k", k), ("budget", budget), ("seeds", runs)):
        if value < 1:
            raise InvalidInputError(f"{what} must be at least 1, got {value}")
    if budget > pool.n_rows:
        raise InvalidInputError(f"the budget of {budget} labels is more than the {pool.n_rows} rows that have a label")
    if k > pool.n_features:
        raise InvalidInputError(
            f"k={k} features are wanted, but the table has {pool.n_features} that vary ({pool.n_columns} in all)"
        )
