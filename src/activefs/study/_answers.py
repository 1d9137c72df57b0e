"""Answers: given, told without a question, corrected, taken back, settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from activefs.exceptions import InvalidInputError, NotAllowedError, NothingToUndo
from activefs.storages import Event, Kind, Label, Log
from activefs.study._questions import Questions
from activefs.study._records import Answer
from activefs.study._rules import Person, same_class
from activefs.study._state import StudyState


class Answers(Questions):
    """Takes answers and what becomes of them."""

    def answer(
        self, who: Person, question: int, label: Any, *, text: bool = False, note: str | None = None, flag: bool = False
    ) -> Answer:
        """Take the answer to a question; the same answer again changes nothing.

        Parameters
        ----------
        who : Person
            Who answers.
        question : int
            Number of the question.
        label : str, int, float or bool
            The answer.
        text : bool
            Whether the label was typed, so that "1" may mean 1.
        note, flag : str, bool
            What the annotator wants to say about it; whether somebody should look at it.
        """
        return self._respond(who, question, label, text=text, details=self._remarks(note, flag))

    def skip(self, who: Person, question: int, *, note: str | None = None, flag: bool = False) -> Answer:
        """Take 'cannot tell' as the answer to a question."""
        return self._respond(who, question, None, details=self._remarks(note, flag))

    def tell(self, who: Person, answers: Sequence[tuple[int, Any | None]]) -> None:
        """Take labels of rows (None: skip it), asked or not, unless somebody else holds one of them; all or none."""

        def change(state: StudyState, log: Log) -> None:
            classes = self.rules.classes(state)
            new: dict[int, Label | None] = {}
            now = self.clock()
            seconds: list[Event] = []
            for row, label in answers:
                value = None if label is None else self.rules.checked(classes, label)
                second = state.overlap.open.get(row)
                if second is not None and second.annotator == who.name:
                    kind = Kind.SKIPPED if value is None else Kind.LABELLED
                    seconds.append(Event(kind, row, who.name, now, label=value, about=second.id))
                elif self.rules.is_news(state, classes, who, row, value, new, now):
                    new[row] = value
            classes.check_growth([label for label in new.values() if label is not None], len(state.told))
            events = seconds
            for row, value in new.items():
                held = state.open.get(row)
                about = held.id if held is not None and held.annotator == who.name else None
                kind = Kind.SKIPPED if value is None else Kind.LABELLED
                events.append(Event(kind, row, who.name, now, label=value, about=about))
            log.append(events)

        self._change(change)

    def undo(
        self,
        who: Person,
        row: int | None = None,
        *,
        answer: int | None = None,
        anyone: bool = False,
        lease: bool = True,
        most: int | None = None,
    ) -> Answer:
        """Take back an answer: the last one of this person (of all, with `anyone`), that of a row, or that of a number.

        With `lease`, the row is leased to this person again, to be answered anew. Whoever then held more than `most`
        gives back what they held first.
        """

        def change(state: StudyState, log: Log) -> Answer:
            answers = state.answers(None if anyone else who.name)
            if row is not None:
                answers = [a for a in (state.answer_by(who.name, row) or state.answer_of(row),) if a is not None]
            if answer is not None:
                answers = [a for a in state.answers() if a.id == answer]
            if not answers:
                what = "" if row is None else f" for row {self.names.of(row)}"
                raise NothingToUndo(
                    f"there is no answer{'' if anyone or row is not None else ' of yours'}{what} to take back"
                )
            last = answers[-1]
            self.rules.check_may_change(who, last)
            events = [Event(Kind.UNDONE, last.row, who.name, self.clock(), about=last.id)]
            log.append(
                [*self._too_many(who, state, most), *events, *self._asked_again(who, state, last)] if lease else events
            )
            return last

        taken = self._change(change)
        if lease:
            self.look_ahead()
        return taken

    def _too_many(self, who: Person, state: StudyState, most: int | None) -> list[Event]:
        """Give back what somebody held first, if another row would be one too many."""
        held = [] if most is None else self._held_by(who, state)
        surplus = held[: max(0, len(held) + 1 - (most or 0))]
        return [Event(Kind.EXPIRED, q.row, who.name, self.clock(), about=q.id) for q in surplus]

    def _asked_again(self, who: Person, state: StudyState, taken: Answer) -> list[Event]:
        """Lease the row of an answer that is taken back; if another answer stays, this person's will be the second."""
        others = (state.told.get(taken.row), state.overlap.answers.get(taken.row))
        other = next((a for a in others if a is not None and a.id != taken.id and a.label is not None), None)
        if other is None:
            return [self._asked(who, taken.row)]
        if other.annotator == who.name:
            return []
        return [self._asked(who, taken.row, about=other.id, details={"second": True})]

    def settle(self, who: Person, row: int, label: Any, *, text: bool = False) -> Answer:
        """Decide about a row that two annotators answered (owners); returns the first answer as it counts now."""
        if not who.is_owner:
            raise NotAllowedError("only an owner of the study may settle what annotators disagree about")

        def change(state: StudyState, log: Log) -> Callable[[StudyState], Answer]:
            classes = self.rules.classes(state)
            value = self.rules.checked(classes, label, text=text)
            first, second = state.told.get(row), state.overlap.answers.get(row)
            if first is None or second is None:
                raise InvalidInputError(f"row {self.names.of(row)} does not have two answers that could be settled")
            classes.check_growth([value], len(state.told))
            before = state.overlap.settled.get(row)
            if before is None or not same_class(classes, before.label, value):
                said = {"answers": [first.label, second.label]} | ({} if before is None else {"before": before.label})
                log.append(
                    [Event(Kind.SETTLED, row, who.name, self.clock(), label=value, about=first.id, details=said)]
                )
            return lambda after: after.overlap.counted(after.told[row])

        return self._change_and_look(change)

    def correct(self, who: Person, row: int, label: Any, *, text: bool = False) -> Answer:
        """Replace the label of a row; it keeps its place in the order. `text`: the label was typed.

        An annotator corrects the own answer; an owner who corrects a row with two answers settles it.
        """
        with self.reading() as state:
            own, second = state.answer_by(who.name, row), state.overlap.answers.get(row)
        if own is None and who.is_owner and second is not None and second.label is not None:
            return self.settle(who, row, label, text=text)

        def change(state: StudyState, log: Log) -> Callable[[StudyState], Answer]:
            classes = self.rules.classes(state)
            value = self.rules.checked(classes, label, text=text)
            old = state.answer_by(who.name, row) or state.answer_of(row)
            if old is None:
                raise InvalidInputError(f"row {self.names.of(row)} has no answer that could be corrected")
            self.rules.check_may_change(who, old)
            classes.check_growth([value], len(state.told))
            if not same_class(classes, old.label, value):
                before = {"before": old.label}  # whoever reads the log need not look for it
                log.append(
                    [Event(Kind.CORRECTED, row, who.name, self.clock(), label=value, about=old.id, details=before)]
                )
            is_second = old.second
            return lambda after: (after.overlap.answers if is_second else after.told)[row]

        return self._change_and_look(change)

    def unskip(self, who: Person, row: int) -> None:
        """Take back that a row cannot be labelled."""

        def change(state: StudyState, log: Log) -> None:
            skip = state.skipped.get(row)
            if skip is None:
                raise InvalidInputError(f"row {self.names.of(row)} is not skipped")
            self.rules.check_may_change(who, skip)
            log.append([Event(Kind.UNDONE, row, who.name, self.clock(), about=skip.id)])

        self._change(change)

    def _remarks(self, note: str | None, flag: bool) -> dict[str, Any] | None:
        said = {"note": self.rules.check_note(note), "flag": bool(flag)}
        return {name: value for name, value in said.items() if value} or None

    def _respond(
        self,
        who: Person,
        number: int,
        label: Any | None,
        *,
        text: bool = False,
        details: dict[str, Any] | None = None,
    ) -> Answer:
        def change(state: StudyState, log: Log) -> Callable[[StudyState], Answer]:
            classes = self.rules.classes(state)
            value = None if label is None else self.rules.checked(classes, label, text=text)
            if (done := self.rules.said_before(state, classes, who, number, value)) is not None:
                return lambda _: done
            question = self.rules.held(state, who, number, self.clock())
            if value is not None:
                classes.check_growth([value], len(state.told))
            kind = Kind.SKIPPED if value is None else Kind.LABELLED
            now = self.clock()
            log.append([Event(kind, question.row, who.name, now, label=value, about=number, details=details)])

            def kept(after: StudyState) -> Answer:
                found = after.answer_to(question)
                assert found is not None  # nobody else could change it since the commit
                return found

            return kept

        return self._change_and_look(change)
