"""Text of a command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from activefs.exceptions import InvalidInputError


def named_text(part: str, read: Callable[[str], Any]) -> tuple[str, Any]:
    """Split NAME=VALUE.

    Examples
    --------
    >>> named_text("safeguard=30", int)
    ('safeguard', 30)
    """
    name, separator, value = part.partition("=")
    if not separator or not name.strip():
        raise InvalidInputError(f"write NAME=VALUE, got {part!r}")
    return name.strip(), read(value.strip())
