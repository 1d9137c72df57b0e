"""What the log amounts to, piece by piece: questions, answers, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from activefs.engine import Told
from activefs.storages import Event, Label


@dataclass(frozen=True)
class Question:
    """A row that is leased to an annotator; `id` is the number of its entry in the log.

    `second` says that somebody else has answered it before, which this annotator does not get to see.
    """

    id: int
    row: int
    annotator: str
    until: datetime
    asked: datetime
    second: bool = False

    @classmethod
    def of(cls, event: Event) -> Question:
        """Read it from its entry in the log."""
        assert event.until is not None
        second = bool((event.details or {}).get("second", False))
        return cls(event.id, event.row, event.annotator, event.until, event.time, second)


@dataclass(frozen=True)
class Correction:
    """What an answer was before it was corrected (None: a skip), and who corrected it when."""

    label: Label | None
    annotator: str
    time: datetime


@dataclass(frozen=True)
class Answer:
    """A label, or a skip if there is none; `id` is the number of its entry in the log.

    `annotator` and `time` are those of the first answer, whoever corrected it later; `label` is what it was corrected
    to. `told` is what the engine is told: with `label_edges`, the range of that number.

    Attributes
    ----------
    correction : Correction or None
        The first answer, and who corrected it last; None if nobody did.
    note : str
        What the annotator wants to say about it.
    flagged : bool
        Whether the annotator wants somebody to look at it.
    second : bool
        Whether it is the answer of a second annotator to the same row.
    seconds : float or None
        How long it took from question to answer; None if nobody was asked.
    before : Told or None
        What the annotator said, if somebody else corrected it; its label is "" for 'cannot tell'.
    """

    id: int
    row: int
    label: Label | None
    annotator: str
    time: datetime
    asked: bool
    told: Told
    question: int | None = None
    correction: Correction | None = None
    note: str = ""
    flagged: bool = False
    second: bool = False
    seconds: float | None = None
    before: Told | None = None

    @property
    def said(self) -> Told:
        """What the annotator said, whoever corrected it; its label is "" for 'cannot tell'."""
        return self.told if self.before is None else self.before

    def is_known_to(self, name: str) -> bool:
        """Whether somebody gave or corrected it."""
        return name == self.annotator or (self.correction is not None and name == self.correction.annotator)

    @property
    def corrected(self) -> bool:
        """Whether somebody replaced the label that was given first."""
        return self.correction is not None


@dataclass(frozen=True)
class Settlement:
    """What an owner decided between two answers that differ."""

    id: int
    row: int
    label: Label
    annotator: str
    time: datetime
    told: Told
