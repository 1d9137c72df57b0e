"""`activefs study label`: one key per class in the terminal, or typed labels and numbers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from activefs.cli._arguments import Data, Url
from activefs.cli._cluster import Address, Workers, opened_cluster
from activefs.cli._label_screen import Screen
from activefs.cli._options import advice_for_the_command_line, for_the_command_line
from activefs.cli._study_common import opened
from activefs.engine import Next
from activefs.exceptions import InvalidInputError, InvalidLabelError, NothingToUndo, StaleQuestionError
from activefs.storages import Label
from activefs.study import (
    AT_ONCE,
    QUIT,
    SKIP,
    UNDO,
    Person,
    Question,
    StudyEngine,
    are_typed,
    new_class,
    similar_classes,
)


def label(
    url: Url,
    data: Data = None,
    annotator: Annotated[
        str | None, typer.Option("--annotator", help="Your name in the log; by default that of your account.")
    ] = None,
    address: Address = None,
    workers: Workers = None,
) -> None:
    """Label rows in the terminal: one key per class, s to skip, u to undo, q to stop."""
    with opened_cluster(address, workers) as cluster, opened(url, data, annotator, cluster=cluster) as study:
        _Loop(study.engine, study.person, Console(highlight=False)).run()


class _Loop:
    """Shows a row, waits for a key, and goes on."""

    def __init__(self, engine: StudyEngine, me: Person, console: Console) -> None:
        self._engine, self._me, self._console = engine, me, console
        self._screen = Screen(engine, console)
        self._done = 0
        self._cautioned = False
        self._note, self._flagged = "", False

    def run(self) -> None:
        with self._engine.reading() as state:
            is_new_here = not state.answers(self._me.name)
        if is_new_here:
            self._screen.guide()
        try:
            while True:
                found = self._engine.question(self._me)
                if isinstance(found, Next):
                    self._screen.say(f"{'Finished' if found.finished else 'Nothing to do now'}: {found.reason}.")
                    break
                self._note, self._flagged = "", False
                self._screen.show(found, flagged=False, note="")
                if not self._answer(found):
                    break
        finally:
            # Whoever leaves, with a key or with Ctrl-C, gives the row back at once.
            self._engine.release(self._me)
        count = len(self._engine.position().told)
        self._screen.say(
            f"{self._done} answers in this session, {count} labels in the study. Nothing needs to be saved."
        )

    def _answer(self, question: Question) -> bool:
        """Wait for a key that means something; returns whether to go on."""
        while True:
            said = self._read(by_line=self._screen.labels_are_typed)
            if said is None or said == QUIT:
                return False
            if not said or self._remark(said):
                continue
            try:
                if said == UNDO:
                    taken = self._engine.undo(self._me)
                    self._done -= 1 if self._done else 0
                    self._screen.say(f"Taken back: row {self._engine.names.of(taken.row)}.")
                    return True
                if not self._take(question, said):
                    continue
            except StaleQuestionError as error:
                self._screen.say(str(error))
                return True
            except (NothingToUndo, InvalidInputError) as error:
                self._screen.say(str(error))
                continue
            self._done += 1
            return True

    def _take(self, question: Question, said: str) -> bool:
        """Take an answer; False if it was not meant."""
        if said == SKIP:
            self._engine.skip(self._me, question.id, note=self._note, flag=self._flagged)
            return True
        free = self._engine.settings.free_labels
        keys = {key: label for label, own in self._screen.class_keys() for key in own}
        chosen: Label | None = keys.get(said.lower()) if not free or len(said) == 1 else None
        if chosen is None:
            # A file is a program: it means what it says.
            chosen = self._confirmed(said) if free and sys.stdin.isatty() else said
        if chosen is None:
            return False
        self._tell(question, chosen)
        return True

    def _remark(self, said: str) -> bool:
        """Take a note, set or take off the flag, or show the instructions, if that is what a key is for."""
        others = self._screen.others()
        if said == others.help and self._screen.has_guide:
            self._screen.guide()
        elif said == others.note:
            self._note = self._read(by_line=True, prompt="note (empty: none): ") or ""
            self._screen.say("The note goes with your answer." if self._note else "No note.")
        elif said == others.flag:
            self._flagged = not self._flagged
            self._screen.say("Flagged: the flag goes with your answer." if self._flagged else "Not flagged.")
        else:
            return False
        return True

    def _confirmed(self, said: str) -> Label | None:
        """Ask about a label that would be a new class; None if it was a slip."""
        with advice_for_the_command_line():
            new = new_class(self._engine, said)
        if new is None:
            return said
        similar = similar_classes(str(new), self._engine.classes())
        listed = "".join(f" [{i}] {label}" for i, label in enumerate(similar, 1))
        self._screen.say(f"‹{new}› is a new class.{f' Similar:{listed}' if similar else ''}")
        answer = self._read(by_line=True, prompt="[+] add it as a new class, [Enter] type it again: ")
        if answer == "+":
            return new
        if answer and answer.isdigit() and 1 <= int(answer) <= len(similar):
            return similar[int(answer) - 1]
        self._screen.say("Not taken: type the label.")
        return None

    def _tell(self, question: Question, chosen: Label) -> None:
        ranges = self._engine.rules.ranges
        try:
            with advice_for_the_command_line():
                kept = self._engine.answer(
                    self._me, question.id, chosen, text=True, note=self._note, flag=self._flagged
                )
        except InvalidLabelError as error:
            if self._engine.settings.classes is None:
                raise
            raise InvalidInputError(self._what_fits(str(chosen))) from error
        if ranges is not None:
            self._screen.say(f"{kept.label}: {ranges.class_of(kept.label)}")
        self._warn_if_numeric()

    def _warn_if_numeric(self) -> None:
        """Say once that labels look like a measurement, at the answer that makes it plain: before more are given."""
        if not self._cautioned and (caution := self._engine.caution()):
            self._cautioned = True
            self._screen.say(f"Note: {for_the_command_line(caution)}.")

    def _what_fits(self, said: str) -> str:
        """Say what could have been meant by text that is no class."""
        classes = self._engine.classes()
        if not are_typed(classes):
            return f"{said!r} means nothing here: press one of the keys above"
        begin = [str(c) for c in classes if str(c).lower().startswith(said.lower())]
        fits = [*begin, *(str(c) for c in classes if said.lower() in str(c).lower() and str(c) not in begin)]
        fits = fits or [str(c) for c in similar_classes(said, classes)]
        if not fits:
            return f"{said!r} is in none of the {len(classes):,} classes"
        more = f" and {len(fits) - AT_ONCE:,} more" if len(fits) > AT_ONCE else ""
        return f"{said!r} is no class; it is in: {', '.join(fits[:AT_ONCE])}{more}"

    def _read(self, *, by_line: bool, prompt: str | None = None) -> str | None:
        """Read one key from a terminal; a line if labels are typed, or if the input is a file."""
        if sys.stdin.isatty() and not by_line:
            try:
                return typer.getchar().strip()
            except EOFError:
                return None
        if sys.stdin.isatty():
            what = "label: " if self._engine.rules.ranges is None else "number: "
            self._console.print(what if prompt is None else prompt, end="", markup=False)
        line = sys.stdin.readline()
        return line.strip() if line else None
