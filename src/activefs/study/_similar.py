"""Labels that are typed freely: whether one is new, and which classes may have been meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from activefs.storages import Label

if TYPE_CHECKING:
    from activefs.study._engine import StudyEngine

_ALIKE = 0.7
"""Share of letters that two names have in common, in order, if one may be a slip for the other."""
_MOST = 5


def new_class(engine: StudyEngine, said: str) -> Label | None:
    """Return what was typed as the class that it would be, if that is new; None if it is known, or none is asked for.

    Raises
    ------
    InvalidLabelError
        If it can be no class at all.
    """
    if not engine.settings.free_labels:
        return None
    with engine.reading() as state:
        classes = engine.rules.classes(state)
    known = set(map(str, classes.values))
    value = engine.rules.checked(classes, said, text=True)
    return None if str(value) in known else value


def similar_classes(said: str, classes: Sequence[Label], most: int = _MOST) -> list[Label]:
    """List classes that may have been meant, the likeliest first: alike but for case, spaces, accents, or a slip.

    Examples
    --------
    >>> similar_classes("helthy", ["healthy", "ill", "HEALTHY "])
    ['healthy', 'HEALTHY ']
    >>> similar_classes("cafe au lait", ["Café-au-lait", "tea"])
    ['Café-au-lait']
    """
    wanted = _folded(said)
    scored = [(_likeness(wanted, _folded(str(label))), -i) for i, label in enumerate(classes)]
    return [classes[-i] for score, i in sorted(scored, reverse=True)[:most] if score >= _ALIKE]


def _likeness(one: str, other: str) -> float:
    """Share of letters in common; whatever begins with the other, or with most of it, may be what was meant."""
    if one == other:
        return 2.0
    match = SequenceMatcher(None, one, other, autojunk=False)
    # Cheap upper bounds first: there may be hundreds of classes.
    if match.real_quick_ratio() < _ALIKE or match.quick_ratio() < _ALIKE:
        return _ALIKE if len(one) > 2 and (other.startswith(one) or (len(other) > 2 and one.startswith(other))) else 0.0
    return match.ratio()


def _folded(text: str) -> str:
    """Write text without case, accents, spaces and signs; text of nothing else stays as it is."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in letters if c.isalnum()) or text.strip()
