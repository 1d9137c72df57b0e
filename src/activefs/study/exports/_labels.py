"""Labels and skips as they are exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from activefs.storages import Label
from activefs.study._engine import StudyEngine
from activefs.study._overlap import Overlap
from activefs.study._records import Answer
from activefs.study._state import StudyState
from activefs.study.exports._sheet import Field, FieldKind

# An answer to a question, a label that was told without one, and 'cannot tell'. Questions and labels that came by
# themselves are kept apart because strategies do so: without it, an imported study could go on differently.
ANSWER, KNOWN, SKIPPED = "answer", "known", "skipped"
COLUMNS = ("row", "label", "annotator", "time", "kind")
REMARKS = ("corrected_from", "corrected_by", "corrected_at", "note", "flagged")
SECOND = "second_"
OVERLAP = (
    "first_label", "settled_by", "settled_at",
    *(f"{SECOND}{name}" for name in ("label", "annotator", "time", *REMARKS)),
)  # fmt: skip


def in_order(state: StudyState) -> Iterator[Answer]:
    """Labels in their order; a skip comes before the first label that was given after it."""
    skips = sorted(state.skipped.values(), key=lambda a: a.id, reverse=True)
    for answer in state.told.values():
        while skips and skips[-1].id < answer.id:
            yield skips.pop()
        yield answer
    yield from reversed(skips)


def label_fields(
    engine: StudyEngine, answers: list[Answer], overlap: Overlap, *, remarks: bool, twice: bool
) -> tuple[Field, ...]:
    """Make the columns of an export.

    Parameters
    ----------
    engine : StudyEngine
        The study.
    answers : list of Answer
        First answers and skips.
    overlap : Overlap
        What second annotators said, and owners decided.
    remarks : bool
        Whether to say what was corrected, noted and flagged.
    twice : bool
        Whether to say what second annotators and owners said.
    """
    names = engine.names.of_all(a.row for a in answers)
    counted = [overlap.counted(a).label for a in answers]
    seconds = [overlap.answers.get(a.row) for a in answers]
    known = [*(engine.settings.classes or ()), *_labels([*answers, *seconds]), *counted]
    fields: tuple[Field, ...] = (
        Field("row", FieldKind.NAME, [names[a.row] for a in answers]),
        Field("label", FieldKind.NAME, counted, known),
        Field("annotator", FieldKind.TEXT, [a.annotator for a in answers]),
        Field("time", FieldKind.TIME, [a.time for a in answers]),
        Field("kind", FieldKind.TEXT, [_kind(a) for a in answers]),
    )
    if remarks:
        fields += _remarks(answers, known)
    if twice:
        settled = [overlap.settled.get(a.row) for a in answers]
        said = [None if a is None else a.label for a in seconds]
        fields += (
            Field("first_label", FieldKind.NAME, [a.label for a in answers], known),
            Field("settled_by", FieldKind.TEXT, [None if s is None else s.annotator for s in settled]),
            Field("settled_at", FieldKind.TIME, [None if s is None else s.time for s in settled]),
            Field(f"{SECOND}label", FieldKind.NAME, said, known),
            Field(f"{SECOND}annotator", FieldKind.TEXT, [None if a is None else a.annotator for a in seconds]),
            Field(f"{SECOND}time", FieldKind.TIME, [None if a is None else a.time for a in seconds]),
            *_remarks(seconds, known, SECOND),
        )
    return fields


def _labels(answers: Sequence[Answer | None]) -> list[Label | None]:
    """List all labels that answers have or had."""
    given = [a for a in answers if a is not None]
    return [*(a.label for a in given), *(None if a.correction is None else a.correction.label for a in given)]


def _remarks(answers: Sequence[Answer | None], known: Sequence[Label | None], prefix: str = "") -> tuple[Field, ...]:
    """Make the columns that say what was corrected, noted and flagged."""
    corrections = [None if a is None else a.correction for a in answers]
    return (
        Field(f"{prefix}corrected_from", FieldKind.NAME, [None if c is None else c.label for c in corrections], known),
        Field(f"{prefix}corrected_by", FieldKind.TEXT, [None if c is None else c.annotator for c in corrections]),
        Field(f"{prefix}corrected_at", FieldKind.TIME, [None if c is None else c.time for c in corrections]),
        Field(f"{prefix}note", FieldKind.TEXT, [None if a is None else a.note or None for a in answers]),
        Field(f"{prefix}flagged", FieldKind.TRUTH, [None if a is None else a.flagged for a in answers]),
    )


def has_remarks(answers: list[Answer]) -> bool:
    """Whether anything was corrected, noted or flagged."""
    return any(a.correction is not None or a.note or a.flagged for a in answers)


def _kind(answer: Answer) -> str:
    return SKIPPED if answer.label is None else ANSWER if answer.asked else KNOWN
