"""What is allowed: every check of what people do, against the state of the study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from unicodedata import category

from activefs.codec import is_written, normal, text_of
from activefs.engine import ClassList, RangeList, classes_from
from activefs.exceptions import InvalidInputError, InvalidLabelError, NotAllowedError, StaleQuestionError
from activefs.storages import Kind, Label, Role
from activefs.study._names import RowNames
from activefs.study._records import Answer, Question
from activefs.study._settings import StudySettings, check_label
from activefs.study._state import StudyState

_ADVICE = "make a new study that names the classes (classes=[...]) or makes classes of the number (label_edges=[...])"


MAX_NOTE = 2_000
"""Characters that a note on an answer may have."""


@dataclass(frozen=True)
class Person:
    """Who does something, and with which right.

    Attributes
    ----------
    name : str
        The name in the log.
    role : Role, default Role.ANNOTATOR
        An annotator may change the own answers, an owner everything.
    lease : timedelta or None
        How long they hold a row, if not as long as others.

    Examples
    --------
    >>> Person("ann").is_owner, Person("ben", Role.OWNER).is_owner
    (False, True)
    """

    name: str
    role: Role = Role.ANNOTATOR
    lease: timedelta | None = None

    @property
    def is_owner(self) -> bool:
        """Whether everything may be changed."""
        return self.role is Role.OWNER


@dataclass(frozen=True)
class Imported:
    """A label from a file.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    label : str, int, float, bool or None
        The label; None means that the row was skipped.
    annotator : str
        Who gave it.
    time : datetime
        When.
    asked : bool
        Whether it answered a question.
    remarks : dict or None
        Details as the log keeps them: a note, a flag, a correction.
    second : Imported or None
        What a second annotator said about the same row.
    settled : Imported or None
        What an owner decided between the two.
    """

    row: int
    label: Label | None
    annotator: str
    time: datetime
    asked: bool = False
    remarks: dict[str, Any] | None = None
    second: Imported | None = None
    settled: Imported | None = None


class Rules:
    """Checks what people do; nothing is changed here.

    Parameters
    ----------
    settings : StudySettings
        Settings of the study.
    names : RowNames
        Knows how rows are called.
    """

    def __init__(self, settings: StudySettings, names: RowNames) -> None:
        self._names = names
        made = classes_from(settings.session_options)
        self.fixed = made if made.fixed else None

    @property
    def ranges(self) -> RangeList | None:
        """The classes, if they are made of numbers that annotators tell."""
        return self.fixed if isinstance(self.fixed, RangeList) else None

    def classes(self, state: StudyState) -> ClassList:
        """List the classes: the fixed ones, or those that turned up, first come first."""
        if self.fixed is not None:
            return self.fixed
        found = ClassList(advice=_ADVICE)
        for label in dict.fromkeys(answer.label for answer in state.told.values()):
            found.code(label)
        for label in state.overlap.labels():
            found.code(label)
        return found

    def checked(self, classes: ClassList, label: Any, *, text: bool = False) -> Label:
        """Return the label as the study keeps it; `text`: it was typed, or read from a file.

        The list of classes takes it, so that what comes after it in the same call is compared with it.
        """
        value: Label = classes.check_text(label) if text and isinstance(label, str) else classes.check(label)
        try:
            check_label(value)
        except InvalidInputError as error:
            raise InvalidLabelError(str(error)) from None
        classes.code(value)
        return value

    def said_before(
        self, state: StudyState, classes: ClassList, who: Person, number: int, label: Label | None
    ) -> Answer | None:
        """Find the answer that is said again, because the connection was lost before its receipt arrived."""
        end = state.ended.get(number)
        if end is None or end.about != number or end.annotator != who.name:
            return None
        found = state.answer_to(state.questions[number])
        same = found is not None and found.id == end.id and same_class(classes, end.label, label)
        return found if same and end.kind in (Kind.LABELLED, Kind.SKIPPED) else None

    def held(self, state: StudyState, who: Person, number: int, now: datetime) -> Question:
        """Find a question that this person may answer, or say why not; late is fine if nobody else holds the row."""
        question = state.questions.get(number)
        if question is None:
            raise StaleQuestionError(f"there is no question {number}: ask for one, and answer that")
        name = self._names.of(question.row)
        if question.annotator != who.name and not who.is_owner:
            raise NotAllowedError(
                f"question {number} was put to {question.annotator!r}: only they or an owner can answer"
            )
        first = state.told.get(question.row) if question.second else None
        if first is not None and first.annotator == who.name:
            raise NotAllowedError(f"row {name} has your answer already: the second one must be of somebody else")
        end, holder = state.ended.get(number), state.holder(question)
        if end is None:
            return question  # late or not: nobody else has it
        if end.kind is Kind.ASKED and end.annotator == question.annotator:
            raise StaleQuestionError(f"row {name} was asked again in the meantime: answer its new question")
        if (known := state.answer_to(question)) is not None:
            raise StaleQuestionError(
                f"row {name} has been answered already (by {known.annotator!r}): correct that answer if it is wrong"
            )
        if holder is not None and holder.until > now:
            raise StaleQuestionError(
                f"your time for row {name} was over at {_clock(question.until)}, and {holder.annotator!r} is at it "
                "now, so this answer was not kept. Please answer the question that is shown now"
            )
        if end.kind not in (Kind.EXPIRED, Kind.ASKED) or (question.second and question.row not in state.told):
            raise StaleQuestionError(f"the answer for row {name} was taken back meanwhile: ask for a question anew")
        return question

    def renewable(self, state: StudyState, who: Person, number: int) -> Question:
        """Find a question that somebody is still at, or say why its lease cannot be made longer."""
        question = state.questions.get(number)
        if question is None or question.annotator != who.name:
            raise StaleQuestionError(f"question {number} is not yours: ask for one")
        if number in state.ended:
            raise StaleQuestionError(
                f"row {self._names.of(question.row)} is not yours any more: it was answered, or went to somebody else"
            )
        return question

    def check_note(self, note: str | None) -> str:
        """Return a note as it is kept; an error if it is too long, or no text."""
        text = "" if note is None else note.replace("\r\n", "\n").strip()
        # What is copied from elsewhere may hold signs that nobody sees, such as soft hyphens: they do no harm here.
        if len(text) > MAX_NOTE or not all(c in "\n\t" or is_written(c) or category(c) == "Cf" for c in text):
            raise InvalidInputError(f"a note must be text of at most {MAX_NOTE:,} printable characters")
        return normal(text)

    def check_open(self, state: StudyState) -> None:
        """Refuse to change a study that is archived."""
        if state.archived:
            raise NotAllowedError("the study is archived, so nothing in it can be changed: an owner can restore it")

    def pending(self, state: StudyState, who: Person, row: int, now: datetime) -> Question:
        """Find the open question about a row, or say why this person cannot give it back."""
        question = next((q for q in state.held() if q.row == row and q.until > now), None)
        if question is None:
            raise InvalidInputError(f"row {self._names.of(row)} is not pending")
        if question.annotator != who.name and not who.is_owner:
            raise NotAllowedError(
                f"row {self._names.of(row)} is being labelled by {question.annotator!r}: only they or an owner of the "
                "study can give it back"
            )
        return question

    def is_news(
        self,
        state: StudyState,
        classes: ClassList,
        who: Person,
        row: int,
        value: Label | None,
        new: Mapping[int, Label | None],
        now: datetime,
    ) -> bool:
        """Whether this was not known before; an error if it contradicts what is known, or if somebody holds the row."""
        name = self._names.of(row)
        held = state.open.get(row)
        if held is not None and held.annotator != who.name and held.until > now:
            raise StaleQuestionError(f"row {name} is being labelled by {held.annotator!r} until {_clock(held.until)}")
        told = state.told.get(row)
        if told is None and row not in new:
            return value is not None or row not in state.skipped
        known = new[row] if told is None else told.label
        if same_class(classes, known, value):
            return False
        if value is None:
            raise InvalidInputError(f"row {name} has a label; take it back with undo() before skipping the row")
        raise InvalidLabelError(
            f"row {name} already has the label {known!r}, now it is told {value!r}; use correct() to change it"
        )

    def check_may_change(self, who: Person, answer: Answer) -> None:
        """Refuse to change what somebody else answered, but for owners."""
        if answer.annotator != who.name and not who.is_owner:
            raise NotAllowedError(
                f"row {self._names.of(answer.row)} was answered by {answer.annotator!r}: only they or an owner of "
                "the study can change that"
            )

    def is_new(self, state: StudyState, classes: ClassList, answer: Imported) -> bool:
        """Whether an imported label is not in the study yet; an error if it contradicts what is there."""
        return self._is_new(classes, state.answer_of(answer.row), answer)

    def is_new_second(self, state: StudyState, classes: ClassList, answer: Imported) -> bool:
        """The same for the answer of a second annotator."""
        return self._is_new(classes, state.overlap.answers.get(answer.row), answer)

    def check_two(self, state: StudyState, second: Imported) -> None:
        """Refuse an imported second answer of whoever gave the first one."""
        first = state.told.get(second.row)
        if first is not None and first.annotator == second.annotator:
            raise InvalidInputError(
                f"{second.annotator!r} cannot be both annotators of row {self._names.of(second.row)}; "
                "nothing was imported"
            )

    def _is_new(self, classes: ClassList, old: Answer | None, answer: Imported) -> bool:
        if old is None or (old.label is None and answer.label is not None):
            return True
        if not same_class(classes, old.label, answer.label):
            raise InvalidLabelError(
                f"row {self._names.of(answer.row)} has the label {old.label!r} in the study and "
                f"{'none' if answer.label is None else repr(answer.label)} in the file; nothing was imported. "
                "Correct one of them first"
            )
        return False


def same_class(classes: ClassList, one: Label | None, other: Label | None) -> bool:
    """Whether two labels are of one class, which studies of release 0.1 may hold in several spellings; None: a skip.

    Examples
    --------
    >>> same_class(ClassList(), 1, "1"), same_class(ClassList(), "1", None)
    (True, False)
    """
    if one is None or other is None:
        return one is other
    return text_of(one) == text_of(other) or bool(classes.check(one) == classes.check(other))


def _clock(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%H:%M:%S UTC")
