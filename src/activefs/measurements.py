"""Labels that are numbers: reading them, and noticing that they are measurements rather than names of classes."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from math import lgamma, log
from typing import Any

from activefs.codec import EXACT, normal, plain
from activefs.exceptions import InvalidLabelError

ADVICE = "name the classes with classes=[...], or make classes of the number with label_edges=[...]"
"""What to do with labels that are measurements."""

IN_THE_TERMINAL = {"classes=[...]": "--classes A,B,...", "label_edges=[...]": "--label-edges 5,7.5,..."}
"""How the command line calls the two settings, for whoever made a study there."""

MANY_CLASSES = 300
"""Up to so many classes nobody asks whether they are classes."""

_PLAIN, _ENOUGH = 5, 20
"""Labels from which on it is said that no number came twice: of numbers that cannot be codes of so many classes, and of
others. Strategies ask for rows that differ, so that fewer labels are often of a class each."""

_CHANCE = 0.005
"""How often labels of classes may be taken for a measurement, about: a little more, since every label is looked at."""

_SCALE = 20
"""From the lowest to the highest class of a scale around zero, such as -10 to 10; other codes are not negative."""

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
    """Whether a label is a finite number that is not whole, or is written like one.

    Examples
    --------
    >>> is_real(3.7), is_real("3.7"), is_real(3.0), is_real("ill")
    (True, True, False, False)
    """
    try:
        number = number_from_label(label)
    except InvalidLabelError:
        return False
    return number is not None and not float(number).is_integer()


def is_infinite(label: Any) -> bool:
    """Whether a label is a number that is infinite; text that says so is a word.

    Examples
    --------
    >>> is_infinite(float("-inf")), is_infinite("inf"), is_infinite(10**400)
    (True, False, False)
    """
    return isinstance(label, (float, Decimal)) and math.isinf(label)


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

    Numbers from a range of more than 300, or with negative ones that are no short scale, are hardly codes of classes:
    five are enough. Others may be the codes of C classes, all numbers from the smallest to the largest, of which m
    labels are all different with probability (1 - 1/C) (1 - 2/C) ... (1 - (m-1)/C) if the classes are equally likely,
    and less often if they are not. It is said when that is below 0.5%: with C up to 40 after 20 labels, 100 after 32,
    300 after 56. So it is heard in less than 1% of all sessions with up to 300 classes whose codes follow each other.
    Codes with wide gaps, such as 1010 and 2040, look like measurements, too: whoever has them names the classes.

    Parameters
    ----------
    classes : collection
        The different labels, in the order in which they were told.
    n_labels : int
        How many labels there are.
    advice : str
        What to do.

    Examples
    --------
    >>> all_different([1200, 950, 3100, 1800, 2250], 5)[:45], all_different(range(20), 21), all_different(range(9), 9)
    ('all 5 labels are different whole numbers, as ', '', '')
    """
    if n_labels < _PLAIN or len(classes) < n_labels or not all(map(is_whole, classes)):
        return ""
    numbers = [float(number_from_label(label) or 0) for label in classes]
    if len(set(numbers)) < n_labels or not _was_plain(numbers):
        return ""
    return (
        f"all {n_labels:,} labels are different whole numbers, as measurements are, while labels must be classes that "
        f"rows share: {advice}"
    )


def mostly_different(classes: Collection[Any], n_labels: int, what: str = "the label") -> str:
    """Say that most labels of a table are different whole numbers, or more than 300 are; nothing if that is not so.

    Where all labels are known this is said before one of them is asked for. Half of the rows is also where scikit-learn
    doubts that they are classes: most of these would have one row.

    Parameters
    ----------
    classes : collection
        The different labels.
    n_labels : int
        How many rows have one.
    what : str
        What the labels are called.

    Examples
    --------
    >>> mostly_different(range(30), 40)[:52], mostly_different(range(30), 60)
    ('the label has 30 different whole numbers in 40 rows;', '')
    """
    many = len(classes) > min(n_labels / 2, MANY_CLASSES)
    if n_labels < _ENOUGH or not many or not all(map(is_whole, classes)):
        return ""
    return (
        f"{what} has {len(classes):,} different whole numbers in {n_labels:,} rows; if it is a measurement, make "
        "classes of it with label_edges=[...]"
    )


def _was_plain(numbers: Sequence[float]) -> bool:
    """Whether different whole numbers could not be taken for codes of classes when one of them was told.

    What was plain once stays so: a later number that is far from the others makes no classes of them.
    """
    spans = zip(accumulate(numbers, min), accumulate(numbers, max), strict=True)
    return any(_are_no_codes(count, *span) for count, span in enumerate(spans, start=1))


def _are_no_codes(count: int, lowest: float, highest: float) -> bool:
    """Whether so many different whole numbers are hardly codes of classes; see :func:`all_different`."""
    apart = highest - lowest
    if apart >= MANY_CLASSES or (lowest < 0 and apart > _SCALE):
        return count >= _PLAIN
    codes = apart + 1
    chance = lgamma(codes + 1) - lgamma(codes - count + 1) - count * log(codes)
    return count >= _ENOUGH and chance < log(_CHANCE)


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
