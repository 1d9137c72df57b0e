"""Labels and names of rows at the boundary: from Python, a page, REST, a CSV file or a database, always the same.

Outer spaces and the two ways in which Unicode writes an accented letter (NFC, NFD) make no difference. A number of
numpy is the plain number. What arrives as text and is written as a whole number is one: 1 stays 1 on its way through
a form or a file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable
from typing import Any

from activefs.exceptions import InvalidLabelError

EXACT = 2**53
"""Whole numbers up to this stay what they are as floats and on their way through JSON; larger ones may not."""

_JOINERS = "\u200c\u200d"
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,15})")
_DECIMAL = re.compile(r"-?[0-9]{1,16}\.[0-9]{1,16}")


def normal(text: str) -> str:
    r"""Write text in the one form in which it is kept and compared: NFC, without outer spaces.

    Examples
    --------
    >>> normal(" e\u0301 ") == "\u00e9"
    True
    """
    return unicodedata.normalize("NFC", text.strip())


def is_written(text: str) -> bool:
    r"""Whether text holds only what people write: printable characters, spaces of all kinds, joiners.

    Persian, Indian scripts and emoji need joiners between letters; Japanese, and whatever is copied from a web page,
    has spaces of its own.

    Examples
    --------
    >>> [is_written(text) for text in ("3\u00a0mg", "\u0645\u06cc\u200c\u062e", "a\nb", "a\u202eb")]
    [True, True, False, False]
    """
    return all(c.isprintable() or c in _JOINERS or unicodedata.category(c) == "Zs" for c in text)


def plain(value: Any) -> Any:
    """Return a scalar of numpy or Arrow as the plain value that it holds; anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.int64(3)), plain("a")
    (3, 'a')
    """
    if _is_masked(value):  # its item() is 0
        return None
    if hasattr(value, "as_py"):
        return value.as_py()
    if hasattr(value, "item") and hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:
        return value.item()
    return value


def unwrapped(label: Any) -> Any:
    """Return the plain value of a label, also of one in an array of its own; None if it is missing in any way.

    Text that is empty but for spaces is missing, as an empty field of a file is.

    Examples
    --------
    >>> import numpy as np
    >>> unwrapped(np.array([3])), unwrapped(np.float32("nan")), unwrapped(np.ma.masked), unwrapped(" ")
    (3, None, None, None)
    """
    value = plain(label)
    if getattr(value, "size", 0) == 1 and hasattr(value, "reshape"):
        value = plain(value.reshape(-1)[0])
    if isinstance(value, str):
        return value if value.strip() else None
    return None if is_missing(value) else value


def plain_label(label: Any) -> Any:
    """Return a label as it is kept; refuse a missing one, and one that nothing can be equal to.

    Examples
    --------
    >>> plain_label(" ill ")
    'ill'
    """
    value = unwrapped(label)
    if isinstance(value, str):
        return normal(value)
    if value is None:
        raise InvalidLabelError(f"the label is missing ({label!r}); use skip() for a row that cannot be labelled")
    if isinstance(value, complex):
        raise InvalidLabelError(f"the label {value!r} is a complex number: tell its real part, or the name of a class")
    if not isinstance(value, Hashable):
        raise InvalidLabelError(f"a label must be a string, number or boolean, got {value!r}")
    return value


def label_from_text(text: str) -> Any:
    """Read a label that arrived as text and that no known class is written like: a whole number, or the text itself.

    Examples
    --------
    >>> label_from_text(" 1 "), label_from_text("01"), label_from_text("ill")
    (1, '01', 'ill')
    """
    said = normal(text)
    return int(said) if _WHOLE.fullmatch(said) and abs(int(said)) <= EXACT else said


def number_from_text(text: str) -> float | None:
    """Read a decimal number, such as a spreadsheet or a data frame makes of a whole one; None if it is none.

    Examples
    --------
    >>> number_from_text(" 1.0"), number_from_text("1e3"), number_from_text("ill")
    (1.0, None, None)
    """
    said = normal(text)
    return float(said) if _DECIMAL.fullmatch(said) else None


def is_scalar(value: Any) -> bool:
    """Whether a label is text, a number or a boolean, which files and databases give back as they were.

    Examples
    --------
    >>> is_scalar(1), is_scalar(("a", 1))
    (True, False)
    """
    return isinstance(value, (str, int, float))


def text_of(value: Any) -> str:
    """Write a label or the name of a row as text; two that are written alike are the same.

    Examples
    --------
    >>> text_of(1) == text_of("1")
    True
    """
    return normal(str(value))


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or a library's word for them."""
    if value is None:
        return True
    if isinstance(value, (str, int)):
        return False
    try:
        return bool(value != value) or _is_masked(value)  # NaN and NaT differ from themselves
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"  # pandas' NA has no truth value
    except ArithmeticError:
        return True  # a decimal's signalling NaN


def _is_masked(value: Any) -> bool:
    """Whether a value is what a masked array has where nothing is."""
    return type(value).__name__ == "MaskedConstant"
