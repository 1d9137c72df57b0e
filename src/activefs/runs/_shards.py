"""Runs that are computed together because they share their beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from activefs.runs._items import RunResult, WorkItem
from activefs.runs._labelled_pools import assistant_of, labelled_pool
from activefs.runs._session import run_session
from activefs.runs._sources import Source
from activefs.strategies import AFS, Draw, State, Strategy, draw_random, stalled
from activefs.types import Int32s


class Replay(Strategy):
    """The rows of a run of AFS whose safeguard was later or off, up to the moment at which it fires now.

    From there on it draws rows as AFS does. The run is the same as that of AFS itself, for a fraction
    of the time.
    """

    name: ClassVar[str] = "replay"

    def __init__(self, rows: Int32s, afs: AFS) -> None:
        self.rows = rows
        self.afs = afs
        self.unseen = afs.unseen
        self._fired_at: int | None = None

    def ask(self, state: State, rng: np.random.Generator) -> int | Draw:
        """Repeat the row, or draw one."""
        now = state.labelled.size
        if self._fired_at is None or now < self._fired_at:  # what has fired stays so
            self._fired_at = now if stalled(state.history, self.afs.safeguard, self.afs.tolerance) else None
        return int(self.rows[now]) if self._fired_at is None else draw_random(state, rng)


@dataclass(frozen=True)
class RunShard:
    """Runs that are computed together: one, or several of AFS that differ in the safeguard only.

    Attributes
    ----------
    items : tuple of WorkItem
        The one whose safeguard fires last, or never, comes first: the others repeat its rows.
    known : array of int, optional
        Rows of an earlier run that fires even later, if there is one: then the first repeats them too.
    """

    items: tuple[WorkItem, ...]
    known: Int32s | None = None

    @property
    def source(self) -> Source:
        """The data set."""
        return self.items[0].source

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        first = self.items[0]
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
        return first.budget * (per_label + 250.0 * (len(self.items) - 1))

    def run(self) -> list[RunResult]:
        """Compute the items, in their order."""
        results: list[RunResult] = []
        rows = self.known
        for item in self.items:
            strategy = item.line.create(item.random_state)
            if rows is not None and isinstance(strategy, AFS):
                strategy = Replay(rows, strategy)
            options: dict[str, Any] = {"k": item.ks[0], "budget": item.budget, "strategy": strategy}
            options["estimator"] = item.line.estimator
            if item.line.estimator == "assisted":
                options["assistant"] = assistant_of(item.source, item.random_state)[0]
            _, found = run_session(labelled_pool(item.source), options, item.random_state, ks=item.ks)
            results.append(found)
            rows = found.rows if rows is None else rows
        return results
