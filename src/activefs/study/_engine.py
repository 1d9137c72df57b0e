"""What people do in a study: every change is checked and logged in one transaction; what is allowed is in `_rules`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from activefs.exceptions import NotAllowedError
from activefs.storages import NO_ROW, Event, Kind, Log, Origin
from activefs.study._answers import Answers
from activefs.study._rules import Imported, Person, same_class
from activefs.study._state import StudyState

if TYPE_CHECKING:
    from activefs.engine import ClassList


class StudyEngine(Answers):
    """A study at work; safe to use from many threads, and beside other processes on the same storage.

    The table is read when something needs it: questions do, most other things do not. It is made of storage, header and
    table as a `Journal` is.
    """

    def import_answers(self, who: Person, answers: Sequence[Imported]) -> int:
        """Take labels that exist already, all or none; returns how many were new."""
        if not who.is_owner:
            raise NotAllowedError("only an owner of the study may import labels")

        def change(state: StudyState, log: Log) -> int:
            classes = self.rules.classes(state)
            now = self.clock()
            events = [event for a in answers for event in self._imported(state, classes, who, a, now)]
            classes.check_growth([e.label for e in events if e.label is not None], len(state.told))
            log.append(events)
            return len({event.row for event in events})

        return self._change(change)

    def _imported(
        self, state: StudyState, classes: ClassList, who: Person, given: Imported, now: datetime
    ) -> Iterator[Event]:
        """Say what an imported row adds to the log: its answer, that of a second annotator, what was decided."""

        def event(kind: Kind, a: Imported, details: dict[str, Any] | None) -> Event:
            value = None if a.label is None else self.rules.checked(classes, a.label)
            origin = Origin(a.annotator, a.time, a.asked)
            return Event(kind, a.row, who.name, now, label=value, origin=origin, details=details)

        if self.rules.is_new(state, classes, given):
            drawn = self._draw_overlap(given.row) if given.asked else None
            yield event(Kind.IMPORTED, given, {**(given.remarks or {}), **(drawn or {})} or None)
        second, decided = given.second, given.settled
        if second is not None and self.rules.is_new_second(state, classes, second):
            self.rules.check_two(state, second)
            yield event(Kind.IMPORTED, second, {**(second.remarks or {}), "second": True})
        before = state.overlap.settled.get(given.row)
        if decided is not None and (before is None or not same_class(classes, before.label, decided.label)):
            yield event(Kind.SETTLED, decided, None)

    def pause(self, who: Person) -> None:
        """Ask nobody any more, until it is resumed; rows that somebody holds can still be answered."""
        self._mark(who, Kind.PAUSED)

    def resume(self, who: Person) -> None:
        """Go on asking."""
        self._mark(who, Kind.RESUMED)

    def archive(self, who: Person) -> None:
        """Keep the study as it is: nothing is changed any more, until it is restored."""
        self._mark(who, Kind.ARCHIVED)

    def restore(self, who: Person) -> None:
        """Take a study out of the archive."""
        self._mark(who, Kind.RESTORED)

    def _mark(self, who: Person, kind: Kind) -> None:
        if not who.is_owner:
            raise NotAllowedError("only an owner of the study may do this")

        def change(state: StudyState, log: Log) -> None:
            if kind is not Kind.RESTORED:
                self.rules.check_open(state)
            is_so = {
                Kind.PAUSED: state.paused,
                Kind.RESUMED: not state.paused,
                Kind.ARCHIVED: state.archived,
                Kind.RESTORED: not state.archived,
            }
            if not is_so[kind]:
                log.append([Event(kind, NO_ROW, who.name, self.clock())])

        self._change(change, always=True)

    def note_told(self, details: Mapping[str, Any]) -> None:
        """Note in the log that somebody was told about a milestone, also of a study that is archived."""
        told = Event(Kind.NOTIFIED, NO_ROW, "activefs", self.clock(), details=dict(details))
        self._change(lambda state, log: log.append([told]), always=True)
