"""What was chosen on the page on which a study is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import FormData

from activefs.exceptions import InvalidInputError
from activefs.study import TablePreview

_SHOWN_AT_FIRST = 20


class Choices:
    """The fields of the form, as they were filled in; columns are numbered.

    Parameters
    ----------
    preview : TablePreview
        The table.
    form : FormData, optional
        What was sent; by default what is proposed.
    name : str
        A proposal for the title.
    """

    def __init__(self, preview: TablePreview, form: FormData | None = None, name: str = "") -> None:
        self._preview = preview
        self._form = form
        title = re.sub(r"[_\s]+", " ", name.partition(".")[0]).strip()
        self._proposed = {
            "title": title[:200],
            "name": re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40],
            "k": "10",
            "budget": "200",
            "labels": "classes",
            "missing": "value" if any(c.missing for c in preview.columns) else "",
        }

    def __getitem__(self, field: str) -> str:
        if self._form is None:
            return self._proposed.get(field, "")
        said = self._form.get(field, "")
        return said if isinstance(said, str) else ""

    def use(self, column: int) -> str:
        """What becomes of a column: what it was read as, categories, or nothing."""
        return self[f"use-{column}"] or ("ignore" if self._preview.columns[column].use == "unusable" else "feature")

    def shows(self, column: int) -> bool:
        """Whether annotators see a column."""
        return column < _SHOWN_AT_FIRST if self._form is None else str(column) in self._form.getlist("show")

    def said(self) -> dict[str, Any]:
        """Put the settings of a study together.

        Raises
        ------
        InvalidInputError
            If a field cannot be what it should be.
        """
        numbered = range(len(self._preview.columns))
        labels = self["labels"]
        # The name of a row and its text are shown anyway, in places of their own.
        beside = {self._column("id_column"), self._column("show_text")}
        shown = [c.name for i, c in enumerate(self._preview.columns) if self.shows(i) and c.name not in beside]
        if not shown and not self["show_text"]:
            raise InvalidInputError("annotators must see something of a row: choose the columns that are shown")
        return {
            "title": self["title"].strip() or None,
            "question": self["question"].strip() or None,
            "k": _whole(self["k"], "the number of features"),
            "budget": _whole(self["budget"], "the number of labels") if self["budget"].strip() else None,
            "classes": _classes(self["classes"]) if labels == "classes" else None,
            "label_edges": _numbers(self["edges"]) if labels == "numbers" else None,
            "id_column": self._column("id_column"),
            "show_text": self._column("show_text"),
            "show": shown or None,
            "missing": "value" if self["missing"] else None,
            "categorical": [self._preview.columns[i].name for i in numbered if self.use(i) == "categories"],
            "ignore": [self._preview.columns[i].name for i in numbered if self.use(i) == "ignore"],
        }

    def _column(self, field: str) -> str | None:
        said = self[field]
        if not said:
            return None
        if not said.isdecimal() or not said.isascii() or int(said) >= len(self._preview.columns):
            raise InvalidInputError("there is no such column in the table")
        return self._preview.columns[int(said)].name


def _whole(said: str, what: str) -> int:
    text = said.strip()
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise InvalidInputError(f"{what} must be a whole number, got {said[:40]!r}")
    return int(text)


def _classes(said: str) -> list[str]:
    found = [name.strip() for name in re.split(r"[,\n]", said) if name.strip()]
    if len(found) < 2:
        raise InvalidInputError("name at least two classes, one per line or with commas between them")
    return found


def _numbers(said: str) -> Sequence[float]:
    try:
        found = [float(part) for part in re.split(r"[;,\s]+", said.strip()) if part]
    except ValueError:
        raise InvalidInputError(f"the edges must be numbers with commas between them, got {said[:80]!r}") from None
    if not found:
        raise InvalidInputError("say at which numbers one class ends and the next begins, like 5.7, 6.5")
    return found
