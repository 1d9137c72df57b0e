"""What the log amounts to, piece by piece: questions, answers, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from activefs.engine import Told
from activefs.storages import Event, Label


@dataclass(frozen=True)
class Question:
    """A row that is leased to an annotator.

    Attributes
    ----------
    id : int
        Number of its entry in the log.
    row : int
        Position of the row in the table.
    annotator : str
        Who was asked.
    until, asked : datetime
        When the lease ends, and when the question was put.
    second : bool
        Whether somebody else has answered it before, which this annotator does not get to see.
    """

    id: int
    row: int
    annotator: str
    until: datetime
    asked: datetime
    second: bool = False

    @classmethod
    def of(cls, event: Event) -> Question:
        """Read it from its entry in the log.

        Parameters
        ----------
        event : Event
            An entry of the kind ``asked``.
        """
        assert event.until is not None
        second = bool((event.details or {}).get("second", False))
        return cls(event.id, event.row, event.annotator, event.until, event.time, second)


@dataclass(frozen=True)
class Correction:
    """What an answer was before it was corrected, and who corrected it when.

    Attributes
    ----------
    label : str, int, float, bool or None
        The label before; None: the row was skipped.
    annotator : str
        Who corrected it.
    time : datetime
        When.
    """

    label: Label | None
    annotator: str
    time: datetime


@dataclass(frozen=True)
class Answer:
    """A label, or a skip if there is none.

    Attributes
    ----------
    id : int
        Number of its entry in the log.
    row : int
        Position of the row in the table.
    label : str, int, float, bool or None
        The label, or what it was corrected to; None: the row was skipped.
    annotator : str
        Who gave the first answer, whoever corrected it later.
    time : datetime
        When that was.
    asked : bool
        Whether it answers a question; otherwise it was told or imported.
    told : Told
        What the engine is told: with `label_edges`, the range of that number.
    question : int or None
        Number of the question that it answers.
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
        """Whether somebody gave or corrected it.

        Parameters
        ----------
        name : str
            Name of an annotator.
        """
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
