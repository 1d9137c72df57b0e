"""How files are written: separators, decimal signs, encodings, sheets."""

from __future__ import annotations

import codecs
from typing import Any

from activefs.constraints._base import Constraint
from activefs.constraints._values import Choice, Text

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
"""Separators that are found out, by their names."""
_ALSO = {"\\t": "\t", "space": " "}
# One name for what has several; the mark at the beginning of a file is always taken for what it is.
_NAMES = {"iso8859-1": "latin-1", "utf-8-sig": "utf-8"}


class Separator(Constraint):
    r"""What is between the columns of a text file.

    Examples
    --------
    >>> Separator().check("sep", "tab")
    '\t'
    """

    metavar = "CHARACTER"
    refused: tuple[Any, ...] = (1, "", ";;", "a", "7", '"', "\n", "ß")

    def __str__(self) -> str:
        return f"one character such as ',' or ';', or one of the words {', '.join(SEPARATORS)}"

    def value(self, given: Any) -> str:
        """Refuse letters, digits, quotes and what is not one character."""
        if not isinstance(given, str):
            raise TypeError
        sep = {**SEPARATORS, **_ALSO}.get(given, given)
        if len(sep) != 1 or not sep.isascii() or sep.isalnum() or sep in '"\r\n\0':
            raise ValueError
        return sep


class TextEncoding(Constraint):
    """The name of an encoding of text.

    Examples
    --------
    >>> TextEncoding().check("encoding", "UTF8"), TextEncoding().check("encoding", "ISO-8859-1")
    ('utf-8', 'latin-1')
    """

    metavar = "NAME"
    refused: tuple[Any, ...] = (1, "", "klingon", "base64", "rot13")

    def __str__(self) -> str:
        return "the name of an encoding that Python knows, such as utf-8, cp1252, latin-1 or utf-16"

    def value(self, given: Any) -> str:
        """Refuse names that Python does not know, and those of something else than text."""
        if not isinstance(given, str):
            raise TypeError
        try:
            "".encode(given)
            name = codecs.lookup(given).name
        except (LookupError, UnicodeError):
            raise ValueError from None
        return _NAMES.get(name, name)


# The options of a study and of `select`, and readers called by hand, accept the same.
SEPARATOR = Separator()
DECIMAL = Choice(".", ",")
ENCODING = TextEncoding()
SHEET = Text()
