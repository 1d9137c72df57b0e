"""One round: take what annotators said, ask for the next rows, and see that each of them has its task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from activefs.engine import Next
from activefs.exceptions import InvalidInputError, NotAllowedError, StaleQuestionError
from activefs.label_studio._alone import alone
from activefs.label_studio._api import LabelStudio
from activefs.label_studio._config import fitting_control
from activefs.label_studio._desk import Desk, News
from activefs.label_studio._errors import printable
from activefs.label_studio._records import ROW, Annotation, Project, Task
from activefs.label_studio._tasks import fields, study_key, task_data, task_mark
from activefs.study import StudyEngine

_NEWEST = 100  # tasks looked at in a quick round; those of rows that are held are looked at in any case
_LONGEST_NAME = 200


@dataclass
class Round:
    """What a round has brought."""

    labels: Counter[str] = field(default_factory=Counter)
    skips: Counter[str] = field(default_factory=Counter)
    taken_back: int = 0
    open: int = 0
    made: int = 0
    why_none: Next | None = None


class Feeder:
    """Keeps a project of Label Studio and a study in step.

    What it knows is in the log of the study and in the project; it can be killed at any moment, and starts anew from
    there. Everything is compared, nothing is assumed: a round that is repeated changes nothing.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    studio : LabelStudio
        Where the project is.
    project : Project
        The project, which must ask for the study's labels.
    queue : int
        Tasks that are open at a time.
    say : callable
        Tells a person something.
    """

    def __init__(
        self, engine: StudyEngine, studio: LabelStudio, project: Project, queue: int, say: Callable[[str], None]
    ) -> None:
        self.project, self.queue = project, queue
        self._engine, self._studio, self._say = engine, studio, say
        if engine.settings.overlap:
            raise InvalidInputError(
                "the study asks rows of a second annotator (--overlap), but Label Studio cannot be told who must not "
                "see a task: make a study without it, or label this one with activefs serve"
            )
        control = fitting_control(engine, project, fields(engine))
        self._shows = control.shows
        self._desk = Desk(engine, project, control)
        self._key = study_key(engine)
        self._users: dict[int, str] = {}
        self._said: set[tuple[int, str]] = set()
        self._suspected = False
        self._row_of: dict[int, int | None] = {}
        self._tasks: dict[int, Task] = {}

    def round(self, *, full: bool) -> Round:
        """Bring both in step.

        Parameters
        ----------
        full : bool
            Whether all tasks are looked at; otherwise the newest and those that are open.

        Returns
        -------
        Round
            What was done: labels, skips, new tasks.
        """
        done = Round()
        self._look(full)
        self._desk.memory.update()
        self._take_back(done)
        self._refill(done)
        for news in self._news():
            if self._take(news, done):
                self._refill(done)
        self._match(done)
        return done

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one who feeds this project on this machine."""
        return alone(f"label-studio-{self._key}-{self.project.id}")

    def give_all_back(self) -> int:
        """Give all rows back, because the project is gone; returns how many there were."""
        held = self._desk.held()
        for question in held:
            self._desk.give_back(question.row)
        return len(held)

    # --- looking ---

    def _look(self, full: bool) -> None:
        """Learn what the project holds now, and give back rows whose tasks were deleted."""
        if full:
            found = self._studio.all_tasks(self.project)
        else:
            found = self._studio.newest_tasks(self.project, max(_NEWEST, 3 * self.queue))
        self._name_rows(found)
        seen = {task.id: task for task in found}
        known = self._tasks
        self._tasks = seen if full else {**known, **seen}
        for question in self._desk.held():
            mine = [number for number in known if self._row_of.get(number) == question.row]
            for number in mine:
                if number not in seen:
                    self._look_again(number)
            if mine and not self._of_row(question.row):
                self._say(
                    f"Row {self._name(question.row)}: its task was deleted in Label Studio; the row is given back."
                )
                self._desk.give_back(question.row)

    def _look_again(self, number: int) -> None:
        """Look for a task that was not listed: it may be an old one, or it was deleted."""
        task = self._studio.task(number)
        if task is None:
            self._tasks.pop(number, None)
        else:
            self._tasks[number] = task

    def _name_rows(self, tasks: Iterable[Task]) -> None:
        """Find out which rows tasks are about; those that somebody else made say it in their data, if at all."""
        unknown = [task for task in tasks if task.id not in self._row_of]
        strangers = [task for task in unknown if not task.mark]
        if len(strangers) > 1:
            data = {t.id: t.data for t in self._studio.all_tasks(self.project, with_data=True)}
        else:
            data = {t.id: found.data for t in strangers if (found := self._studio.task(t.id)) is not None}
        for task in unknown:
            named = task.mark.get("row")
            if task.mark and task.mark.get("study") != self._key:
                raise InvalidInputError(
                    f"project {self.project.id} holds tasks of another study (task {task.id}): give every study a "
                    "project of its own"
                )
            if not task.mark:
                said = data.get(task.id, {})
                named = said.get(ROW, said.get(self._engine.settings.id_column or ROW))
            self._row_of[task.id] = self._row(named)
        if lost := [task for task in unknown if self._row_of[task.id] is None]:
            self._say(
                f"{len(lost):,} tasks of the project name no row of the study (task {lost[0].id}, for example): they "
                "are left alone, and annotators see them too."
            )

    def _row(self, name: object) -> int | None:
        try:
            return None if name is None else self._engine.names.row(name)
        except InvalidInputError:
            return None

    def _of_row(self, row: int) -> list[Task]:
        return sorted((t for t in self._tasks.values() if self._row_of.get(t.id) == row), key=lambda t: t.id)

    # --- taking ---

    def _news(self) -> list[News]:
        """List what the study does not have yet, in the order in which it was said."""
        found = []
        for task in self._tasks.values():
            row, counts = self._row_of.get(task.id), self._counts(task)
            if row is not None and counts is not None and not self._desk.is_known(*counts):
                found.append(News(row, task.id, *counts))
        return sorted(found, key=lambda news: (news.annotation.created, news.annotation.id))

    def _counts(self, task: Task) -> tuple[Annotation, str | None] | None:
        return self._desk.read(task, lambda annotation, error: self._complain(task.id, annotation, error))

    def _take(self, news: News, done: Round) -> bool:
        who = self._who(news.annotation)
        try:
            self._desk.take(news, who, replaces=self._is_gone(news.row))
        except (InvalidInputError, StaleQuestionError, NotAllowedError) as error:
            self._desk.memory.update()
            if self._desk.is_known(news.annotation, news.said):
                self._suspect(f"annotation {news.annotation.id} was taken by somebody else")
            else:
                self._complain(news.task, news.annotation, error)
            return False
        if not self._desk.is_known(news.annotation, news.said):  # the study had it from elsewhere
            return False
        (done.skips if news.said is None else done.labels)[who] += 1
        return True

    def _take_back(self, done: Round) -> None:
        for row, source in list(self._desk.memory.source.items()):
            task = self._tasks.get(source.task)
            if task is not None and self._is_gone(row) and self._counts(task) is None:
                self._desk.take_back(row)
                done.taken_back += 1

    def _is_gone(self, row: int) -> bool:
        """Whether the annotation was deleted that the answer of a row came from; its task is still there."""
        source = self._desk.memory.source.get(row)
        task = None if source is None else self._tasks.get(source.task)
        return source is not None and task is not None and all(a.id != source.annotation for a in task.annotations)

    def _who(self, annotation: Annotation) -> str:
        who = annotation.annotator
        if isinstance(who, int):
            if who not in self._users:
                self._users = self._studio.users()
            who = self._users.get(who, f"user {who}")
        return printable(who or "", _LONGEST_NAME) or "unknown"

    def _complain(self, task: int, annotation: Annotation, error: Exception) -> None:
        if (annotation.id, str(error)) not in self._said:
            self._said.add((annotation.id, str(error)))
            self._say(f"Task {task}: annotation {annotation.id} is not taken: {printable(error)}.")

    # --- asking ---

    def _refill(self, done: Round) -> None:
        done.why_none = None
        for _ in range(self.queue - len(self._desk.held())):
            found = self._desk.ask()
            if isinstance(found, Next):
                done.why_none = found
                return

    def _match(self, done: Round) -> None:
        """See that every row that is held has an open task, and no other row has one."""
        held = {question.row: question for question in self._desk.held()}
        for row in held:
            tasks = [task for task in self._of_row(row) if self._is_open(task)]
            if len([task for task in tasks if task.mark]) > 1:
                self._suspect(f"row {self._name(row)} has several open tasks, {tasks[0].id} and {tasks[1].id}")
            if not tasks:
                made = self._studio.create_task(
                    self.project, task_data(self._engine, row, self._shows), task_mark(self._engine, row)
                )
                self._tasks[made.id], self._row_of[made.id] = made, row
                done.made += 1
        done.open = len(held)
        for task in list(self._tasks.values()):
            named = self._row_of.get(task.id)
            if task.mark and not task.annotations and named is not None and named not in held:
                self._remove(task)

    def _suspect(self, why: str) -> None:
        """Say once that this project seems to be fed by somebody else as well, on another machine perhaps."""
        if not self._suspected:
            self._say(
                f"Does the same command run somewhere else, too? {why[:1].upper()}{why[1:]}. Nothing is lost, and the "
                "first answer to a row counts, but rows may be asked twice: end one of them."
            )
        self._suspected = True

    def _remove(self, task: Task) -> None:
        """Remove the task of a row that was answered elsewhere, unless somebody just answered it.

        Of two open tasks of a row, which a request that was thought lost may make, both stay until one is answered:
        somebody may be at either.
        """
        self._look_again(task.id)
        if task.id in self._tasks and not self._tasks[task.id].annotations:
            self._studio.delete_task(task.id)
            del self._tasks[task.id]

    def _is_open(self, task: Task) -> bool:
        counts = self._counts(task)
        return counts is None or not self._desk.is_known(*counts)

    def _name(self, row: int) -> str:
        return printable(self._engine.names.of(row), 80)
