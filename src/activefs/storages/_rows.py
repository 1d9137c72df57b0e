"""Events as rows of a database, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from activefs.engine import DrawProbability
from activefs.exceptions import InvalidInputError
from activefs.storages._base import MAX_KEY, Event, Kind, Origin, RowName


def to_text(time: datetime) -> str:
    """Write a time, always with the same width.

    Examples
    --------
    >>> to_text(datetime(2024, 5, 1, 12, tzinfo=UTC))
    '2024-05-01T12:00:00.000000Z'
    """
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_text(text: str) -> datetime:
    """Read a time.

    Examples
    --------
    >>> from_text("2024-05-01T12:00:00.000000Z").isoformat()
    '2024-05-01T12:00:00+00:00'
    """
    return datetime.fromisoformat(text)


def event_to_row(event: Event, number: int) -> dict[str, Any]:
    """Write an event as the columns of its table."""
    origin = event.origin
    return {
        "id": number,
        "kind": event.kind.value,
        "row": event.row,
        "annotator": event.annotator,
        "time": to_text(event.time),
        "label": None if event.label is None else json.dumps(event.label),
        "about": event.about,
        "until": None if event.until is None else to_text(event.until),
        "origin": None
        if origin is None
        else json.dumps({"annotator": origin.annotator, "time": to_text(origin.time), "asked": origin.asked}),
        "chance": None if event.chance is None else json.dumps(event.chance.to_list()),
        "details": None if event.details is None else _details_to_text(event.details),
    }


def event_from_row(row: Mapping[str, Any]) -> Event:
    """Read an event from the columns of its table."""
    origin = None
    if row["origin"] is not None:
        said = json.loads(row["origin"])
        origin = Origin(said["annotator"], from_text(said["time"]), bool(said["asked"]))
    return Event(
        kind=Kind(row["kind"]),
        row=int(row["row"]),
        annotator=row["annotator"],
        time=from_text(row["time"]),
        label=None if row["label"] is None else json.loads(row["label"]),
        about=row["about"],
        until=None if row["until"] is None else from_text(row["until"]),
        origin=origin,
        chance=None if row["chance"] is None else DrawProbability.checked(*json.loads(row["chance"])),
        details=None if row["details"] is None else json.loads(row["details"]),
        id=int(row["id"]),
    )


def name_to_text(name: RowName) -> str:
    """Write the name of a row, so that 1, "1" and 1.0 stay apart.

    Examples
    --------
    >>> [name_to_text(name) for name in (1, "1", 1.0)]
    ['1', '"1"', '1.0']
    """
    if not isinstance(name, str | int | float):
        raise InvalidInputError(f"a row is named by text or a number, got {name!r}")
    return json.dumps(name)


def _details_to_text(details: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(details), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"details of an event must be what JSON can hold: {error}") from None


def answer_to_text(key: str, content: Mapping[str, Any]) -> str:
    """Write what is kept for a state of the study; an error if it is no JSON, or the key no key."""
    if not 0 < len(key) <= MAX_KEY:
        raise InvalidInputError(f"the key of a kept answer has 1 to {MAX_KEY} characters, got {len(key)}")
    try:
        return json.dumps(dict(content))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"only JSON can be kept: {error}") from None


def answer_from_text(text: str) -> dict[str, Any] | None:
    """Read what is kept for a state of the study; None if it is damaged: it can be computed again.

    Examples
    --------
    >>> answer_from_text('{"a": 1}'), answer_from_text('{"a": ')
    ({'a': 1}, None)
    """
    try:
        content = json.loads(text)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
