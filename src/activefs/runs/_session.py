"""One run: label a pool with the true labels and measure the gap after every label."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from activefs.exceptions import NothingToAsk
from activefs.model import last_refit
from activefs.redundancy import TopK
from activefs.runs._gap import GapMeter
from activefs.runs._items import RunResult
from activefs.runs._labelled_pools import LabelledPool
from activefs.session import Session
from activefs.types import Floats


def run_session(
    given: LabelledPool,
    options: Mapping[str, Any],
    seed: int,
    *,
    ks: Sequence[int] | None = None,
    advance: Callable[[float], None] | None = None,
) -> tuple[Session, RunResult]:
    """Run one session until there is nothing more to ask, and measure the gap after every label.

    With a redundancy rule there is one k, and the gap is that of the features which the rule would choose. The
    gap of the assisted estimate is measured after each of the first labels, then when its model learns again, and
    after the last one; in between it stays the same.

    Parameters
    ----------
    given : LabelledPool
        The pool and its labels.
    options : mapping
        Options of the :class:`~activefs.Session`; it does not stop when the choice is certified unless they say so.
    seed : int
        Seed of the session, and of ties when the gap is measured.
    ks : sequence of int, optional
        The k for which the gap is measured, ascending, the session's own first; by default that one alone.
    advance : callable, optional
        Called after every label with the share of the run that is done since the last call. The shares add up to 1;
        a run that ends before its budget is used has the rest at once.

    Examples
    --------
    >>> from activefs.pool import Pool
    >>> X = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    >>> given = LabelledPool.of(Pool.from_table(X), X[:, 1])
    >>> session, result = run_session(given, {"k": 1, "strategy": "random", "budget": 20}, seed=0)
    >>> session.n_labels, result.gaps.shape, float(result.gaps[0, -1])
    (20, (1, 20), 0.0)
    """
    session = Session(
        given.pool, random_state=seed, **{"when_certified": "continue", "classes": list(given.classes), **options}
    )
    wanted = (session.k,) if ks is None else ks
    meter = GapMeter(given.truth, wanted, seed)
    one_by_one = isinstance(session.rule, TopK)

    def gap() -> Floats | float:
        return meter.by_estimates(session.values()) if one_by_one else meter.of(session.leaders())

    most = given.pool.n_rows
    rows, gaps = np.empty(most, dtype=np.int32), np.empty((len(wanted), most), dtype=np.float32)
    seconds, processor = np.empty(most, dtype=np.float32), np.empty(most, dtype=np.float32)
    shares = _shares(most, options)
    n, measured = 0, True
    while True:
        started, used = time.perf_counter(), time.process_time()
        try:
            row = session.ask()
        except NothingToAsk:
            break
        seconds[n], processor[n] = time.perf_counter() - started, time.process_time() - used
        session.tell(row, given.classes[given.y[row]])
        rows[n] = row
        measured = session.estimator == "plug-in" or last_refit(n + 1) in (0, n + 1)
        gaps[:, n] = gap() if measured else gaps[:, n - 1]
        n += 1
        if advance is not None:
            advance(float(shares[row]))
    if not measured:
        gaps[:, n - 1] = gap()
    if advance is not None:
        advance(max(0.0, 1.0 - float(shares[rows[:n]].sum())))
    return session, RunResult(rows[:n].copy(), gaps[:, :n].copy(), seconds[:n].copy(), processor[:n].copy())


def _shares(n_rows: int, options: Mapping[str, Any]) -> Floats:
    """What share of a run the label of each row is, if the run ends with its budget or with the last row."""
    cost, budget = options.get("cost"), options.get("budget")
    costs = np.ones(n_rows) if cost is None else np.asarray(cost, dtype=np.float64)
    return np.asarray(costs / min(costs.sum(), np.inf if budget is None else budget))
