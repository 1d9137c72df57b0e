"""Labels and skips as they are exported."""

from __future__ import annotations

from collections.abc import Iterator

from activefs.study._engine import StudyEngine
from activefs.study._records import Answer
from activefs.study._state import StudyState
from activefs.study.exports._sheet import Field, Kind

# An answer to a question, a label that was told without one, and 'cannot tell'. Questions and labels that came by
# themselves are kept apart because strategies do so: without it, an imported study could go on differently.
ANSWER, KNOWN, SKIPPED = "answer", "known", "skipped"
# What a second annotator said about the same row (without a label: cannot tell), and what an owner decided then.
SECOND, SETTLED = "second", "settled"
COLUMNS = ("row", "label", "annotator", "time", "kind")
REMARKS = ("corrected_from", "corrected_by", "corrected_at", "note", "flagged")


def in_order(state: StudyState) -> Iterator[Answer]:
    """Labels in their order; a skip comes before the first label that was given after it."""
    skips = sorted(state.skipped.values(), key=lambda a: a.id, reverse=True)
    for answer in state.told.values():
        while skips and skips[-1].id < answer.id:
            yield skips.pop()
        yield answer
    yield from reversed(skips)


def all_answers(state: StudyState) -> list[Answer]:
    """List first answers in their order, then what second annotators said, then what owners decided between them."""
    overlap = state.overlap
    settled = [
        Answer(s.id, s.row, s.label, s.annotator, s.time, asked=False, told=s.told) for s in overlap.settled.values()
    ]
    return [*in_order(state), *overlap.answers.values(), *settled]


def kinds_of(answers: list[Answer], state: StudyState) -> list[str]:
    """Say what each of them is."""
    decided = {s.id for s in state.overlap.settled.values()}
    return [SETTLED if a.id in decided else _kind(a) for a in answers]


def label_fields(engine: StudyEngine, answers: list[Answer], kinds: list[str], *, remarks: bool) -> tuple[Field, ...]:
    """Make the columns of an export; `remarks`: also what was corrected, noted and flagged."""
    names = engine.names.of_all(a.row for a in answers)
    corrections = [a.correction for a in answers]
    labels = [a.label for a in answers]
    before = [None if c is None else c.label for c in corrections]
    known = [*(engine.settings.classes or ()), *labels, *before]
    told = (
        Field("row", Kind.NAME, [names[a.row] for a in answers]),
        Field("label", Kind.NAME, labels, known),
        Field("annotator", Kind.TEXT, [a.annotator for a in answers]),
        Field("time", Kind.TIME, [a.time for a in answers]),
        Field("kind", Kind.TEXT, kinds),
    )
    if not remarks:
        return told
    return (
        *told,
        Field("corrected_from", Kind.NAME, before, known),
        Field("corrected_by", Kind.TEXT, [None if c is None else c.annotator for c in corrections]),
        Field("corrected_at", Kind.TIME, [None if c is None else c.time for c in corrections]),
        Field("note", Kind.TEXT, [a.note or None for a in answers]),
        Field("flagged", Kind.TRUTH, [a.flagged for a in answers]),
    )


def has_remarks(answers: list[Answer]) -> bool:
    """Whether anything was corrected, noted or flagged."""
    return any(a.correction is not None or a.note or a.flagged for a in answers)


def _kind(answer: Answer) -> str:
    if answer.second:
        return SECOND
    return SKIPPED if answer.label is None else ANSWER if answer.asked else KNOWN
