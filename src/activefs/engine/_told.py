"""In what the labels of two positions differ."""

from __future__ import annotations

from operator import is_
from typing import Any

from activefs.engine._position import Told
from activefs.engine._probabilities import is_uncertain


def in_common(old: tuple[Told, ...], new: tuple[Told, ...]) -> int:
    """How many labels two positions share at their beginning.

    Examples
    --------
    >>> in_common((Told(3, "a"), Told(4, 1)), (Told(3, "a"), Told(4, True)))
    1
    """
    for shorter, longer in ((old, new), (new, old)):
        # The usual case, compared in one go; what is the same object cannot be 1 in one and True in the other.
        if len(shorter) <= len(longer) and all(map(is_, shorter, longer)):
            return len(shorter)
    pairs = enumerate(zip(old, new, strict=False))
    return next((i for i, (a, b) in pairs if not _same(a, b)), min(len(old), len(new)))


def corrections(old: tuple[Told, ...], new: tuple[Told, ...], shared: int) -> dict[int, Told] | None:
    """Find labels that were replaced, by their places after the first `shared` ones; None if rows differ as well.

    Examples
    --------
    >>> corrections((Told(3, "a"), Told(4, "b")), (Told(3, "b"), Told(4, "b"), Told(5, "a")), 0)
    {0: Told(row=3, label='b', asked=False)}
    >>> corrections((Told(3, "a"), Told(4, "b")), (Told(4, "a"), Told(3, "b")), 0) is None
    True
    """
    pairs = list(zip(old[shared:], new[shared:], strict=False))
    if any(a.row != b.row or a.asked != b.asked for a, b in pairs):
        return None
    return {shared + i: b for i, (a, b) in enumerate(pairs) if not _same(a, b)}


def _same(a: Told, b: Told) -> bool:
    return a is b or (a == b and _kinds(a.label) == _kinds(b.label))


def _kinds(label: Any) -> tuple[type, ...]:
    """Of which types a label is: 1 and True are equal, and not the same."""
    return (type(label), *map(type, label)) if is_uncertain(label) else (type(label),)
