"""Rules by name, read from the public names of this package."""

from __future__ import annotations

from activefs import redundancy
from activefs.exceptions import InvalidInputError
from activefs.redundancy._base import Rule


def _by_name() -> dict[str, type[Rule]]:
    public = (getattr(redundancy, name) for name in redundancy.__all__)
    return {c.name: c for c in public if isinstance(c, type) and issubclass(c, Rule) and c is not Rule}


def available() -> list[str]:
    """Names of all rules."""
    return sorted(_by_name())


def create(rule: str | Rule) -> Rule:
    """Make the rule of that name; a rule object is handed back as it is.

    Examples
    --------
    >>> create("mrmr").name
    'mrmr'
    """
    if isinstance(rule, Rule):
        return rule
    known = _by_name()
    if not isinstance(rule, str) or rule not in known:
        raise InvalidInputError(f"unknown redundancy {rule!r}; there is: {', '.join(sorted(known))}")
    return known[rule]()
