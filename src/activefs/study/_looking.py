"""The parts of what people look at, each of a state of the study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from activefs.study._engine import StudyEngine
from activefs.study._reader import Reader

Part = Literal["status", "history", "forecast", "curve", "report"]
PARTS: tuple[Part, ...] = get_args(Part)
"""From what is quick to what takes long; later ones use what was found for the earlier ones."""


@dataclass(frozen=True)
class Found:
    """What a part is.

    Attributes
    ----------
    last : int
        Number of the last entry of the log that it takes into account.
    labels : int
        How many labels there were.
    value : Status, list of Point, Forecast, Curve or str
        The part.
    """

    last: int
    labels: int
    value: Any


def look(engine: StudyEngine, reader: Reader, part: Part) -> Found:
    """Compute a part at the state of now."""
    moment = reader.moment()
    value: Any
    if part == "report":
        from activefs.study._report import html_report  # draws pictures, which nothing else here does

        value = html_report(engine, reader)
    else:
        value = getattr(reader, part)(moment)
    return Found(moment.last, len(moment.position.told), value)
