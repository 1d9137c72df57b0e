"""Labels that exist already, on their way into the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.storages import Event, Kind, Label, Origin
from activefs.study._names import RowNames
from activefs.study._records import Answer, Settlement
from activefs.study._rules import Person, Rules, same_class
from activefs.study._state import StudyState

Part = Literal["first", "second", "settled"]


@dataclass(frozen=True)
class Imported:
    """A label from a file; None means that the annotator could not tell.

    Attributes
    ----------
    row, label, annotator, time : int, Label or None, str, datetime
        What was said about which row, by whom, and when.
    asked : bool
        Whether it answers a question.
    remarks : dict or None
        Details as the log keeps them: what was corrected, noted and flagged.
    part : {"first", "second", "settled"}
        Whether it is the first answer to its row, that of a second annotator, or what an owner decided between them.
    """

    row: int
    label: Label | None
    annotator: str
    time: datetime
    asked: bool = False
    remarks: dict[str, Any] | None = None
    part: Part = "first"


class Importing:
    """Makes entries of the log from labels that exist already; all are checked before any is written.

    Parameters
    ----------
    state : StudyState
        The study as it is.
    rules, names : Rules, RowNames
        Those of the study.
    draw : callable
        Draws whether a second annotator is to answer a row, as if it were asked now.
    """

    def __init__(
        self, state: StudyState, rules: Rules, names: RowNames, draw: Callable[[int], dict[str, Any] | None]
    ) -> None:
        self._state, self._rules, self._names, self._draw = state, rules, names, draw
        self._classes = rules.classes(state)
        self._people: dict[int, str] = {}  # whose first answers are new

    def events(self, answers: Iterable[Imported], who: Person, now: datetime) -> list[Event]:
        """Make entries of what is new; an error if anything contradicts the study."""
        made = [self._event(a, who, now) for a in answers if self._is_new(a)]
        self._classes.check_growth([e.label for e in made if e.label is not None], len(self._state.told))
        return made

    def _event(self, answer: Imported, who: Person, now: datetime) -> Event:
        value = None if answer.label is None else self._rules.checked(self._classes, answer.label)
        origin = Origin(answer.annotator, answer.time, answer.asked)
        details = dict(answer.remarks or {})
        if answer.part == "first":
            if value is not None:
                self._people[answer.row] = answer.annotator
            details |= (self._draw(answer.row) or {}) if answer.asked else {}
        else:
            self._check_first(answer)
            details |= {"second": True} if answer.part == "second" else {}
        kind = Kind.SETTLED if answer.part == "settled" else Kind.IMPORTED
        return Event(kind, answer.row, who.name, now, label=value, origin=origin, details=details or None)

    def _is_new(self, answer: Imported) -> bool:
        """Whether it is not in the study yet; an error if it contradicts what is there."""
        old = self._known(answer)
        if old is None or (answer.part == "first" and old.label is None and answer.label is not None):
            return True
        if not same_class(self._classes, old.label, answer.label):
            raise InvalidLabelError(
                f"row {self._names.of(answer.row)} has the label {old.label!r} in the study and "
                f"{'none' if answer.label is None else repr(answer.label)} in the file; nothing was imported. "
                "Correct one of them first"
            )
        return False

    def _known(self, answer: Imported) -> Answer | Settlement | None:
        overlap = self._state.overlap
        if answer.part == "settled":
            return overlap.settled.get(answer.row)
        return overlap.answers.get(answer.row) if answer.part == "second" else self._state.answer_of(answer.row)

    def _check_first(self, answer: Imported) -> None:
        first = self._state.told.get(answer.row)
        by = self._people.get(answer.row) or (None if first is None else first.annotator)
        name = self._names.of(answer.row)
        if by is None:
            raise InvalidInputError(f"row {name} has a line of kind {answer.part}, but no label that came first")
        if answer.part == "second" and by == answer.annotator:
            raise InvalidInputError(f"row {name} has two answers of {by!r}: the second must be somebody else's")
