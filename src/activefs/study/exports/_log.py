"""The log as it is exported: every entry, with all that it says."""

from __future__ import annotations

from activefs.storages import NO_ROW
from activefs.study._engine import StudyEngine
from activefs.study.exports._sheet import Field, FieldKind


def log_fields(engine: StudyEngine) -> tuple[Field, ...]:
    """Make the columns of the log: one line per entry, in their order."""
    events = engine.storage.events()
    names = engine.names.of_all(e.row for e in events if e.row != NO_ROW)
    chances = [e.chance for e in events]
    origins = [e.origin for e in events]
    labels = [e.label for e in events]
    return (
        Field("id", FieldKind.WHOLE, [e.id for e in events]),
        Field("time", FieldKind.TIME, [e.time for e in events]),
        Field("kind", FieldKind.TEXT, [e.kind.value for e in events]),
        Field("row", FieldKind.NAME, [None if e.row == NO_ROW else names[e.row] for e in events]),
        Field("annotator", FieldKind.TEXT, [e.annotator for e in events]),
        Field("label", FieldKind.NAME, labels, engine.settings.classes or ()),
        Field("about", FieldKind.WHOLE, [e.about for e in events]),
        Field("until", FieldKind.TIME, [e.until for e in events]),
        Field("chance", FieldKind.NUMBER, [None if c is None else c.probability for c in chances]),
        Field("smallest_chance", FieldKind.NUMBER, [None if c is None else c.smallest for c in chances]),
        Field("origin_annotator", FieldKind.TEXT, [None if o is None else o.annotator for o in origins]),
        Field("origin_time", FieldKind.TIME, [None if o is None else o.time for o in origins]),
        Field("origin_asked", FieldKind.TRUTH, [None if o is None else o.asked for o in origins]),
        Field("details", FieldKind.DETAILS, [e.details for e in events]),
    )
