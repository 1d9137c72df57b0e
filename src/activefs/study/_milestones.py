"""Moments in the life of a study that somebody may want to hear of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from activefs.storages import Event, Kind
from activefs.study._engine import StudyEngine
from activefs.study._status import Status

SHARES = (25, 50, 75, 100)
"""Percent of the budget."""


_CHANGES = {Kind.PAUSED, Kind.RESUMED, Kind.ARCHIVED, Kind.RESTORED}


@dataclass(frozen=True)
class Milestone:
    """Something that was reached.

    Attributes
    ----------
    key : str
        Tells it from all others of the study, on every machine and after every restart.
    name : str
        What was reached, such as budget_50.
    time : datetime
        When.
    said : str
        The same for people.
    """

    key: str
    name: str
    time: datetime
    said: str


class Milestones:
    """What a study has reached, by its log; brought up to date entry by entry.

    Most of it depends on the log alone, so that nothing is missed while nobody looked. Whether a study is finished or
    certified is computed from its labels, which takes a while: see :meth:`judge`.

    Parameters
    ----------
    budget : float or None
        Budget of the study.
    cost : callable
        Says what the label of a row costs; 1 if labels have no price.

    Attributes
    ----------
    last : int
        Number of the last entry.
    reached : dict of str to Milestone
        What was reached so far, by key, in that order.
    notified : set of (str, str)
        What was told to whom: key of the milestone, and of the address.

    Examples
    --------
    >>> from datetime import UTC
    >>> now = datetime(2024, 5, 1, tzinfo=UTC)
    >>> found = Milestones(2)
    >>> found.apply([Event(Kind.LABELLED, 7, "ana", now, label="ill", id=1)])
    >>> list(found.reached)
    ['first_label', 'budget_25', 'budget_50']
    """

    def __init__(self, budget: float | None, cost: Callable[[int], float] = lambda row: 1.0) -> None:
        self._budget, self._cost = budget, cost
        self._labels: dict[int, set[int]] = {}  # labelled rows, and the entries that label them
        self._spent = 0.0
        self.last = 0
        self.reached: dict[str, Milestone] = {}
        self.notified: set[tuple[str, str]] = set()

    def apply(self, events: Iterable[Event]) -> None:
        """Take further entries of the log."""
        for event in events:
            self._apply(event)
            self.last = event.id

    def judge(self, status: Status, now: datetime) -> None:
        """Take what the labels amount to."""
        if status.certified:
            self._reach("certified", now, "the choice is certified")
        if status.finished:
            self._reach("finished", now, f"finished: {status.finished}")

    def disagreed(self, now: datetime) -> None:
        """Take that two annotators gave a row different labels, and that an owner is to settle it."""
        self._reach("disagreement", now, "two annotators disagree about a row: an owner can settle it")

    def _apply(self, event: Event) -> None:
        if event.kind is Kind.NOTIFIED:
            said = event.details or {}
            self.notified.add((str(said.get("milestone")), str(said.get("to"))))
        elif event.kind in _CHANGES:
            name = event.kind.value
            self._reach(name, event.time, f"{name} by {event.annotator}", f"{name}_{event.id}")
        elif event.kind is Kind.UNDONE:
            self._forget(event)
        elif event.label is not None and event.kind in (Kind.LABELLED, Kind.IMPORTED, Kind.CORRECTED):
            answer = event.about if event.kind is Kind.CORRECTED and event.about is not None else event.id
            if event.row not in self._labels:
                self._spent += self._cost(event.row)
            self._labels.setdefault(event.row, set()).add(answer)
            self._reach("first_label", event.time, "the first label is there")
            self._reach_shares(event.time)

    def _forget(self, event: Event) -> None:
        """Take back an answer; a row that two people answered is still labelled."""
        entries = self._labels.get(event.row)
        if entries is not None:
            entries.discard(event.about or 0)
            if not entries:
                del self._labels[event.row]
                self._spent -= self._cost(event.row)

    def _reach_shares(self, time: datetime) -> None:
        if self._budget is None:
            return
        for share in SHARES:
            if self._spent >= self._budget * share / 100 * (1 - 1e-9):
                self._reach(f"budget_{share}", time, f"{share}% of the budget is used")

    def _reach(self, name: str, time: datetime, said: str, key: str | None = None) -> None:
        self.reached.setdefault(key or name, Milestone(key or name, name, time, said))


def milestones_of(engine: StudyEngine) -> Milestones:
    """Follow the milestones of a study, from the beginning of its log."""
    priced = engine.settings.cost is not None
    return Milestones(engine.settings.budget, (lambda row: engine.cost([row]) or 0.0) if priced else lambda row: 1.0)


def study_key(engine: StudyEngine) -> str:
    """Name a study for receivers: the same on every machine and after every restart, another one for a new study."""
    said = f"{engine.created.isoformat()} {engine.settings.title} {engine.settings.seed} {engine.fingerprint['pool']}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]
