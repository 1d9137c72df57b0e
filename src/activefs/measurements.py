"""Labels that are numbers: reading them, and noticing that they are measurements rather than names of classes."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from typing import Any

from activefs.codec import EXACT, normal, plain
from activefs.exceptions import InvalidLabelError

ADVICE = "name the classes with classes=[...], or make classes of the number with label_edges=[...]"
"""What to do with labels that are measurements; the command line calls the two settings by their flags."""

MANY_CLASSES = 300
"""Up to so many classes nobody asks whether they are classes."""

ENOUGH_TO_NOTICE = 20
"""Labels from which on it is said that no number came twice; with fewer, that is often chance."""

TWO_WAYS = r"[+-]?[1-9][0-9]{0,2},[0-9]{3}"
"""A number of which nobody can tell whether its comma is before decimals or between thousands."""

_NUMBER = re.compile(r"[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]{1,4})?", re.IGNORECASE)


def number_from_label(label: Any) -> int | float | None:
    """Return the number that a label is, or is written as; None if it is none, or not finite.

    A decimal comma is read as one. Booleans are no numbers.

    Raises
    ------
    InvalidLabelError
        If the text may mean two numbers.

    Examples
    --------
    >>> number_from_label(" 3,7"), number_from_label("12"), number_from_label("twelve"), number_from_label(True)
    (3.7, 12, None, None)
    >>> number_from_label("1,234")
    Traceback (most recent call last):
    activefs.exceptions.InvalidLabelError: '1,234' may mean two numbers: write 1.234 or 1234
    """
    value = plain(label)
    if isinstance(value, str):
        value = _read(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, Fraction)):
        return None
    if isinstance(value, int) and abs(value) <= EXACT:
        return value
    try:
        number = float(value)
    except (OverflowError, ValueError):  # more than a float can hold; a Decimal that signals
        return None
    return number if math.isfinite(number) else None


def is_real(label: Any) -> bool:
    """Whether a label is a number that is not whole (infinity included), or is written like one.

    Examples
    --------
    >>> is_real(3.7), is_real("3.7"), is_real(3.0), is_real("ill")
    (True, True, False, False)
    """
    if isinstance(label, (float, Decimal, Fraction)):
        number: float | None = float(label)
    else:
        try:
            number = number_from_label(label)
        except InvalidLabelError:
            return False
    return number is not None and not float(number).is_integer()


def is_whole(label: Any) -> bool:
    """Whether a label is a whole number, or is written like one.

    Examples
    --------
    >>> is_whole(3), is_whole("3"), is_whole(3.7), is_whole(True)
    (True, True, False, False)
    """
    try:
        number = number_from_label(label)
    except InvalidLabelError:
        return False
    return number is not None and float(number).is_integer()


def all_different(classes: Collection[Any], n_labels: int, advice: str = ADVICE) -> str:
    """Say that labels are whole numbers of which none came twice; nothing if that is not so, or may be chance.

    Parameters
    ----------
    classes : collection
        The different labels.
    n_labels : int
        How many labels there are.
    advice : str
        What to do.

    Examples
    --------
    >>> all_different(range(20), 20)[:46], all_different(range(20), 21)
    ('all 20 labels are different whole numbers, as ', '')
    """
    if n_labels < ENOUGH_TO_NOTICE or len(classes) < n_labels or not all(map(is_whole, classes)):
        return ""
    return (
        f"all {n_labels:,} labels are different whole numbers, as measurements are, while labels must be classes that "
        f"rows share: {advice}"
    )


def _read(text: str) -> int | float | None:
    said = normal(text).replace("\N{MINUS SIGN}", "-")
    if re.fullmatch(TWO_WAYS, said):
        raise InvalidLabelError(
            f"{said!r} may mean two numbers: write {said.replace(',', '.')} or {said.replace(',', '')}"
        )
    if not _NUMBER.fullmatch(said):
        return None
    dotted = said.replace(",", ".")
    return int(dotted) if dotted.lstrip("+-").isdigit() else float(dotted)
