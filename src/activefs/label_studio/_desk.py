"""What a study does with what Label Studio says: answers, corrections, skips, and taking back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from activefs.codec import text_of
from activefs.engine import Next
from activefs.exceptions import InvalidLabelError
from activefs.label_studio._labels import said
from activefs.label_studio._memory import Memory
from activefs.label_studio._records import Annotation, Control, Project, Task
from activefs.storages import Label, Role
from activefs.study import Answer, Person, Question, StudyEngine

HOLDER = Person("label-studio", Role.OWNER, lease=timedelta(days=7))
"""Who holds the rows whose tasks are open in Label Studio; while the command runs, for longer than their lease."""


@dataclass(frozen=True)
class News:
    """An annotation that the study does not have yet, or that changed; `said` is None if the task was skipped."""

    row: int
    task: int
    annotation: Annotation
    said: str | None


class Conflict(InvalidLabelError):  # noqa: N818
    """A row has another answer than an annotation says, and keeps it."""


class Desk:
    """Acts in the study in the name of Label Studio and its annotators.

    Parameters
    ----------
    engine : StudyEngine
        The study.
    project : Project
        The project.
    control : Control
        Where its annotations hold the label.
    """

    def __init__(self, engine: StudyEngine, project: Project, control: Control) -> None:
        self.engine, self._control = engine, control
        self.memory = Memory(engine.storage, project)
        self.memory.update()

    # --- rows that are asked for ---

    def held(self) -> list[Question]:
        """List the rows that are held for Label Studio, in the order in which they were asked; leases go on."""
        engine = self.engine
        now = engine.clock()
        with engine.reading() as state:
            mine = [question for question in state.open.values() if question.annotator == HOLDER.name]
        assert HOLDER.lease is not None
        for question in mine:
            if question.until < now + HOLDER.lease / 2:
                engine.renew(HOLDER, question.id)
        return sorted(mine, key=lambda question: question.id)

    def ask(self) -> Question | Next:
        """Ask the study for one more row, and hold it."""
        return self.engine.ask(HOLDER)

    def give_back(self, row: int) -> None:
        """Give a row back whose task is gone."""
        self.engine.release(HOLDER, row)

    # --- what annotators said ---

    def read(self, task: Task, complain: Any) -> tuple[Annotation, str | None] | None:
        """Find the annotation of a task that counts: the first with a label, else the first that skips it.

        `complain` is called with annotations that hold no label that could be read, and the reason.
        """
        for annotation in task.annotations:
            if not annotation.skipped:
                try:
                    return annotation, said(annotation.result, self._control.name)
                except InvalidLabelError as error:
                    complain(annotation, error)
        return next(((a, None) for a in task.annotations if a.skipped), None)

    def is_known(self, annotation: Annotation, text: str | None) -> bool:
        """Whether the study has taken this, in these words."""
        known = self.memory.taken.get(annotation.id)
        return known is not None and known.said == text

    def take(self, news: News, annotator: str, *, replaces: bool) -> None:
        """Let an annotation be the answer for its row.

        Parameters
        ----------
        news : News
            The annotation.
        annotator : str
            Whose it is.
        replaces : bool
            Whether the annotation that the row's answer came from is gone.
        """
        engine, row = self.engine, news.row
        who = Person(annotator, Role.OWNER)
        details = self.memory.details(news.task, news.annotation.id, news.said)
        with engine.reading() as state:
            old, question = state.answer_of(row), state.open.get(row)
            classes = engine.rules.classes(state)
        label = None if news.said is None else engine.rules.checked(classes, news.said, text=True)
        if old is None:
            with engine.noting(details):
                if question is None or question.annotator != HOLDER.name:  # it was given back, or never asked for
                    engine.tell(who, [(row, label)])
                elif label is None:
                    engine.skip(who, question.id)
                else:
                    engine.answer(who, question.id, label)
        elif not self._may_change(news, replaces):
            if _text(old.label) != _text(label):
                raise Conflict(_differs(old, news))
        elif label is not None:
            with engine.noting(details):
                engine.correct(who, row, label)
        elif old.label is not None:
            self.take_back(row)
            self.take(news, annotator, replaces=replaces)
        self.memory.update()

    def take_back(self, row: int) -> Answer:
        """Take the answer of a row back whose annotation was deleted; the row is held, since its task is open again."""
        source = self.memory.source[row]
        with self.engine.noting(self.memory.details(source.task, source.annotation, None)):
            taken = self.engine.undo(HOLDER, row)
        self.memory.update()
        return taken

    def _may_change(self, news: News, replaces: bool) -> bool:
        source = self.memory.source.get(news.row)
        return source is not None and (source.annotation == news.annotation.id or replaces)


def _text(label: Label | None) -> str | None:
    return None if label is None else text_of(label)


def _differs(old: Answer, news: News) -> str:
    have = "was skipped" if old.label is None else f"has the label {str(old.label)!r}"
    new = "it is skipped" if news.said is None else f"it has {news.said!r}"
    return f"the row {have} in the study (by {old.annotator!r}), in Label Studio {new}: the study keeps what it has"
