"""How numbers are written in text files."""

from __future__ import annotations

from activefs.measurements import TWO_WAYS

_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
_WHOLE = r"(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)"

POINT_NUMBER = rf"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}\s*"
"""A number with a decimal point, or without decimals."""
COMMA_NUMBER = rf"\s*[+-]?(?:{_WHOLE}(?:,[0-9]*)?|,[0-9]+){_EXPONENT}\s*"
"""A number with a decimal comma, or without decimals; points may be between its thousands."""
UNCLEAR = rf"\s*{TWO_WAYS}\s*"
"""A number whose comma may be before decimals or between thousands."""
GROUPED = r"\s*[+-]?(?:[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]{1,3})\s*"
"""A whole number with points between its thousands, if it has any."""

_SIGN, _CURRENCY = "[+\\-\u2212]", "(?:[$\u20ac\u00a3\u00a5]|EUR|USD|GBP|CHF)"
_SPACED = "(?:[0-9]{1,3}(?:[ '\u2019\u00a0\u202f,.][0-9]{3})+|[0-9]+)(?:[.,][0-9]+)?"
AMOUNT = f"{_SIGN}?{_CURRENCY}? ?{_SIGN}?{_SPACED}[ \u00a0\u202f]?(?:[%\u2030]|{_CURRENCY})?"
"""An amount as people write it: with a currency or percent, signs of typography, thousands in groups."""


def anchored(pattern: str) -> str:
    """Write a pattern for Arrow that all of a value must match."""
    return rf"\A(?:{pattern})\z"
