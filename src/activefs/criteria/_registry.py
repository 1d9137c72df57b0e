"""Criteria by name, read from the public names of this package."""

from __future__ import annotations

from activefs import criteria
from activefs.criteria._base import Criterion
from activefs.exceptions import InvalidInputError


def _by_name() -> dict[str, type[Criterion]]:
    public = (getattr(criteria, name) for name in criteria.__all__)
    return {c.name: c for c in public if isinstance(c, type) and issubclass(c, Criterion) and c is not Criterion}


def available() -> list[str]:
    """Names that `create` knows.

    Examples
    --------
    >>> available()
    ['gini', 'mutual_information']
    """
    return sorted(_by_name())


def create(criterion: str | Criterion) -> Criterion:
    """Return the criterion of that name; a criterion object is handed back as it is.

    Examples
    --------
    >>> create("gini")
    Gini()
    """
    if isinstance(criterion, Criterion):
        return criterion
    known = _by_name()
    if criterion not in known:
        raise InvalidInputError(f"unknown criterion {criterion!r}; there are: {', '.join(sorted(known))}")
    return known[criterion]()
