"""Strategies by name, read from the public names of this package."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from activefs import strategies
from activefs.exceptions import InvalidInputError
from activefs.strategies._base import Strategy

RECOMMENDED = "assisted"
"""The default wherever people come with a table and a budget; it needs the fewest labels on the leaderboard."""


def _by_name() -> dict[str, type[Strategy]]:
    public = (getattr(strategies, name) for name in strategies.__all__)
    classes = [c for c in public if isinstance(c, type) and issubclass(c, Strategy) and c is not Strategy]
    return {c.name: c for c in classes}


def available() -> list[str]:
    """Names of all strategies.

    Examples
    --------
    >>> available()[:4]
    ['activeml', 'afs', 'afs-nosg', 'assisted']
    """
    return sorted(_by_name())


def create(strategy: str | Strategy, params: Mapping[str, Any] | None = None) -> Strategy:
    """Make the strategy of that name; a strategy object is handed back as it is.

    Parameters
    ----------
    strategy : str or Strategy
        A name from `available`, or an object.
    params : mapping, optional
        Keyword arguments of the strategy, for a name only.

    Examples
    --------
    >>> create("afs", {"psi": "l2"}).psi
    'l2'
    """
    if isinstance(strategy, Strategy):
        if params:
            raise InvalidInputError("strategy_params go with a strategy's name; this one is an object already")
        return strategy
    known = _by_name()
    if not isinstance(strategy, str) or strategy not in known:
        raise InvalidInputError(f"unknown strategy {strategy!r}; there are: {', '.join(sorted(known))}")
    accepted = list(inspect.signature(known[strategy]).parameters)
    unknown = sorted(set(params or {}) - set(accepted))
    if unknown:
        raise InvalidInputError(
            f"strategy {strategy!r} has no parameter {', '.join(map(repr, unknown))}; it has: {', '.join(accepted)}"
        )
    return known[strategy](**dict(params or {}))
