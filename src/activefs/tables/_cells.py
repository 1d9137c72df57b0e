"""What the cells of a text file mean: spaces around them, words for nothing, whole numbers that are names."""

from __future__ import annotations

import re
import string
from typing import Any

from activefs.tables._patterns import COMMA_NUMBER, POINT_NUMBER, anchored

NOTHING = (
    "", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "N/A", "NA", "NULL",
    "NaN", "n/a", "nan", "null",
)  # fmt: skip
"""Missing values in any column: those of Arrow and pandas, and the question mark of the UCI repository."""
AMONG_NUMBERS = frozenset(
    ("-", "--", "\u2013", "\u2014", ".", "..", "n/a", "n.a.", "n.a", "na", "nan", "none", "null", "#n/a", "#na", "<na>")
)
"""Missing values where all others are numbers, in any case of letters; elsewhere a minus is the opposite of a plus."""
_MOST_WORDS = 20
_SAMPLE = 50
_PIECE = 1 << 22
_LETTERS = (string.ascii_letters + string.digits).encode()
_NUMBER = re.compile(f"{POINT_NUMBER}|{COMMA_NUMBER}")


def trimmed(column: Any) -> Any:
    """Text without outer spaces; what then is a word for nothing is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    inner = pc.utf8_trim_whitespace(column)
    return pc.if_else(pc.is_in(inner, value_set=pa.array(NOTHING)), pa.scalar(None, inner.type), inner)


def may_be_numbers(column: Any) -> bool:
    """Whether some rows look like numbers or missing ones, which tells most text apart without reading all of it."""
    found = column.slice(0, _SAMPLE).to_pylist() + column.slice(len(column) // 2, _SAMPLE).to_pylist()
    others = sum(not (v is None or v.casefold() in AMONG_NUMBERS or _NUMBER.fullmatch(v)) for v in found)
    return bool(column.null_count < len(column)) and 2 * others <= len(found)


def without_dashes(column: Any, number: str) -> Any:
    """Text in which dashes and the like are missing values, if all others are numbers (at least two different ones).

    Parameters
    ----------
    column : Arrow array of text
        Its outer spaces are off.
    number : str
        Pattern of a number.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.unique(pc.filter(column, pc.invert(pc.match_substring_regex(column, anchored(number))))).drop_null()
    if not 0 < len(words) <= _MOST_WORDS:
        return column
    found = words.to_pylist()
    if any(word.casefold() not in AMONG_NUMBERS for word in found):
        return column
    left = pc.if_else(pc.is_in(column, value_set=words), pa.scalar(None, column.type), column)
    return left if pc.count_distinct(left).as_py() > 1 else column


def as_numbers(column: Any) -> Any:
    """Text as numbers with decimal points if all of it is; zeros before whole numbers make names of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count == len(column) or not all_match(column, POINT_NUMBER) or pads(column) is not None:
        return column
    for kind in (pa.int64(), pa.float64()):
        try:
            return pc.cast(column, kind)
        except pa.ArrowInvalid:  # has decimals, or is beyond 64 bits
            continue
    return column


def pads(column: Any) -> int | None:
    """Return the first row of text that is a whole number with a zero before it, if all is whole numbers; else None."""
    import pyarrow.compute as pc

    padded = pc.and_(pc.starts_with(column, "0"), pc.greater(pc.binary_length(column), 1))
    if not pc.any(padded).as_py() or not all_match(column, "[+-]?[0-9]+"):
        return None
    return int(pc.index(padded, True).as_py())


def may_pad(text: bytes, sep: str = ",") -> bool:
    """Whether a cell somewhere in a file begins with a zero and another digit, which is found out fast.

    Zeros inside a cell are none of these: those of dates, of times, and of names such as p0007.

    Examples
    --------
    >>> may_pad(b"1,01067"), may_pad(b"100,0.05"), may_pad(b"2024-05-01 08:30,p007")
    (True, False, False)
    """
    import numpy as np  # commands that read no table do without

    letters = np.zeros(256, dtype=bool)  # and digits
    letters[np.frombuffer(_LETTERS, np.uint8)] = True
    inside = letters.copy()
    inside[np.frombuffer(b"._:/+-", np.uint8)] = True
    letters[ord(sep) & 255] = inside[ord(sep) & 255] = False
    for start in range(0, len(text), _PIECE):
        some = np.frombuffer(text, np.uint8, min(_PIECE + 2, len(text) - start), start)
        digit = (some - ord("0")) < 10  # what is less than zero wraps around
        at = np.flatnonzero(~digit[:-2] & (some[1:-1] == ord("0")) & digit[2:])
        at = at[~inside[some[at]]]
        after_word = (some[at] == ord(" ")) & (at > 0) & letters[some[at - 1]] & (sep != " ")
        if not after_word.all():
            return True
    return False


def all_match(column: Any, pattern: str) -> bool:
    """Whether all values that are there match."""
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(column, anchored(pattern))).as_py())
