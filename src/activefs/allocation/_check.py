"""Checks of what a person hands in, made before anything is computed or drawn."""

from __future__ import annotations

from operator import index

import numpy as np
from numpy.typing import ArrayLike

from activefs.exceptions import InvalidInputError
from activefs.types import Floats

# A few values given as float32, or as shares rounded to seven digits, still count as summing to one.
TOLERANCE = 1e-6


def check_probabilities(p: ArrayLike) -> Floats:
    """Return the probabilities of a feature's values as an array: finite, not negative, summing to one.

    Parameters
    ----------
    p : array-like of float
        What was given.

    Raises
    ------
    InvalidInputError
        If it is something else.
    """
    try:
        found = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"the probabilities must be numbers, got {p!r}") from error
    if found.ndim != 1 or found.size == 0:
        raise InvalidInputError(f"the probabilities must be one row of at least one number, got shape {found.shape}")
    bad = np.flatnonzero(~np.isfinite(found) | (found < 0))
    if bad.size:
        raise InvalidInputError(
            f"probabilities must be finite and not negative, but value {bad[0]} has {found[bad[0]]}"
        )
    total = float(found.sum())
    if abs(total - 1.0) > TOLERANCE:
        raise InvalidInputError(
            f"the probabilities must sum to 1, but they sum to {total:.6g}: "
            "give the share of every value of the feature (counts divided by their sum)"
        )
    return found


def check_count(number: object, name: str, least: int) -> int:
    """Return a whole number that is at least `least`.

    Parameters
    ----------
    number : object
        What was given.
    name : str
        Name of the argument, for the message.
    least : int
        The smallest that is accepted.

    Raises
    ------
    InvalidInputError
        If it is something else.
    """
    try:
        if isinstance(number, bool):
            raise TypeError
        found = index(number)  # type: ignore[arg-type]
    except TypeError as error:
        raise InvalidInputError(f"{name} must be a whole number, got {number!r}") from error
    if found < least:
        raise InvalidInputError(f"{name} must be at least {least}, got {found}")
    return found


def check_budget(budget: object, initial: int, values: int) -> int:
    """Return a budget that pays for the initial draws of every value."""
    found = check_count(budget, "budget", 1)
    needed = initial * values
    if found < needed:
        raise InvalidInputError(
            f"a budget of {found} does not pay for the initial draws: {values} values x {initial} draws "
            f"= {needed} labels. Raise the budget to {needed} or more, or lower initial"
        )
    return found
