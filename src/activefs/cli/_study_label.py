"""`activefs study label`: one key per class in the terminal, or typed labels and numbers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from activefs.cli._arguments import Data, Url
from activefs.cli._options import advice_for_the_command_line, for_the_command_line
from activefs.cli._shown import shown
from activefs.cli._study_common import opened
from activefs.engine import Next
from activefs.exceptions import InvalidInputError, InvalidLabelError, NothingToUndo, StaleQuestionError
from activefs.rendering import amount
from activefs.storages import Label
from activefs.study import AT_ONCE, QUIT, SKIP, UNDO, Person, Question, StudyEngine, are_typed, class_keys

_SHADES = " .:-=+*#%@"


def label(
    url: Url,
    data: Data = None,
    annotator: Annotated[
        str | None, typer.Option("--annotator", help="Your name in the log; by default that of your account.")
    ] = None,
) -> None:
    """Label rows in the terminal: one key per class, s to skip, u to undo, q to stop."""
    with opened(url, data, annotator) as study:
        _Loop(study.engine, study.person, Console(highlight=False)).run()


class _Loop:
    """Shows a row, waits for a key, and goes on."""

    def __init__(self, engine: StudyEngine, me: Person, console: Console) -> None:
        self._engine, self._me, self._console = engine, me, console
        self._done = 0
        self._cautioned = False

    def run(self) -> None:
        try:
            while True:
                found = self._engine.question(self._me)
                if isinstance(found, Next):
                    self._say(f"{'Finished' if found.finished else 'Nothing to do now'}: {found.reason}.")
                    break
                self._show(found)
                if not self._answer(found):
                    break
        finally:
            # Whoever leaves, with a key or with Ctrl-C, gives the row back at once.
            self._engine.release(self._me)
        count = len(self._engine.position().told)
        self._say(f"{self._done} answers in this session, {count} labels in the study. Nothing needs to be saved.")

    def _answer(self, question: Question) -> bool:
        """Wait for a key that means something; returns whether to go on."""
        keys = {key: label for label, own in self._keys() for key in own}
        free = self._engine.settings.free_labels
        while True:
            said = self._read(by_line=self._labels_are_typed())
            if said is None or said == QUIT:
                return False
            if not said:
                continue
            try:
                if said == SKIP:
                    self._engine.skip(self._me, question.id)
                elif said == UNDO:
                    taken = self._engine.undo(self._me)
                    self._done -= 1 if self._done else 0
                    self._say(f"Taken back: row {self._engine.names.of(taken.row)}.")
                    return True
                else:
                    chosen = keys.get(said.lower()) if not free or len(said) == 1 else None
                    self._tell(question, said if chosen is None else chosen)
            except StaleQuestionError as error:
                self._say(str(error))
                return True
            except (NothingToUndo, InvalidInputError) as error:
                self._say(str(error))
                continue
            self._done += 1
            return True

    def _tell(self, question: Question, chosen: Label) -> None:
        ranges = self._engine.rules.ranges
        try:
            with advice_for_the_command_line():
                kept = self._engine.answer(self._me, question.id, chosen, text=True)
        except InvalidLabelError as error:
            if self._engine.settings.classes is None:
                raise
            raise InvalidInputError(self._what_fits(str(chosen))) from error
        if ranges is not None:
            self._say(f"{kept.label}: {ranges.class_of(kept.label)}")
        self._warn_if_numeric()

    def _warn_if_numeric(self) -> None:
        """Say once that labels look like a measurement, at the answer that makes it plain: before more are given."""
        if not self._cautioned and (caution := self._engine.caution()):
            self._cautioned = True
            self._say(f"Note: {for_the_command_line(caution)}.")

    def _what_fits(self, said: str) -> str:
        """Say what could have been meant by text that is no class."""
        classes = self._engine.classes()
        if not are_typed(classes):
            return f"{said!r} means nothing here: press one of the keys above"
        begin = [str(c) for c in classes if str(c).lower().startswith(said.lower())]
        fits = [*begin, *(str(c) for c in classes if said.lower() in str(c).lower() and str(c) not in begin)]
        if not fits:
            return f"{said!r} is in none of the {len(classes):,} classes"
        more = f" and {len(fits) - AT_ONCE:,} more" if len(fits) > AT_ONCE else ""
        return f"{said!r} is no class; it is in: {', '.join(fits[:AT_ONCE])}{more}"

    def _labels_are_typed(self) -> bool:
        """Whether one key is not enough: labels are free text or numbers, or there are more classes than keys."""
        return self._engine.settings.classes is None or not all(own for _, own in self._keys())

    def _keys(self) -> list[tuple[Label, tuple[str, ...]]]:
        """Classes and their keys; those that are ranges of a number have none, since the number is typed."""
        classes = self._engine.classes()
        own = class_keys(classes) if self._engine.rules.ranges is None else [() for _ in classes]
        return list(zip(classes, own, strict=True))

    def _read(self, *, by_line: bool) -> str | None:
        """Read one key from a terminal; a line if labels are typed, or if the input is a file."""
        if sys.stdin.isatty() and not by_line:
            try:
                return typer.getchar().strip()
            except EOFError:
                return None
        if sys.stdin.isatty():
            self._console.print("label: " if self._engine.rules.ranges is None else "number: ", end="")
        line = sys.stdin.readline()
        return line.strip() if line else None

    def _show(self, question: Question) -> None:
        engine = self._engine
        count, budget = len(engine.position().told), engine.settings.budget
        of = "" if budget is None or engine.table.cost is not None else f" of {amount(budget)}"
        self._console.rule(shown(f"row {engine.names.of(question.row)} · label {count + 1}{of}"))
        picture = engine.table.image_of(question.row)
        if picture is not None:
            for line in picture:
                self._console.print(Text("".join(_SHADES[9 - int(v) * 10 // 256] * 2 for v in line)))
        text = engine.table.text_of(question.row)
        if text is not None:
            self._console.print(shown(text))
        if cells := engine.table.cells(question.row):
            table = Table(show_header=False, box=None)
            for name, value in cells:
                table.add_row(shown(name, style="dim"), shown(value))
            self._console.print(table)
        if engine.table.n_hidden > 0:
            self._console.print(f"({engine.table.n_hidden:,} more columns are not shown)")
        self._console.print(self._legend())

    def _legend(self) -> Text:
        classes = self._keys()
        listed = classes[:AT_ONCE] if are_typed([label for label, _ in classes]) else classes
        legend = Text(self._engine.settings.question + "\n")
        for label, keys in listed:
            legend.append(f"[{' or '.join(keys)}] " if keys else "", style="bold")
            legend.append(f"{label}   ")
        if len(listed) < len(classes):
            legend.append(f"... {len(classes) - len(listed):,} more   ")
        if self._labels_are_typed():
            what = "label" if self._engine.rules.ranges is None else "number"
            legend.append(f"[type a {what}] ", style="bold")
        for key, what in ((SKIP, "cannot tell"), (UNDO, "undo"), (QUIT, "stop")):
            legend.append(f"[{key}] ", style="bold")
            legend.append(f"{what}   ", style="dim")
        return legend

    def _say(self, text: str) -> None:
        self._console.print(shown(text), soft_wrap=True)
