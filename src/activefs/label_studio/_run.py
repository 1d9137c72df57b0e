"""Round after round, until somebody ends it: what passes by itself is waited for, what does not is said."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape

from activefs.exceptions import ActiveFSError, InvalidInputError, StorageError
from activefs.label_studio._api import LabelStudio
from activefs.label_studio._config import label_config
from activefs.label_studio._errors import NotThere, Unavailable, printable
from activefs.label_studio._feed import Feeder, Round
from activefs.label_studio._records import Project
from activefs.label_studio._tasks import shown_fields, study_key
from activefs.label_studio._webhook import Listener
from activefs.study import StudyEngine

_PER_ANNOTATOR, _LEAST, _MOST = 3, 4, 30
_BETWEEN_FULL = 60.0
_SHARE = 20  # a full round takes at most one part in so many of the time
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0


def new_project(engine: StudyEngine, studio: LabelStudio, title: str) -> Project:
    """Make a project that asks for the labels of a study, one annotation per task, in the order of the tasks.

    One that was made for the study under that title is found again, so that the same command can be run again.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    studio : LabelStudio
        Where the project goes.
    title : str
        How it is called there.

    Returns
    -------
    Project
        The project, which a :class:`Feeder` keeps fed.
    """
    about = f"Kept fed by activefs: it holds the rows that matter next. Study {study_key(engine)}."
    if (found := studio.find_project(title, about)) is not None:
        return found
    instructions = engine.settings.instructions
    return studio.create_project(
        title,
        label_config(engine, shown_fields(engine)),
        description=about,
        # It is HTML there; what the study says is text.
        expert_instruction="" if instructions is None else f"<pre>{escape(instructions.text)}</pre>",
        show_instruction=instructions is not None,
        sampling="Sequential sampling",
        skip_queue="IGNORE_SKIPPED",  # a task that somebody skipped is done: the study sets its row aside
        maximum_annotations=1,
        show_skip_button=True,
        enable_empty_annotation=False,
    )


def found_project(studio: LabelStudio, number: int) -> Project:
    """Find a project, or say that there is none.

    Parameters
    ----------
    studio : LabelStudio
        Where it is.
    number : int
        Its number, as in its address: ``/projects/NUMBER/``.

    Returns
    -------
    Project
        The project.

    Raises
    ------
    ActiveFSError
        If there is none, or the token's user must not see it.
    """
    try:
        return studio.project(number)
    except NotThere:
        raise ActiveFSError(
            f"there is no project {number} in Label Studio at {studio.url}, or the token's user must not see it"
        ) from None


def queue_for(studio: LabelStudio) -> int:
    """Say how many tasks to keep open: a few for everybody who may annotate, so that nobody waits.

    Parameters
    ----------
    studio : LabelStudio
        Where the annotators are.

    Returns
    -------
    int
        From 4 to 30.
    """
    return max(_LEAST, min(_MOST, _PER_ANNOTATOR * len(studio.users())))


class Runner:
    """Runs rounds.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    studio : LabelStudio
        Where the project is.
    feeder : Feeder
        What a round does.
    say : callable
        Tells a person something: called with a sentence; `print`, say.
    poll : float
        Seconds between two rounds, if no webhook calls.

    See Also
    --------
    LabelStudio : Where projects are.
    new_project : Makes one for a study.

    Notes
    -----
    Guide: :doc:`/guide/label-studio`. The command ``activefs label-studio`` does what stands here with a study that is
    open:

    .. code-block:: python

       studio = LabelStudio(Client("http://127.0.0.1:8080", token))
       project = new_project(study.engine, studio, "hearts")
       feeder = Feeder(study.engine, studio, project, queue_for(studio), print)
       Runner(study.engine, studio, feeder, print, poll=3.0).forever()
    """

    def __init__(
        self, engine: StudyEngine, studio: LabelStudio, feeder: Feeder, say: Callable[[str], None], poll: float
    ) -> None:
        self._engine, self._studio, self._feeder, self._say, self._poll = engine, studio, feeder, say, poll
        self.wake = threading.Event()
        self._told = ""
        self._next_full = 0.0

    def once(self) -> Round:
        """Run one round over all tasks; any trouble ends it."""
        return self._round()

    def forever(self) -> None:
        """Run rounds until the process is told to stop; the first one must work."""
        self.once()
        while True:
            self.wake.wait(self._poll)
            self.wake.clear()
            self._patiently()

    @contextmanager
    def webhook(self, host: str, port: int, url: str | None) -> Iterator[Listener]:
        """Listen to calls of Label Studio, which is told where to call.

        Parameters
        ----------
        host : str
            Where to listen, such as ``127.0.0.1``.
        port : int
            Where to listen; 0: any port that is free.
        url : str or None
            How Label Studio reaches that, if not as it is listened to.

        Raises
        ------
        InvalidInputError
            If it listens everywhere, and nobody says how it is reached.
        """
        if url is None and host in ("", "0.0.0.0", "::"):
            raise InvalidInputError(
                f"Label Studio cannot call {host!r}: say how it reaches this machine, --webhook-url URL"
            )
        listener = Listener(host, port, self.wake)
        number = None
        try:
            number = self._studio.set_webhook(self._feeder.project, url or listener.url, listener.secret)
            yield listener
        finally:
            listener.close()
            if number is not None:
                try:
                    self._studio.remove_webhook(number)
                except ActiveFSError as error:  # it would call nobody
                    self._say(f"The webhook stays in Label Studio: {printable(error)}.")

    def _patiently(self) -> None:
        """Run a round; what passes by itself is waited for."""
        wait, down = _FIRST_WAIT, ""
        while True:
            try:
                self._round()
            except (Unavailable, StorageError) as error:
                if str(error) != down:
                    self._say(f"{printable(error)}; nothing is lost, trying again until it works ...")
                down = str(error)
                time.sleep(max(wait, getattr(error, "wait", None) or 0.0))
                wait = min(2 * wait, _LONGEST_WAIT)
            else:
                if down:
                    self._say("It works again.")
                return

    def _round(self) -> Round:
        begin = time.monotonic()
        full = begin >= self._next_full
        try:
            done = self._feeder.round(full=full)
        except NotThere as error:
            raise self._gone(error) from None
        if full:
            took = time.monotonic() - begin
            self._next_full = begin + max(_BETWEEN_FULL, _SHARE * took)
        self._report(done)
        return done

    def _gone(self, error: NotThere) -> ActiveFSError:
        """Say that the project was deleted, if that is so; its rows are given back."""
        project = self._feeder.project
        try:
            self._studio.project(project.id)
        except NotThere:
            n = self._feeder.give_all_back()
            return ActiveFSError(
                f"project {project.id} ({printable(project.title, 60)!r}) is not in Label Studio any more: {n} rows "
                "were given back, and all labels stay in the study. --create-project TITLE makes a new project"
            )
        return ActiveFSError(f"Label Studio does not find what it should have: {printable(error)}")

    def _report(self, done: Round) -> None:
        news = [*_counted(done.labels, "label"), *_counted(done.skips, "skip")]
        news += [f"{done.taken_back} taken back"] if done.taken_back else []
        news += [f"{done.made} new task{'s' if done.made > 1 else ''}"] if done.made else []
        if news:
            with self._engine.reading() as state:
                told = len(state.told)
            self._say(f"{', '.join(news)}; {told:,} labels in the study, {done.open} tasks open.")
        why = "" if done.why_none is None else done.why_none.reason
        ended = f"No new tasks: {printable(why)}." if why else ""
        if done.why_none is not None and done.why_none.finished and not done.open:
            ended = f"The study is finished, there are no new tasks: {printable(why)}."
        if ended and ended != self._told:
            self._say(ended)
        self._told = ended


def _counted(names: Counter[str], what: str) -> list[str]:
    return [f"{n} {what}{'s' if n > 1 else ''} by {printable(name, 80)}" for name, n in sorted(names.items())]
