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


def anchored(pattern: str) -> str:
    """Write a pattern for Arrow that all of a value must match."""
    return rf"\A(?:{pattern})\z"
