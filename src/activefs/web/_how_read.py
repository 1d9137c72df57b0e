"""How the file of a table is written, in the words of a form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property

from starlette.datastructures import FormData

from activefs.constraints import SEPARATORS
from activefs.tables import Dialect
from activefs.web._uploads import Upload

FIELDS = ("sep", "decimal", "encoding", "sheet")
_NAMES = {sep: name for name, sep in SEPARATORS.items()} | {" ": "space"}


def said_in(form: Mapping[str, str]) -> Dialect:
    r"""Check what was said; what is empty is found out.

    Raises
    ------
    InvalidInputError
        If something cannot be meant.

    Examples
    --------
    >>> said_in({"sep": " tab", "decimal": "", "encoding": "UTF8"}).said
    {'sep': '\t', 'encoding': 'utf-8'}
    """
    typed = {name: form.get(name, "") for name in FIELDS}
    said = {name: text.strip() for name, text in typed.items()}
    said["sep"] = said["sep"] or typed["sep"]  # a blank may be meant
    said["sheet"] = typed["sheet"]  # whose name may begin with one
    return Dialect.checked(**{name: text or None for name, text in said.items()})


def in_form(dialect: Dialect) -> dict[str, str]:
    """Write it as people would.

    Examples
    --------
    >>> in_form(Dialect(sep=";", decimal=","))
    {'sep': 'semicolon', 'decimal': ',', 'encoding': '', 'sheet': ''}
    """
    said = {name: dialect.said.get(name, "") for name in FIELDS}
    return {**said, "sep": _NAMES.get(said["sep"], said["sep"])}


def text_in(form: FormData, field: str) -> str:
    """Return what a field of a form says; empty if it is not there."""
    said = form.get(field, "")
    return said if isinstance(said, str) else ""


class Written:
    """What the form of a new study says about how the file is written.

    Parameters
    ----------
    upload : Upload
        The table, as it was read.
    form : FormData, optional
        What was sent; by default nothing is said anew.
    """

    def __init__(self, upload: Upload, form: FormData | None = None) -> None:
        self._upload = upload
        self._form = FormData() if form is None else form

    @cached_property
    def typed(self) -> dict[str, str]:
        """What stands in the fields that a file of this kind has."""
        now = in_form(self._upload.said)
        return {name: text_in(self._form, name) if name in self._form else now[name] for name in self._upload.settings}

    @property
    def key(self) -> str:
        """All of it in a line, for the form to remember what failed."""
        return json.dumps(self.typed)

    @property
    def asks(self) -> bool:
        """Whether somebody pressed the button that reads the table again."""
        return text_in(self._form, "do") == "read"

    @property
    def differs(self) -> bool:
        """Whether something else stands in the fields than what the table was read with."""
        now = in_form(self._upload.said)
        return any(now[name] != text for name, text in self.typed.items())

    @property
    def is_of_another_reading(self) -> bool:
        """Whether the table was read again since the form was made; its columns have other numbers then."""
        return text_in(self._form, "readings") not in ("", str(self._upload.readings))

    def wanted(self) -> Dialect | None:
        """Say how the table is to be read before anything else is done; None if it has been read so.

        Whoever fills in the fields and goes on with Enter wants it read, too; what has failed is not tried twice.

        Raises
        ------
        InvalidInputError
            If something cannot be meant.
        """
        if not self.asks and (not self.differs or self.key == text_in(self._form, "tried")):
            return None
        wanted = said_in(self.typed)
        return wanted if self.asks or wanted != self._upload.said else None
