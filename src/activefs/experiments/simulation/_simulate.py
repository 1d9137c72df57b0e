"""A simulated study on a table whose labels are known: what a few of them would have found."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from activefs import criteria, strategies
from activefs.engine import ClassList, RangeList, classes_from
from activefs.exceptions import (
    InvalidInputError,
    InvalidLabelError,
    NothingToAsk,
    NumericLabelsWarning,
    OneClassWarning,
)
from activefs.experiments.simulation._notes import about_columns, about_labels, about_rows, about_rule, about_truth
from activefs.experiments.simulation._simulation import RANDOM, Simulation
from activefs.model import Assistant
from activefs.options import Options, check_options, of_table
from activefs.pool import Pool, column_values, read_pool
from activefs.runs import Bundle, LabelledPool, RunResult, run_session
from activefs.selection import Selection
from activefs.session import Session
from activefs.tables import LabelledTable, check_classes, kept_if_named

# Random labelling is judged by its labels alone, whatever is tried beside it.
_RANDOM_ROWS = {
    "strategy": RANDOM, "strategy_params": None, "estimator": "plug-in", "model": None, "stop_when_gap_below": None,
}  # fmt: skip


def simulate(
    table: LabelledTable,
    *,
    options: Mapping[str, Any],
    runs: int = 5,
    seed: int = 0,
    advance: Callable[[float], None] | None = None,
) -> Simulation:
    """Reveal labels one by one, as a strategy asks for them, and compare with random labelling.

    Parameters
    ----------
    table : LabelledTable
        The table.
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
    pool, given = _encode(table, given)
    _check(pool, given, runs)
    classes = _classes(table, given)
    y = np.array([classes.code(label) for label in table.labels], dtype=np.int64)
    labelled = LabelledPool.of(pool, y, criterion=criterion, classes=list(classes.values))
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
                session, result = run_session(labelled, chosen, seed + run, advance=tell)
            if result.rows.size == 0:
                raise InvalidInputError(f"no label would be asked for: {_why_nothing(session)}")
            found[name].append(result)
            first = session if first is None else first
    assert first is not None
    selection, notes = _describe(first)
    truth = _with_all_labels(labelled, given, seed)
    by_chance = np.array(truth.by_chance)
    longest = max(result.rows.size for results in found.values() for result in results)
    names = pool.row_ids or range(pool.n_rows)
    return Simulation(
        selection=selection,
        truly_best=np.isin(selection.features, truth.features[~by_chance]),
        by_chance=np.isin(selection.features, truth.features[by_chance]),
        curves={name: Bundle(np.stack([_held(r, longest) for r in results])) for name, results in found.items()},
        labels={name: np.array([r.rows.size for r in results]) for name, results in found.items()},
        asked=[(names[row], table.labels[row]) for row in found[shown][0].rows.tolist()],
        asked_classes=[classes.values[y[row]] for row in found[shown][0].rows.tolist()],
        rows=pool.n_rows,
        features=pool.n_features,
        k=given["k"],
        budget=given["budget"],
        by_cost=given["cost"] is not None,
        runs=runs,
        seed=seed,
        strategy=shown,
        classes=dict(zip(classes.values, np.bincount(y, minlength=len(classes.values)).tolist(), strict=True)),
        notes=[
            *about_rows(table),
            *about_labels(table, classes),
            *notes,
            *about_rule(given["redundancy"]),
            *about_truth(truth),
            *about_columns(pool),
        ],
        left_out=pool.left_out,
    )


def _encode(table: LabelledTable, options: dict[str, Any]) -> tuple[Pool, dict[str, Any]]:
    """Encode the table; the options that come back are those of sessions on the pool."""
    reading = of_table(options)
    rest = {name: value for name, value in options.items() if name not in (*reading, "random_state")}
    if isinstance(rest["cost"], str):
        reading["ignore"] = (*reading["ignore"], rest["cost"])
        rest["cost"] = _column(table, rest["cost"])
    return read_pool(table.features, names=table.names, row_ids=table.ids, **reading), rest


def _column(table: LabelledTable, name: str) -> Any:
    if table.names is None or name not in table.names:
        return column_values(table.features, name)
    column = table.features[:, [table.names.index(name)]]
    return np.ravel(column.toarray() if hasattr(column, "toarray") else column)


def _classes(table: LabelledTable, options: Mapping[str, Any]) -> ClassList:
    """The classes in the order in which they turn up in the table, or as they are given."""
    classes = classes_from(cast("Options", options))
    if not classes.fixed:
        check_classes(table)
    used = set()
    for label in dict.fromkeys(table.labels):
        try:
            used.add(classes.code(label))
        except InvalidLabelError as error:
            ranges = isinstance(classes, RangeList)
            what = "no numbers" if ranges else "none of the classes"
            commas = ranges and "," in str(label) and table.dialect.decimal == "."
            advice = "; if the file has decimal commas, say so with decimal=..." if commas else ""
            raise InvalidLabelError(f"the table has labels that are {what}: {error}{advice}") from None
    if len(used) < 2:
        raise InvalidInputError(
            f"all labels are of the class {classes.values[used.pop()]!r}: there is nothing to tell apart"
        )
    return classes


def _held(result: RunResult, length: int) -> Any:
    """The gaps of a run; if it ended before the longest one, the last gap goes on."""
    gaps = result.gaps[0].astype(np.float64)
    return np.pad(gaps, (0, length - gaps.size), mode="edge")


def _with_all_labels(labelled: LabelledPool, options: Mapping[str, Any], seed: int) -> Selection:
    """What the same rule would choose if it knew all labels."""
    same = {name: options[name] for name in ("k", "criterion", "redundancy")}
    session = Session(labelled.pool, strategy=RANDOM, random_state=seed, **same)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericLabelsWarning)
        session.tell(np.arange(labelled.pool.n_rows), [labelled.classes[code] for code in labelled.y])
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


def _check(pool: Pool, options: Mapping[str, Any], runs: int) -> None:
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
