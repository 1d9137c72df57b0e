"""What `activefs study label` shows: a row, the keys, the instructions."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from activefs.cli._shown import shown
from activefs.codec import text_of
from activefs.rendering import amount
from activefs.storages import Label
from activefs.study import (
    AT_ONCE,
    QUIT,
    SKIP,
    UNDO,
    OtherKeys,
    Question,
    StudyEngine,
    are_typed,
    class_keys,
    other_keys,
)

_SHADES = " .:-=+*#%@"


class Screen:
    """Shows a study in a terminal."""

    def __init__(self, engine: StudyEngine, console: Console) -> None:
        self._engine, self._console = engine, console

    @property
    def labels_are_typed(self) -> bool:
        """Whether one key is not enough: labels are free text or numbers, or there are more classes than keys."""
        return self._engine.settings.classes is None or not all(own for _, own in self.class_keys())

    def class_keys(self) -> list[tuple[Label, tuple[str, ...]]]:
        """Classes and their keys; those that are typed, or are ranges of a number that is typed, have none."""
        classes = self._engine.classes()
        own = class_keys(classes) if self._engine.rules.ranges is None else [() for _ in classes]
        return list(zip(classes, own, strict=True))

    def others(self) -> OtherKeys:
        """Keys for a note, a flag, and the instructions."""
        return other_keys(self._engine.classes(), typed=self.labels_are_typed)

    def say(self, text: str) -> None:
        """Show a sentence."""
        self._console.print(shown(text), soft_wrap=True)

    def guide(self) -> None:
        """Show the instructions, and what the classes mean."""
        settings = self._engine.settings
        if settings.instructions is not None:
            self._console.print(Markdown(shown(settings.instructions.text).plain, hyperlinks=False))
        for label, said in (settings.class_descriptions or {}).items():
            self.say(f"{label}: {said}")

    @property
    def has_guide(self) -> bool:
        """Whether there is anything to be read."""
        settings = self._engine.settings
        return settings.instructions is not None or bool(settings.class_descriptions)

    def show(self, question: Question, *, flagged: bool, note: str) -> None:
        """Show a row, and what may be answered."""
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
        media = [(name, value or "missing") for name, value in engine.table.media_of(question.row)]
        if cells := [*engine.table.cells(question.row), *media]:
            table = Table(show_header=False, box=None)
            for name, value in cells:
                table.add_row(shown(name, style="dim"), shown(value))
            self._console.print(table)
        if engine.table.n_hidden > 0:
            self._console.print(f"({engine.table.n_hidden:,} more columns are not shown)")
        self._console.print(self._legend(flagged=flagged, note=note))

    def _legend(self, *, flagged: bool, note: str) -> Text:
        classes = self.class_keys()
        said = self._engine.settings.class_descriptions or {}
        listed = classes[:AT_ONCE] if are_typed([label for label, _ in classes]) else classes
        legend = Text(self._engine.settings.question + "\n")
        for label, keys in listed:
            legend.append(f"[{' or '.join(keys)}] " if keys else "", style="bold")
            meaning = said.get(text_of(label))
            legend.append(f"{label}: {meaning}\n" if meaning else f"{label}   ")
        if len(listed) < len(classes):
            legend.append(f"... {len(classes) - len(listed):,} more   ")
        if self.labels_are_typed:
            what = "label" if self._engine.rules.ranges is None else "number"
            legend.append(f"[type a {what}] ", style="bold")
        others = self.others()
        for key, what in (
            (SKIP, "cannot tell"),
            (UNDO, "undo"),
            (others.note, "note (there is one)" if note else "note"),
            (others.flag, "take the flag off" if flagged else "flag"),
            *(((others.help, "instructions"),) if self.has_guide else ()),
            (QUIT, "stop"),
        ):
            legend.append(f"[{key}] ", style="bold")
            legend.append(f"{what}   ", style="dim")
        return legend
