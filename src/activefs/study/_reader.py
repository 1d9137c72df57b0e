"""Looking at a study: what its labels amount to, and how that came about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import numpy as np

from activefs.engine import Engine, Position, Told
from activefs.exceptions import StorageError
from activefs.model import last_refit
from activefs.outlook import Curve, Forecast
from activefs.selection import Selection
from activefs.study._engine import StudyEngine
from activefs.study._kept_history import Stand, recall, remember
from activefs.study._outlook import forecast_of, kept, known
from activefs.study._status import (
    Moment,
    Point,
    RankedFeature,
    Status,
    Summary,
    key_of,
    known_status,
    make_status,
    moment_of,
)
from activefs.types import Floats

T = TypeVar("T")

_POINTS = 200
_POINTS_OF_MODELS = 12


class Reader:
    """Looks at a study without changing it; what was computed is kept with the study.

    Parameters
    ----------
    engine : StudyEngine
        The study.
    """

    def __init__(self, engine: StudyEngine) -> None:
        self._engine = engine
        self._history = _History(engine)

    def status(self, moment: Moment | None = None) -> Status:
        """Say where the study stands, now or at a moment before."""
        moment = moment or moment_of(self._engine)
        if (known := known_status(self._engine, moment)) is not None:
            return known
        summary = self._look(moment.position, summarise)
        with suppress(StorageError):  # then it is computed again the next time
            self._engine.storage.keep_answer(key_of(moment.position), summary.to_json())
        return make_status(self._engine, moment, summary)

    def moment(self) -> Moment:
        """Say what the log says now."""
        return moment_of(self._engine)

    def history(self, moment: Moment | None = None) -> list[Point]:
        """Say how the top k settled until now, or until a moment before."""
        moment = moment or moment_of(self._engine)
        if self.status(moment).arbitrary:  # then any top k is, and so would be how it settled
            return []
        return self._history.points(moment.position.told)

    def forecast(self, moment: Moment | None = None) -> Forecast:
        """Say when the study will be done."""
        moment = moment or moment_of(self._engine)
        storage, here = self._engine.storage, moment.position
        if (found := known(storage, here, Forecast)) is not None:
            return found
        return kept(storage, here, forecast_of(self._engine, self.status(moment), lambda: self.history(moment)))

    def curve(self, moment: Moment | None = None) -> Curve:
        """Say what 1 to 2k features tell, alone and together."""
        here = self._engine.position() if moment is None else moment.position
        if (found := known(self._engine.storage, here, Curve)) is not None:
            return found
        # Whoever labels, or looks at something else, does not wait for it.
        return kept(self._engine.storage, here, self._look(here, Engine.selection).curve())

    def _look(self, here: Position, look: Callable[[Engine, Position], T]) -> T:
        if self._engine.table.assistant is None:
            return self._engine.asker.at(here, look)
        return self._history.at(here, look)  # a model takes a while: whoever labels must not wait for it


class _History:
    """The top k after so many labels, remembered as long as the labels stay the same."""

    def __init__(self, engine: StudyEngine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._made: Engine | None = None
        self._told: tuple[Told, ...] = ()
        self._leaders: dict[int, Stand] = {}

    def at(self, position: Position, look: Callable[[Engine, Position], T]) -> T:
        """Let an engine of its own answer something about a position."""
        with self._lock:
            return look(self._own(), position)

    def _own(self) -> Engine:
        if self._made is None:
            self._made = self._engine.new_engine()
        return self._made

    def points(self, told: tuple[Told, ...]) -> list[Point]:
        with self._lock:
            engine = self._own()
            same = 0
            for old, new in zip(self._told, told, strict=False):
                if old != new:
                    break
                same += 1
            self._leaders = {n: found for n, found in self._leaders.items() if n <= same}
            self._told = told
            counts = sorted({*self._counts(len(told), engine.estimator), len(told)})
            self._fill(engine, counts)
            today = self._leaders[len(told)][0]
            return [Point(n, len(self._leaders[n][0] & today), *self._leaders[n][1:]) for n in counts if n > 0]

    def _fill(self, engine: Engine, counts: Sequence[int]) -> None:
        new = [n for n in counts if n not in self._leaders]
        if new and engine.estimator == "assisted":
            self._leaders |= recall(self._engine.storage, self._told, new)
            new = [n for n in new if n not in self._leaders]
        for n in new:
            self._leaders[n] = _stand(engine, Position(self._told[:n]))
        if new and engine.estimator == "assisted":
            remember(self._engine.storage, self._told, {n: self._leaders[n] for n in counts})

    @staticmethod
    def _counts(labels: int, estimator: str) -> Sequence[int]:
        """Label counts to be looked at."""
        if estimator == "plug-in":
            return _thinned(range(labels + 1), _POINTS)
        # A model has to learn for every point: fewer, and those at which it learnt anyway.
        return _thinned([n for n in range(labels + 1) if last_refit(n) == n], _POINTS_OF_MODELS)


def _stand(engine: Engine, position: Position) -> Stand:
    """Say which features are chosen, how many features are contested, and what the chosen ones are expected to lack."""
    found = engine.contested(position)
    return frozenset(found.leaders.tolist()), int(found.features.size), engine.expected_gap(position)


def _thinned(counts: Sequence[int], most: int) -> Sequence[int]:
    """At most about so many of them.

    The step is a power of two: the points of a longer history are among those known already.
    """
    return counts[:: 1 << max(0, (len(counts) - 1) // most).bit_length()]


def summarise(engine: Engine, position: Position) -> Summary:
    """Say what the labels of a position amount to."""
    selection = engine.selection(position)
    return Summary(
        places=() if selection.arbitrary else _ranked(engine, position, selection),
        selection=selection.to_json(),
        sure=selection.sure,
        caution=engine.caution(position),
        finished=engine.why_enough(position) or "",
        finished_when_idle=engine.why_finished(replace(position, pending=())) or "",
        cost=None if engine.budget.cost is None else engine.budget.of(position.rows),
        n_features=engine.pool.n_features,
        left_out=engine.pool.left_out,
    )


def _ranked(engine: Engine, position: Position, selection: Selection) -> tuple[RankedFeature, ...]:
    found = engine.contested(position)
    others = found.challengers[~np.isin(found.challengers, found.leaders)]
    ranked = []
    for i, leader in enumerate(found.leaders.tolist()):
        contested = leader in found.features
        ranked.append(
            RankedFeature(
                rank=i + 1,
                name=selection.names[i],
                score=float(selection.scores[i]),
                lower=float(selection.lower[i]),
                upper=float(selection.upper[i]),
                chance=0.0 if selection.chance is None else float(selection.chance[i]),
                above_chance=not selection.by_chance[i],
                probability=_of(selection.probability, int(selection.features[i])),
                contested=contested,
                challengers=int(others.size) if contested else 0,
                strongest=engine.pool.names[int(others[0])] if contested else "",
                values=selection.values[i] if selection.values else (),
            )
        )
    return tuple(ranked)


def _of(probability: Floats | None, column: int) -> float | None:
    return None if probability is None else float(probability[column])
