"""The work itself: label a pool with the true labels and measure the gap after every label."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from activefs._kernels.best_k import sums_over_smallest
from activefs.model import Assistant, last_refit
from activefs.runs._assistants import assistant_of
from activefs.runs._sources import Problem, Source, problem
from activefs.runs._store import Piece, Result
from activefs.session import Session
from activefs.strategies import AFS, Estimator, State, Strategy, pick_random, stalled
from activefs.ties import TIE
from activefs.types import Floats

_ROUNDING = 1e-12


class Curve:
    """Gap of the best k features by the current estimates, for several k at once; ties drawn at random."""

    def __init__(self, truth: Floats, ks: Sequence[int], seed: int) -> None:
        self.truth = truth
        self.ks = np.asarray(ks, dtype=np.int64)
        self._state = np.array([seed], dtype=np.uint64)
        self._best = np.array([np.sort(truth)[:k].sum() for k in ks])
        self._sums = np.empty(len(ks))

    def of(self, features: NDArray[np.int64]) -> Floats:
        """Gap of chosen features, as many as the first k."""
        return np.asarray(np.maximum(self.truth[features].sum() - self._best[:1], 0.0))

    def now(self, estimates: Floats) -> Floats:
        """Gap for every k; what rounding alone makes of a perfect choice is 0."""
        sums_over_smallest(estimates, self.truth, self.ks, TIE, self._state, self._sums)
        gaps = self._sums - self._best
        return np.where(gaps > _ROUNDING, gaps, 0.0)


def measure(problem: Problem, strategy: Strategy, ks: Sequence[int], budget: int, seed: int) -> Result:
    """Run one session to the end of its budget and measure the gap after every label."""
    return run_session(problem, strategy, ks, budget, seed)[1]


def run_session(
    problem: Problem,
    strategy: Strategy,
    ks: Sequence[int],
    budget: int,
    seed: int,
    redundancy: str = "none",
    assistant: Assistant | None = None,
    estimator: Estimator = "plug-in",
) -> tuple[Session, Result]:
    """As `measure`, and the session as well; `ks` ascend, and the session itself works for the first.

    With a redundancy rule there is one k, and the gap is that of the features which the rule would choose. The
    gap of the assisted estimate is measured after each of the first labels and then when its model learns again, and
    stays the same in between.
    """
    session = Session(
        problem.pool, ks[0], strategy=strategy, budget=budget, when_certified="continue", random_state=seed,
        classes=list(range(int(problem.y.max()) + 1)), redundancy=redundancy, estimator=estimator, assistant=assistant,
    )  # fmt: skip
    curve = Curve(problem.truth, ks, seed)
    rows, gaps = np.empty(budget, dtype=np.int32), np.empty((len(ks), budget), dtype=np.float32)
    seconds, processor = np.empty(budget, dtype=np.float32), np.empty(budget, dtype=np.float32)
    for t in range(budget):
        started, used = time.perf_counter(), time.process_time()
        row = session.ask()
        seconds[t], processor[t] = time.perf_counter() - started, time.process_time() - used
        session.tell(row, int(problem.y[row]))
        rows[t] = row
        if estimator == "assisted" and t + 1 != budget and last_refit(t + 1) not in (0, t + 1):
            gaps[:, t] = gaps[:, t - 1]
        else:
            gaps[:, t] = curve.now(session.values()) if redundancy == "none" else curve.of(session.leaders())
    return session, Result(rows, gaps, seconds, processor)


class Replay(Strategy):
    """The rows of a run of AFS whose safeguard was later or off, up to the moment at which it fires now.

    From there on it draws rows as AFS does. The run is the same as that of AFS itself, for a fraction
    of the time.
    """

    name: ClassVar[str] = "replay"

    def __init__(self, rows: NDArray[np.int32], afs: AFS) -> None:
        self.rows = rows
        self.afs = afs
        self.unseen = afs.unseen
        self._fired_at: int | None = None

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Repeat the row, or draw one."""
        now = state.labelled.size
        if self._fired_at is None or now < self._fired_at:  # what has fired stays so
            self._fired_at = now if stalled(state.history, self.afs.safeguard, self.afs.tolerance) else None
        return int(self.rows[now]) if self._fired_at is None else pick_random(state.available, rng)


@dataclass(frozen=True)
class Task:
    """Pieces that are computed together: one, or several of AFS that differ in the safeguard only.

    Attributes
    ----------
    pieces : tuple of Piece
        The one whose safeguard fires last, or never, comes first: the others repeat its rows.
    known : array of int, optional
        Rows of an earlier run that fires even later, if there is one: then the first repeats them too.
    """

    pieces: tuple[Piece, ...]
    known: NDArray[np.int32] | None = None

    @property
    def source(self) -> Source:
        """The data set."""
        return self.pieces[0].source

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        first = self.pieces[0]
        rows, features = first.source.rows, first.source.features
        per_label = 100.0 + 0.03 * features
        if first.line.needs_k and self.known is None:
            wanted = 2 * first.ks[0]
            per_label += 300.0 + (
                8e-4 * rows * wanted * (wanted - 1) / 2 if first.line.is_afs else 1e-3 * rows * wanted
            )
        elif first.line.strategy == "avg-all":
            per_label += 1e-3 * rows * features
        elif first.line.strategy in ("coreset", "dwus"):
            per_label += 300 + 3e-5 * rows * features
        elif first.line.strategy == "activeml":
            per_label += 1e-2 * rows * features
        if first.line.estimator == "assisted":  # a model learns after every tenth more labels
            per_label += 2e4 + 0.8 * min(rows, 20_000) + 3.0 * features
        return first.budget * (per_label + 250.0 * (len(self.pieces) - 1))

    def run(self) -> list[Result]:
        """Compute the pieces, in their order."""
        results: list[Result] = []
        rows = self.known
        for piece in self.pieces:
            strategy = piece.line.create(piece.random_state)
            if rows is not None and isinstance(strategy, AFS):
                strategy = Replay(rows, strategy)
            estimator = piece.line.estimator
            assistant = assistant_of(piece.source)[0] if estimator == "assisted" else None
            _, found = run_session(
                problem(piece.source), strategy, piece.ks, piece.budget, piece.random_state, assistant=assistant,
                estimator=estimator,
            )  # fmt: skip
            results.append(found)
            rows = found.rows if rows is None else rows
        return results
