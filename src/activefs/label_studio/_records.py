"""Projects, tasks and annotations, as far as they are needed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from activefs.exceptions import ActiveFSError

MARK = "activefs"
"""Key in the `meta` of a task under which it says which row of which study it is."""
ROW = "activefs_row"
"""Field of a task's data with the name of its row."""


@dataclass(frozen=True)
class Annotation:
    """What somebody said about a task: `result` as Label Studio writes it, or that they skipped it."""

    id: int
    result: tuple[Mapping[str, Any], ...]
    skipped: bool
    annotator: int | str | None
    created: datetime

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Annotation:
        """Read one."""
        who = found.get("completed_by")
        if isinstance(who, dict):
            who = who.get("email") or who.get("id")
        result = found.get("result") or ()
        return cls(
            id=int(found["id"]),
            result=tuple(r for r in result if isinstance(r, dict)) if isinstance(result, (list, tuple)) else (),
            skipped=bool(found.get("was_cancelled")),
            annotator=who if isinstance(who, (int, str)) else None,
            created=time_of(found.get("created_at")),
        )


@dataclass(frozen=True)
class Task:
    """A task: the row of the table that it shows, and what was said about it, first come first."""

    id: int
    mark: Mapping[str, Any]
    annotations: tuple[Annotation, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Task:
        """Read one."""
        meta = found.get("meta")
        mark = meta.get(MARK) if isinstance(meta, dict) else None
        said = sorted((Annotation.of(a) for a in found.get("annotations") or ()), key=lambda a: a.id)
        data = found.get("data")
        return cls(
            int(found["id"]),
            mark if isinstance(mark, dict) else {},
            tuple(said),
            data if isinstance(data, dict) else {},
        )


@dataclass(frozen=True)
class Control:
    """What annotators fill in: choices, text or a number; `shows` are the fields of a task that it is about."""

    name: str
    type: str
    to_name: str
    labels: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Project:
    """A project; `created` tells it from another one with the same number in another database."""

    id: int
    title: str
    created: str
    controls: tuple[Control, ...]
    organization: int | None = None
    n_tasks: int = 0

    @classmethod
    def of(cls, found: Any) -> Project:
        """Read one."""
        try:
            config = found.get("parsed_label_config") or {}
            return cls(
                id=int(found["id"]),
                title=str(found.get("title") or ""),
                created=str(found["created_at"]),
                controls=tuple(_control(str(name), control) for name, control in config.items()),
                organization=found.get("organization"),
                n_tasks=int(found.get("task_number") or 0),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ActiveFSError("what the server says about the project is not what Label Studio would say") from None


def time_of(text: Any) -> datetime:
    """Read a time; what is none is the beginning of all times.

    Examples
    --------
    >>> time_of("2024-05-01T12:00:00.000000Z").isoformat()
    '2024-05-01T12:00:00+00:00'
    """
    try:
        time = datetime.fromisoformat(str(text))
        return time.astimezone(UTC) if time.tzinfo is not None else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return datetime(1970, 1, 1, tzinfo=UTC)


def _control(name: str, found: Mapping[str, Any]) -> Control:
    to = found.get("to_name") or [""]
    return Control(
        name,
        str(found["type"]),
        str(to[0]),
        tuple(str(label) for label in found.get("labels") or ()),
        tuple(str(shown["value"]) for shown in found.get("inputs") or () if shown.get("value")),
    )
