"""What people want to know besides: how many features a study needs, and when it will be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from activefs.engine import Position
from activefs.exceptions import StorageError
from activefs.outlook import FEW_LABELS, Curve, Forecast, forecast
from activefs.storages import Storage
from activefs.study._engine import StudyEngine
from activefs.study._status import Point, Status

T = TypeVar("T", Curve, Forecast)

_MODEL_STARTS = 10
_BY_LABELS_ALONE = "not foreseeable: features are judged by the labels alone, without a model that expects a gap"


def known(storage: Storage, position: Position, what: type[T]) -> T | None:
    """Find what was computed for a position before; None if it was not, or by another release."""
    content = storage.find_answer(_key(position, what))
    if content is None:
        return None
    with suppress(KeyError, TypeError, ValueError):
        return what.from_json(content)
    return None


def kept(storage: Storage, position: Position, made: T) -> T:
    """Keep what was computed for a position, and return it."""
    content: Mapping[str, Any] = made.to_json()
    with suppress(StorageError):  # then it is computed again the next time
        storage.keep_answer(_key(position, type(made)), content)
    return made


def forecast_of(engine: StudyEngine, status: Status, history: Callable[[], list[Point]]) -> Forecast:
    """Say when a study will be done; its history is asked for only if there are labels enough to say anything."""
    found, settings = status.selection, engine.settings
    if found.expected_gap is None:
        return Forecast("unknown", _BY_LABELS_ALONE, status.n_labels)
    now = (status.n_labels, found.expected_gap)
    points = [now]
    if status.n_labels >= FEW_LABELS and not found.connection:
        before = [(p.labels, p.expected_gap) for p in history() if p.expected_gap is not None]
        points = [p for p in before if _MODEL_STARTS <= p[0] < now[0]] + [now]
    return forecast(
        points,
        k=settings.k,
        total=float(found.scores.sum()),
        rows_left=status.n_rows - status.n_labels - status.n_skipped,
        target=settings.stop_when_gap_below,
        budget_left=None if status.budget is None or status.cost is not None else status.budget - status.n_labels,
        informative=found.informative,
        arbitrary=found.arbitrary,
        criterion=found.criterion,
    )


def _key(position: Position, what: type[Curve] | type[Forecast]) -> str:
    from activefs import __version__

    return position.key_of_answer(__version__, what.__name__)
