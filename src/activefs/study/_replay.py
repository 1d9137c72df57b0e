"""A session that can be led to any position of a study, forwards and backwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from activefs.engine import ClassList
from activefs.model import Assistant
from activefs.pool import Pool
from activefs.session import Session
from activefs.study._settings import Settings
from activefs.study._state import Position, Told
from activefs.study._table import StudyTable


@dataclass(frozen=True)
class Next:
    """The next row, or why there is none: because the study is `finished`, or because others hold what is left."""

    row: int | None
    reason: str = ""
    finished: bool = False


class ReplaySession(Session):
    """A session of a study.

    Sessions answer as a function of their labels, their pending rows and those set aside; this one is told all three at
    once, and does only what is needed to get there from where it was.
    """

    def __init__(self, pool: Pool, settings: Settings, cost: Any = None, assistant: Assistant | None = None) -> None:
        super().__init__(
            pool,
            settings.k,
            strategy=settings.strategy,
            budget=settings.budget,
            delta=settings.delta,
            criterion=settings.criterion,
            redundancy=settings.redundancy,
            cost=cost,
            strategy_params=settings.strategy_params or None,
            estimator=settings.estimator,  # type: ignore[arg-type]  # checked there
            stop_when_gap_below=settings.stop_when_gap_below,
            assistant=assistant,
            classes=settings.classes,
            when_certified=settings.when_certified,  # type: ignore[arg-type]  # checked there
            random_state=settings.seed,
        )
        self._classes = _Trusted(settings.classes)

    def go_to(self, position: Position) -> None:
        """Be where the study is."""
        shared = self._in_common(position.told)
        while self.n_labels > shared:
            self.undo()
        self._ledger.set_open((), ())
        # Labels that exist already are told all at once, answers one by one.
        for asked, group in groupby(position.told[shared:], key=lambda told: told[2]):
            some = list(group)
            if asked:
                for row, label, _ in some:
                    self._ledger.pending[row] = None
                    self.tell(row, label)
            else:
                self.tell([row for row, _, _ in some], [label for _, label, _ in some])
        self._ledger.set_open(position.pending, position.skipped)

    def next(self) -> Next:
        """Choose the next row, and stay where we are."""
        if (reason := self._why_finished()) is not None:
            return Next(None, reason, finished=True)
        if (reason := self._why_wait()) is not None:
            return Next(None, reason)
        row = self._next()
        del self._ledger.pending[row]
        self._ledger.free[row] = True
        return Next(row)

    def next_reason(self) -> str:
        """Say why the study is finished; nothing if it is not."""
        return self._why_finished() or ""

    def caution(self) -> str:
        """Say why the choice means little so far; nothing if it does mean something."""
        used = set(self._ledger.told.values())
        if len(used) < 2 and self.k < self.pool.n_features:
            what = "there is no label yet" if not used else "all labels so far are of one class"
            return f"{what}: the ranking of features is arbitrary"
        return ""

    def _warn_if_arbitrary(self) -> None:
        """Warnings are of no use to a server with many threads: see :meth:`caution`."""

    def _in_common(self, told: tuple[Told, ...]) -> int:
        values = self.classes
        mine = zip(self._ledger.told.items(), self._ledger.sums, strict=True)
        count = 0
        for ((row, code), before), other in zip(mine, told, strict=False):
            if (row, values[code], before is not None) != other:
                break
            count += 1
        return count


class _Trusted(ClassList):
    """Labels were checked before they went into the log; when it is replayed they are taken as they are."""

    def check_growth(self, labels: Iterable[Any], told: int) -> None:
        return None


def new_session(table: StudyTable, settings: Settings) -> ReplaySession:
    """Make a session of a study; all of them share the model, which takes a while to prepare."""
    session = ReplaySession(table.pool, settings, table.cost, table.assistant)
    table.assistant = session.assistant
    return session
