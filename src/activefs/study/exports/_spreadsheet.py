"""Cells that a spreadsheet would take for a formula, made harmless and back again.

OWASP's advice ("CSV injection") is an apostrophe before them. A file whose separator is not the one that a spreadsheet
expects is cut at other places too: at semicolons, tabs and line ends, also those between quotes. What comes after these
is treated as the beginning of a cell is.
"""

from __future__ import annotations

import re

MARK = "spreadsheet_safe"
"""Column that says of every line of labels that it was written like this; only then an import takes it back."""

_BLANK = r"""\s\x00-\x1f"'\u00ad\u200b-\u200f\u2060\ufeff\uff02\uff07"""
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_NUMBER = re.compile(r"[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?")
_START = re.compile(rf"[{_BLANK}]*([\t\r\n]|[{_SIGNS}])")
_INSIDE = re.compile(rf"(?<=[;\t\r\n])(?=[{_BLANK}]*[{_SIGNS}])")
_SAFE_INSIDE = re.compile(rf"(?<=[;\t\r\n])'(?=[{_BLANK}]*[{_SIGNS}])")
_SEPARATORS = re.compile(r"[;\t\r\n]")


def harmless(text: str) -> str:
    """Write a cell so that a spreadsheet shows it and computes nothing; plain numbers stay what they are.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-5"), harmless("ill")
    ("'=1+1", '-5', 'ill')
    """
    if _is_number(text):
        return text
    safe = _INSIDE.sub(lambda found: "" if _is_number(_piece(text, found.end())) else "'", text)
    return f"'{safe}" if _START.match(text) else safe


def as_it_was(text: str) -> str:
    """Take back what :func:`harmless` did.

    Examples
    --------
    >>> as_it_was("'=1+1"), as_it_was("'tis")
    ('=1+1', "'tis")
    """
    inside = text[1:] if text.startswith("'") and _START.match(text, 1) and not _is_number(text[1:]) else text
    return _SAFE_INSIDE.sub(lambda found: "'" if _is_number(_piece(inside, found.end())) else "", inside)


def _piece(text: str, start: int) -> str:
    """What comes before the next place at which a spreadsheet may cut."""
    return _SEPARATORS.split(text[start:], maxsplit=1)[0]


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None
