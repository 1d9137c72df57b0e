"""Where a study stands: progress, the current top k, how contested its places are, how it settled."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from activefs.model import last_refit
from activefs.storages import Label
from activefs.study._engine import Engine
from activefs.study._replay import ReplaySession
from activefs.study._state import Position, Told
from activefs.types import Selection

T = TypeVar("T")

_POINTS = 200
_POINTS_OF_MODELS = 12


@dataclass(frozen=True)
class Place:
    """One of the k places.

    Attributes
    ----------
    rank : int
        1 for the best.
    name : str
        The feature that holds it.
    score, lower, upper : float
        Estimated quality and its bounds.
    challengers : int
        Features outside the top k that could still be better than this one.
    strongest : str
        The challenger with the highest upper bound; empty if there is none.
    values : tuple of str
        What the values of the feature are.
    """

    rank: int
    name: str
    score: float
    lower: float
    upper: float
    challengers: int
    strongest: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Share:
    """How much one annotator did."""

    name: str
    labels: int
    skips: int
    open: int


@dataclass(frozen=True)
class Status:
    """Where a study stands; `cost` is what the labels cost together, if they have a price."""

    n_labels: int
    budget: float | None
    cost: float | None
    n_rows: int
    n_features: int
    n_skipped: int
    n_open: int
    certified: bool
    finished: str
    caution: str
    places: tuple[Place, ...]
    annotators: tuple[Share, ...]
    classes: tuple[tuple[Label, int], ...]
    criterion: str
    last: int
    selection: Selection

    @property
    def sure(self) -> str:
        """How far the choice can be trusted, in a few words."""
        return self.selection.sure

    @property
    def used(self) -> str:
        """What is used of the budget, in words."""
        of = "" if self.budget is None else f" of {amount(self.budget)}"
        if self.cost is None:
            return f"{self.n_labels}{of} labels"
        return f"{self.n_labels} labels, which cost {amount(self.cost)}{of}"


@dataclass(frozen=True)
class Point:
    """After so many labels: how many of today's top k were there already, and how many features were contested."""

    labels: int
    settled: int
    contested: int


class Reader:
    """Looks at a study without changing it.

    Parameters
    ----------
    engine : Engine
        The study.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._settling = _Settling(engine)

    def status(self) -> Status:
        """Say where the study stands."""
        engine = self._engine
        now = engine.clock()
        with engine.reading() as state:
            here = state.position(now)
            names = dict.fromkeys(a.annotator for a in state.answers())
            labels = Counter(a.annotator for a in state.told.values())
            skips = Counter(a.annotator for a in state.skipped.values())
            held = Counter(q.annotator for q in state.open.values() if q.until > now)
            told = Counter(a.label for a in state.told.values() if a.label is not None)
            last = state.last
        known = engine.settings.classes or ()
        selection, places, finished, caution = self._look(here)
        everyone = sorted({*names, *held}, key=lambda name: (-labels[name], name))
        return Status(
            n_labels=len(here.told),
            budget=engine.settings.budget,
            cost=engine.cost([told[0] for told in here.told]),
            n_rows=engine.table.n_rows,
            n_features=engine.table.pool.n_features,
            n_skipped=len(here.skipped),
            n_open=len(here.pending),
            certified=selection.certified,
            finished=finished,
            caution=caution,
            places=places,
            annotators=tuple(Share(n, labels[n], skips[n], held[n]) for n in everyone),
            classes=tuple((label, told[label]) for label in dict.fromkeys([*known, *told])),
            criterion=engine.settings.criterion,
            last=last,
            selection=selection,
        )

    def history(self) -> list[Point]:
        """Say how the top k settled."""
        return self._settling.history()

    def _look(self, here: Position) -> tuple[Selection, tuple[Place, ...], str, str]:
        def look(session: ReplaySession) -> tuple[Selection, tuple[Place, ...], str, str]:
            return session.selection(), _places(session), session.next_reason(), session.caution()

        if self._engine.table.assistant is None:
            return self._engine.asker.at(here, look)
        return self._settling.at(here, look)  # a model takes a while: whoever labels must not wait for it


class _Settling:
    """The top k after so many labels, remembered as long as the labels stay the same."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._session: ReplaySession | None = None
        self._told: tuple[Told, ...] = ()
        self._leaders: dict[int, tuple[frozenset[int], int]] = {}

    def at(self, position: Position, look: Callable[[ReplaySession], T]) -> T:
        """Lead the session to a position and look at it there."""
        with self._lock:
            session = self._made()
            session.go_to(position)
            return look(session)

    def _made(self) -> ReplaySession:
        if self._session is None:
            self._session = self._engine.new_session()
        return self._session

    def history(self) -> list[Point]:
        told = self._engine.position().told
        with self._lock:
            session = self._made()
            same = 0
            for old, new in zip(self._told, told, strict=False):
                if old != new:
                    break
                same += 1
            self._leaders = {n: found for n, found in self._leaders.items() if n <= same}
            self._told = told
            counts = sorted({*self._counts(len(told), session.estimator), len(told)})
            for n in counts:
                if n not in self._leaders:
                    session.go_to(Position(told[:n], (), ()))
                    found = session.contested()
                    self._leaders[n] = frozenset(found.leaders.tolist()), int(found.features.size)
            today = self._leaders[len(told)][0]
            return [Point(n, len(self._leaders[n][0] & today), self._leaders[n][1]) for n in counts if n > 0]

    @staticmethod
    def _counts(labels: int, estimator: str) -> Sequence[int]:
        """Label counts to be looked at."""
        if estimator == "plug-in":
            return _thinned(range(labels + 1), _POINTS)
        # A model has to learn for every point: fewer, and those at which it learnt anyway.
        return _thinned([n for n in range(labels + 1) if last_refit(n) == n], _POINTS_OF_MODELS)


def _thinned(counts: Sequence[int], most: int) -> Sequence[int]:
    """At most about so many of them.

    The step is a power of two: the points of a longer history are among those known already.
    """
    return counts[:: 1 << max(0, (len(counts) - 1) // most).bit_length()]


def _places(session: ReplaySession) -> tuple[Place, ...]:
    selection = session.selection()
    leaders = session.leaders()
    lower, upper = session.bounds()
    others = np.ones(session.pool.n_features, dtype=bool)
    others[leaders] = False
    rest = np.flatnonzero(others)
    places = []
    for i, leader in enumerate(leaders.tolist()):
        # Estimates are losses: smaller is better. Who could still be below the worst of this leader?
        dangerous = rest[lower[rest] < upper[leader]]
        strongest = ""
        if dangerous.size:
            strongest = session.pool.names[int(dangerous[np.argmin(lower[dangerous])])]
        places.append(
            Place(
                rank=i + 1,
                name=selection.names[i],
                score=float(selection.scores[i]),
                lower=float(selection.lower[i]),
                upper=float(selection.upper[i]),
                challengers=int(dangerous.size),
                strongest=strongest,
                values=selection.values[i] if selection.values else (),
            )
        )
    return tuple(places)


def amount(value: float) -> str:
    """Write a number of labels, or what they cost.

    Examples
    --------
    >>> amount(2_000_000.0), amount(0.1 + 0.2)
    ('2,000,000', '0.3')
    """
    return f"{value:,.10g}"
