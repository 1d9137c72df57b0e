"""Answers to be looked at: of a class, of somebody, corrected, flagged, about a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from activefs.codec import text_of
from activefs.study._engine import StudyEngine
from activefs.study._records import Answer
from activefs.study._state import StudyState

ReviewKind = Literal["labelled", "skipped", "corrected", "flagged", "noted", "disagreed", "unsettled"]
REVIEW_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)
"""What may be asked of answers besides class, annotator and row."""

OF_OTHERS: frozenset[ReviewKind] = frozenset({"disagreed", "unsettled"})
"""What tells something about the answers of others: for owners only."""

_IS: dict[ReviewKind, Callable[[Answer], bool]] = {
    "labelled": lambda answer: answer.label is not None,
    "skipped": lambda answer: answer.label is None,
    "flagged": lambda answer: answer.flagged,
    "noted": lambda answer: bool(answer.note),
}


@dataclass(frozen=True)
class Filter:
    """Which answers to look at; what is None or empty does not matter.

    Attributes
    ----------
    label : str or None
        The class that the answer counts as.
    annotator : str or None
        Who gave it.
    kind : str or None
        One of `REVIEW_KINDS`; "disagreed": another annotator said something else about the row; "unsettled": the first
        answers to such rows that nobody has decided about; "corrected": also what an owner decided otherwise about.
    row : str or None
        A part of the row's id, in any case.
    """

    label: str | None = None
    annotator: str | None = None
    kind: ReviewKind | None = None
    row: str | None = None


def review(engine: StudyEngine, wanted: Filter) -> list[Answer]:
    """List the answers that are wanted, the latest first."""
    with engine.reading() as state:
        found = state.answers(wanted.annotator or None)[::-1]
        if wanted.kind in OF_OTHERS:
            rows = _disagreed(state, settled=wanted.kind == "disagreed")
            found = [a for a in found if a.row in rows and not (wanted.kind == "unsettled" and a.second)]
        if wanted.kind == "corrected":
            found = [a for a in found if a.correction is not None or _overruled(state, a)]
    if wanted.kind in _IS:
        found = [answer for answer in found if _IS[wanted.kind](answer)]
    if wanted.label:
        label = text_of(wanted.label)
        found = [a for a in found if a.label is not None and label in (text_of(a.told.label), text_of(a.label))]
    if wanted.row and (part := text_of(wanted.row).casefold()):
        names = engine.names.of_all({answer.row for answer in found})
        found = [answer for answer in found if part in text_of(names[answer.row]).casefold()]
    return found


def _overruled(state: StudyState, answer: Answer) -> bool:
    """Whether an owner decided for another class than the one of this answer."""
    decided = state.overlap.settled.get(answer.row)
    return (
        decided is not None and answer.label is not None and text_of(decided.told.label) != text_of(answer.told.label)
    )


def _disagreed(state: StudyState, *, settled: bool) -> set[int]:
    """Rows with two different answers; also those that are `settled`, or not."""
    pairs = state.overlap.pairs(state.told)
    return {pair.first.row for pair in pairs if not pair.agree and (settled or pair.settled is None)}
