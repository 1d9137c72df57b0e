"""One run: label a pool with the true labels and measure the gap after every label."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from activefs.exceptions import NothingToAsk
from activefs.model import last_refit
from activefs.redundancy import TopK
from activefs.runs._counted_pools import HiddenLabels
from activefs.runs._gap import GapMeter
from activefs.runs._items import RunResult
from activefs.session import Session
from activefs.types import Floats


def run_session(
    given: HiddenLabels,
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
    given : LabelledPool or CountedPool
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
    >>> from activefs.runs import LabelledPool
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

    def gap() -> Floats:
        if one_by_one:
            return meter.by_estimates(session.values())
        return np.full(len(wanted), meter.of(session.leaders()))

    rows: list[int] = []
    gaps: list[Floats] = []
    seconds: list[float] = []
    processor: list[float] = []
    share = _share_of(given.pool.n_rows, options)
    told, measured = 0.0, True
    while True:
        started, used = time.perf_counter(), time.process_time()
        try:
            row = session.ask()
        except NothingToAsk:
            break
        seconds.append(time.perf_counter() - started)
        processor.append(time.process_time() - used)
        session.tell(row, given.classes[given.code_of(row)])
        rows.append(row)
        measured = session.estimator == "plug-in" or last_refit(len(rows)) in (0, len(rows))
        gaps.append(gap() if measured else gaps[-1])
        if advance is not None:
            advance(share(row))
            told += share(row)
    if not measured:
        gaps[-1] = gap()
    if advance is not None:
        advance(max(0.0, 1.0 - told))
    kind = np.int32 if given.pool.n_rows <= np.iinfo(np.int32).max else np.int64
    times = (np.array(some, dtype=np.float32) for some in (seconds, processor))
    measurements = np.array(gaps, dtype=np.float32).reshape(len(rows), len(wanted)).T.copy()
    return session, RunResult(np.array(rows, dtype=kind), measurements, *times)


def _share_of(n_rows: int, options: Mapping[str, Any]) -> Callable[[int], float]:
    """Say what share of a run the label of a row is, if the run ends with its budget or with the last row."""
    cost, budget = options.get("cost"), options.get("budget")
    most = np.inf if budget is None else budget
    if cost is None:
        return lambda row: float(1.0 / min(n_rows, most))
    costs = np.asarray(cost, dtype=np.float64)
    whole = min(costs.sum(), most)
    return lambda row: float(costs[row] / whole)
