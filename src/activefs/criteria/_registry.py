"""Criteria by name."""

from __future__ import annotations

from activefs.criteria._base import Criterion
from activefs.criteria._gini import Gini
from activefs.criteria._mutual_information import MutualInformation
from activefs.exceptions import InvalidInputError

_CRITERIA: dict[str, type[Criterion]] = {c.name: c for c in (MutualInformation, Gini)}


def available() -> list[str]:
    """Names that `create` knows.

    Examples
    --------
    >>> available()
    ['mutual_information', 'gini']
    """
    return list(_CRITERIA)


def create(criterion: str | Criterion) -> Criterion:
    """Return the criterion of that name; a criterion object is handed back as it is.

    Examples
    --------
    >>> create("gini")
    Gini()
    """
    if isinstance(criterion, Criterion):
        return criterion
    if criterion not in _CRITERIA:
        raise InvalidInputError(f"unknown criterion {criterion!r}; there are: {', '.join(_CRITERIA)}")
    return _CRITERIA[criterion]()
