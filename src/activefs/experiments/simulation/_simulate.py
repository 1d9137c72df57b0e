"""A simulated study on a table whose labels are known: what a few of them would have found."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from activefs import criteria, strategies
from activefs import redundancy as rules
from activefs.engine import select_with_all_labels
from activefs.exceptions import InvalidInputError, NothingToAsk, NumericLabelsWarning, OneClassWarning
from activefs.experiments.simulation._notes import about_columns, about_labels, about_rows, about_rule, about_truth
from activefs.experiments.simulation._open import Progress, Trial
from activefs.experiments.simulation._prepare import Prepared, prepare
from activefs.experiments.simulation._simulation import RANDOM, Simulation
from activefs.model import Assistant
from activefs.options import check_options
from activefs.pool import Cluster, Pool
from activefs.runs import Bundle, RunResult, run_session
from activefs.selection import Selection
from activefs.session import Session
from activefs.tables import kept_if_named

# Random labelling is judged by its labels alone, whatever is tried beside it.
_RANDOM_ROWS = {
    "strategy": RANDOM, "strategy_params": None, "estimator": "plug-in", "model": None, "stop_when_gap_below": None,
}  # fmt: skip


def simulate(
    table: Trial,
    *,
    options: Mapping[str, Any],
    runs: int = 5,
    seed: int = 0,
    advance: Callable[[float], None] | None = None,
    progress: Progress | None = None,
    cluster: Cluster | None = None,
) -> Simulation:
    """Reveal labels one by one, as a strategy asks for them, and compare with random labelling.

    Parameters
    ----------
    table : LabelledTable or StreamedTable
        The table, such as :func:`open_trial` opens it. One that does not fit into memory is encoded into the user's
        cache folder, and its labels with it: the truth is counted, no row of it is in memory, and everything is
        computed as for other tables. The exceptions are the rules "jmi" and "cmim", whose choice with all labels is
        not known then (a note says so).
    options : mapping
        Options of the :class:`~activefs.Session`, by name: `k`, `budget`, `strategy` (by default the recommended one)
        and all others. The cost may be the name of a column of the table, which is then no feature. Runs end when the
        budget is used, or before that as `stop_when_gap_below` and ``when_certified="stop"`` say; by default they do
        not end when the choice is certified. Random labelling, with which the strategy is compared, is judged by its
        labels alone.
    runs, seed : int
        Runs of each strategy, with the seeds `seed`, `seed` + 1, ...
    advance : callable, optional
        Called after every label with the share of all work that is done since the last call; the shares add up to 1.
    progress : callable, optional
        Is told what is done before the first label, and which share of it, if the table is large.
    cluster : Cluster, optional
        Whose workers keep the table.

    Examples
    --------
    >>> from activefs.tables import LabelledTable
    >>> X = np.random.default_rng(0).integers(0, 2, size=(80, 4))
    >>> table = LabelledTable(X, ("a", "b", "c", "d"), (X[:, 2] > 0).tolist(), None, 0)
    >>> found = simulate(table, options={"k": 1, "budget": 20, "strategy": "afs"}, runs=2)
    >>> found.selection.names, found.truly_best.tolist(), found.labels["afs"].tolist()
    (('c',), [True], [20, 20])
    """
    given: dict[str, Any] = {**check_options({"when_certified": "continue", **options})}
    strategy = strategies.create(given["strategy"], given["strategy_params"])
    criterion, judged = criteria.create(given["criterion"]), given["estimator"] or strategy.estimator
    prepared = prepare(table, given, criterion, partial(_check, runs=runs), progress, cluster)
    pool, given, classes = prepared.pool, prepared.options, prepared.classes
    # Classes that nobody named, and that cannot all be seen, turn up as they are told.
    all_seen = given["budget"] is None or given["cost"] is not None or classes.count <= given["budget"]
    given |= {"classes": list(classes.values) if classes.fixed or all_seen else None, "label_edges": None}
    mine = {**given, "strategy": strategy, "strategy_params": None, "estimator": judged}
    if judged == "assisted" or strategy.needs_assistant:
        mine["assistant"] = Assistant(pool, mine.pop("model"), seed=seed)
    shown = strategy.name if judged == strategy.estimator else f"{strategy.name} + {judged}"
    lines = {shown: mine}
    if shown != RANDOM:
        lines[RANDOM] = {**given, **_RANDOM_ROWS}

    def tell(share: float) -> None:
        if advance is not None:
            advance(share / (runs * len(lines)))

    found: dict[str, list[RunResult]] = {name: [] for name in lines}
    first: Session | None = None
    for name, chosen in lines.items():
        for run in range(runs):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NumericLabelsWarning)  # all labels are known: a note says it
                session, result = run_session(prepared.hidden, chosen, seed + run, advance=tell)
            if result.rows.size == 0:
                raise InvalidInputError(f"no label would be asked for: {_why_nothing(session)}")
            found[name].append(result)
            first = session if first is None else first
    assert first is not None
    selection, notes = _describe(first)
    truth = _with_all_labels(prepared, seed)
    longest = max(result.rows.size for results in found.values() for result in results)
    asked = found[shown][0].rows.tolist()
    return Simulation(
        selection=selection,
        truly_best=None if truth is None else np.isin(selection.features, truth.features[~np.array(truth.by_chance)]),
        by_chance=None if truth is None else np.isin(selection.features, truth.features[np.array(truth.by_chance)]),
        curves={name: Bundle(np.stack([_held(r, longest) for r in results])) for name, results in found.items()},
        labels={name: np.array([r.rows.size for r in results]) for name, results in found.items()},
        asked=list(zip(prepared.names_of(asked), prepared.labels_of(asked), strict=True)),
        asked_classes=[classes.values[prepared.hidden.code_of(row)] for row in asked],
        rows=pool.n_rows,
        features=pool.n_features,
        k=given["k"],
        budget=given["budget"],
        by_cost=given["cost"] is not None,
        runs=runs,
        seed=seed,
        strategy=shown,
        classes=dict(zip(classes.values, prepared.class_counts.tolist(), strict=True)),
        notes=[
            *about_rows(table.notes, prepared.unlabelled),
            *about_labels(classes, pool.n_rows),
            *notes,
            *about_rule(given["redundancy"]),
            *about_truth(truth, given["redundancy"]),
            *about_columns(pool),
        ],
        left_out=pool.left_out,
    )


def _held(result: RunResult, length: int) -> Any:
    """The gaps of a run; if it ended before the longest one, the last gap goes on."""
    gaps = result.gaps[0].astype(np.float64)
    return np.pad(gaps, (0, length - gaps.size), mode="edge")


def _with_all_labels(given: Prepared, seed: int) -> Selection | None:
    """What the same rule would choose if it knew all labels; None if they are too many for the rule."""
    rule, k = rules.create(given.options["redundancy"]), given.options["k"]
    if not rule.needs_rows:
        return select_with_all_labels(given.estimates, rule, k, seed)
    if given.all_labels is None:
        return None
    same = {name: given.options[name] for name in ("k", "criterion", "redundancy")}
    session = Session(given.pool, strategy=RANDOM, random_state=seed, **same)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericLabelsWarning)
        session.tell(np.arange(given.pool.n_rows), given.all_labels())
    return session.selection()


def _describe(session: Session) -> tuple[Selection, list[str]]:
    """The choice of a session, and its warnings as sentences."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OneClassWarning)
        selection = session.selection()
    return selection, [f"First run: {warning.message}." for warning in caught]


def _why_nothing(session: Session) -> str:
    try:
        session.ask()
    except NothingToAsk as reason:
        return str(reason)
    raise AssertionError("a session that has ended asks again")


def _check(pool: Pool, options: Mapping[str, Any], *, runs: int) -> None:
    budget, k = options["budget"], options["k"]
    if runs < 1:
        raise InvalidInputError(f"seeds must be at least 1, got {runs}")
    if budget is not None and options["cost"] is None and budget > pool.n_rows:
        raise InvalidInputError(
            f"the budget of {budget:,g} labels is more than the {pool.n_rows:,} rows that have a label"
        )
    if k > pool.n_features:
        raise InvalidInputError(
            f"k={k} features are wanted, but the table has {pool.n_features} that vary ({pool.n_columns} in all)"
            f"{kept_if_named(pool.left_out)}"
        )
