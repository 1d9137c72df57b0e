"""What is between the columns of a text file, found out from its beginning."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress

from activefs.constraints import SEPARATORS
from activefs.tables._patterns import COMMA_NUMBER, POINT_NUMBER

_SAMPLE, _LARGEST_SAMPLE = 1 << 16, 1 << 22
# Of rows that have as many fields as the header; with less, the separator in it may be a part of a name.
_FEWEST = 0.3
_NUMBER = re.compile(f"{POINT_NUMBER}|{COMMA_NUMBER}")
_COMMA = re.compile(COMMA_NUMBER)
# What spreadsheets put into the first line to say it.
_LINE = re.compile(r'"?sep=([^"\r\n])"?(\r\n|\r|\n)', re.IGNORECASE)


def said_in_file(content: bytes) -> tuple[str, int] | None:
    r"""Read a first line such as sep=; and return the separator and the length of the line; None if there is none.

    Examples
    --------
    >>> said_in_file(b"sep=;\na;b\n"), said_in_file(b"a;b\n")
    ((';', 6), None)
    """
    match = _LINE.match(content[:16].decode("utf-8", "ignore"))
    return None if match is None else (match[1], len(match[0].encode()))


def beginning(content: bytes) -> tuple[str, bool]:
    """Return the first rows of a text in UTF-8, and whether more follow."""
    header = max(content.find(b"\n", 0, _LARGEST_SAMPLE), 0)
    size = min(max(_SAMPLE, 4 * header), _LARGEST_SAMPLE)
    return content[:size].decode("utf-8", "ignore"), len(content) > size


def find_separator(sample: str, default: str = ",", cut: bool = False) -> str:
    r"""Find the separator that gives every row as many fields as the header.

    Of several that do, the one with most numbers in its fields counts, and if that does not tell either, the default.
    If none does, it is the one that agrees with the header in most rows, if these are not too few, so that an error can
    name the others.

    Parameters
    ----------
    sample : str
        The beginning of a file.
    default : str
        What it is if nothing speaks for another.
    cut : bool
        Whether the sample ends before the file does, in the middle of a row.

    Examples
    --------
    >>> find_separator("a;b\n1,5;2,5\n"), find_separator('a,b\n"x;y",2\n'), find_separator("a\n1\n")
    (';', ',', ',')
    """
    best, found = (_FEWEST, 0.0), None
    for sep in (default, *(sep for sep in SEPARATORS.values() if sep != default)):
        header, *rows = _rows(sample, sep, cut) or [[]]
        if len(header) < 2:
            continue
        same = [row for row in rows if len(row) == len(header)]
        fields = [field for row in same for field in row]
        numbers = sum(map(_is_number, fields)) / max(1, len(fields))
        judged = (len(same) / len(rows) if rows else 1.0, numbers)
        if judged > best:
            best, found = judged, sep
    if found is not None:
        return found
    # One column: a comma in it can only be the sign before decimals.
    column = [row[0] for row in _rows(sample, ";", cut)[1:]]
    commas = default == "," and "," not in sample.split("\n", 1)[0] and any("," in field for field in column)
    return ";" if commas and all(map(_COMMA.fullmatch, column)) else default


def _rows(sample: str, sep: str, cut: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # a field that is larger than the module takes: what is before it must do
        rows.extend(csv.reader(io.StringIO(sample, newline=""), delimiter=sep))
    if cut and len(rows) > 1:
        rows.pop()
    return [row for row in rows if row]


def _is_number(field: str) -> bool:
    return bool(_NUMBER.fullmatch(field))
