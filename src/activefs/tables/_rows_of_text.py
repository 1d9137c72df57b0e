"""Where something is wrong in a text file: rows with their lines, as an editor counts them.

Only a file of which something is to be said is looked at in this way, which takes much longer than reading it.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

_END = "\x1c\x1d\x1e"


@dataclass(frozen=True)
class TextRow:
    """One row: the line that it begins in, its fields, and whether the last one has a quote that is never closed."""

    line: int
    fields: list[str]
    open_quote: bool = False

    def line_of(self, field: int) -> int:
        """Line in which a field begins."""
        return self.line + sum(_newlines(text) for text in self.fields[:field])


def rows_of_text(text: str, sep: str, first: int = 1) -> Iterator[TextRow]:
    r"""Walk through the rows of a text that are not empty; `first` is the number of its first line.

    Examples
    --------
    >>> [(row.line, row.fields) for row in rows_of_text("a,b\n1,'\n\n2,3\n".replace("'", '"x\ny"'), ",")]
    [(1, ['a', 'b']), (2, ['1', 'x\ny']), (5, ['2', '3'])]
    """
    # A quote that is never closed swallows what follows, the line that is added here too.
    lines = itertools.chain(io.StringIO(text, newline=""), [_END])
    limit = csv.field_size_limit(sys.maxsize)
    try:
        reader = csv.reader(lines, delimiter=sep)
        line = 0
        for fields in reader:
            if fields == [_END]:
                return
            if fields:
                yield TextRow(line + first, fields, fields[-1].endswith(_END))
            line = reader.line_num
    finally:
        csv.field_size_limit(limit)


def what_is_wrong(text: str, sep: str, first: int = 1) -> str | None:
    r"""Say which line is the first that cannot be, and why; None if all rows are as long as the header.

    Examples
    --------
    >>> what_is_wrong("a,b\n1,2\n\n3\n", ",")
    'line 4 has 1 field, but the header has 2'
    """
    header: list[str] | None = None
    for row in rows_of_text(text, sep, first):
        if row.open_quote:
            return f"a quote is opened in line {row.line_of(len(row.fields) - 1)} and never closed"
        header = row.fields if header is None else header
        if len(row.fields) != len(header):
            count = len(row.fields)
            return f"line {row.line} has {count} field{'s' if count > 1 else ''}, but the header has {len(header)}"
    return None


def swallowed_rows(text: str, sep: str, first: int = 1) -> str | None:
    r"""Say where two stray quotes seem to have made one field of several rows; None if they do nowhere.

    A field that is quoted ends with its quote. Where something follows it, the quote belongs to another field.

    Examples
    --------
    >>> swallowed_rows("a,b,c\n1,'x,2\n3,y,4\n5,'z,6\n".replace("'", '"'), ",")
    'a quote is opened in line 2, and what seems to close it, in line 4, opens another: remove both, or close the first'
    """
    for field in re.finditer(rf'(?:^|(?<=[{re.escape(sep)}\r\n]))("[^"]*(?:""[^"]*)*") *([^\r\n]?)', text):
        if _newlines(field[1]) and field[2] not in ("", sep):
            opened = first + _newlines(text[: field.start()])
            return (
                f"a quote is opened in line {opened}, and what seems to close it, in line "
                f"{opened + _newlines(field[1])}, opens another: remove both, or close the first"
            )
    return None


def place_after(before: str, sep: str | None, first: int = 1) -> str:
    r"""Name the line and, if there are columns, the column of what comes after a text.

    Examples
    --------
    >>> place_after("a,b\n1,2\n3,", ",")
    "line 3, column 'b'"
    """
    line = f"line {first + _newlines(before)}"
    rows = [] if sep is None else list(rows_of_text(before + "x", sep, first))
    if len(rows) < 2 or len(rows[-1].fields) > len(rows[0].fields):
        return line
    return f"{line}, column {rows[0].fields[len(rows[-1].fields) - 1]!r}"


def line_of(text: str, sep: str, column: str, row: int, first: int = 1) -> int:
    r"""Line in which a field begins, by its column and the number of its row behind the header.

    Examples
    --------
    >>> line_of("a,b\n1,x\n\n2,y\n", ",", "b", 1)
    4
    """
    rows = rows_of_text(text, sep, first)
    header = next(rows)
    at = next((at for at, name in enumerate(header.fields) if name.strip() == column), 0)
    return next(itertools.islice(rows, row, None), header).line_of(at)


def _newlines(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")
