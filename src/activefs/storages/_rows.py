"""Events as rows of a database, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from activefs.storages._base import Event, Kind, Origin


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
        id=int(row["id"]),
    )
