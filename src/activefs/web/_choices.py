"""What was chosen on the page on which a study is made."""

from __future__ import annotations

import re
from typing import Any

from starlette.datastructures import FormData

from activefs.exceptions import InvalidInputError
from activefs.study import TablePreview
from activefs.web._typed import classes_in, described_in, numbers_in, share_in, whole_in

_SHOWN_AT_FIRST = 20
_OF_COLUMNS = ("id_column", "show_text", "show_media", "missing")


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
    fresh : bool
        Whether what was said about columns was said about others, since the table was read anew.
    """

    def __init__(
        self, preview: TablePreview, form: FormData | None = None, name: str = "", *, fresh: bool = False
    ) -> None:
        self._preview = preview
        self._form = form
        self._fresh = fresh
        title = re.sub(r"[_\s]+", " ", name.partition(".")[0]).strip()
        self._proposed = {
            "title": title[:200],
            "name": re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40],
            "k": "10",
            "budget": "200",
            "labels": "classes",
            "missing": "value" if any(c.missing for c in preview.columns) else "",
            "overlap": "0",
            "hold": "10",
        }

    def __getitem__(self, field: str) -> str:
        if self._form is None or (self._fresh and field in _OF_COLUMNS):
            return self._proposed.get(field, "")
        said = self._form.get(field, "")
        return said if isinstance(said, str) else ""

    def use(self, column: int) -> str:
        """What becomes of a column: what it was read as, categories, or nothing."""
        said = "" if self._fresh else self[f"use-{column}"]
        return said or ("ignore" if self._preview.columns[column].use == "unusable" else "feature")

    def shows(self, column: int) -> bool:
        """Whether annotators see a column."""
        if self._form is None or self._fresh:
            return column < _SHOWN_AT_FIRST
        return str(column) in self._form.getlist("show")

    def said(self) -> dict[str, Any]:
        """Put the settings of a study together.

        Raises
        ------
        InvalidInputError
            If a field cannot be what it should be.
        """
        numbered = range(len(self._preview.columns))
        classes = classes_in(self["classes"]) if self["labels"] == "classes" else None
        # The name of a row, its text and its media are shown anyway, in places of their own.
        beside = {self._column("id_column"), self._column("show_text"), self._column("show_media")}
        shown = [c.name for i, c in enumerate(self._preview.columns) if self.shows(i) and c.name not in beside]
        if not shown and not self["show_text"] and not self["show_media"]:
            raise InvalidInputError("annotators must see something of a row: choose the columns that are shown")
        return {
            "title": self["title"].strip() or None,
            "question": self["question"].strip() or None,
            "k": whole_in(self["k"], "the number of features"),
            "budget": whole_in(self["budget"], "the number of labels") if self["budget"].strip() else None,
            "classes": classes,
            "class_descriptions": described_in(self["descriptions"], classes or ()) or None,
            "label_edges": numbers_in(self["edges"]) if self["labels"] == "numbers" else None,
            "id_column": self._column("id_column"),
            "show_text": self._column("show_text"),
            "show_media": None if self._column("show_media") is None else [self._column("show_media")],
            "show": shown,
            "instructions": self["instructions"] if self["instructions"].strip() else None,
            "overlap": share_in(self["overlap"]),
            "hold": whole_in(self["hold"], "the number of rows that one annotator may hold")
            if self["hold"].strip()
            else None,
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
