"""Reading what people type into the form of a new study; what cannot be meant becomes a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from activefs.exceptions import InvalidInputError


def whole_in(said: str, what: str) -> int:
    """Read a whole number; `what` is what it says."""
    text = said.strip()
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise InvalidInputError(f"{what} must be a whole number, got {said[:40]!r}")
    return int(text)


def classes_in(said: str) -> list[str]:
    """Read the names of classes."""
    found = [name.strip() for name in re.split(r"[,\n]", said) if name.strip()]
    if len(found) < 2:
        raise InvalidInputError("name at least two classes, one per line or with commas between them")
    return found


def described_in(said: str, classes: Sequence[str]) -> dict[str, str]:
    r"""Read what classes mean, one line each.

    Raises
    ------
    InvalidInputError
        If a line is of no class, or a class has two.

    Examples
    --------
    >>> described_in("ill: at least one sign\n1:2: a ratio", ["ill", "1:2"])
    {'ill': 'at least one sign', '1:2': 'a ratio'}
    """
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, said.splitlines())):
        known = [name for name in classes if re.match(rf"{re.escape(name)}\s*:", line)]
        label = max(known, key=len, default=line.partition(":")[0].strip())
        text = line[len(label) :].strip().removeprefix(":").strip()
        if not label or not text:
            raise InvalidInputError(f"say what a class means as in 'ill: at least one of the signs', got {line[:80]!r}")
        if label in found:
            raise InvalidInputError(f"class {label!r} is described twice")
        found[label] = text
    return found


def share_in(said: str) -> float | None:
    """Read a share in percent; None if nothing is said."""
    text = said.strip().removesuffix("%").strip().replace(",", ".")
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text) or float(text) > 100:
        raise InvalidInputError(
            f"the share of rows with a second answer must be from 0 to 100 percent, got {said[:40]!r}"
        )
    return float(text) / 100


def numbers_in(said: str) -> Sequence[float]:
    """Read numbers."""
    try:
        found = [float(part) for part in re.split(r"[;,\s]+", said.strip()) if part]
    except ValueError:
        raise InvalidInputError(f"the edges must be numbers with commas between them, got {said[:80]!r}") from None
    if not found:
        raise InvalidInputError("say at which numbers one class ends and the next begins, like 5.7, 6.5")
    return found
