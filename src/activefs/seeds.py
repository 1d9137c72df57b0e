"""Random streams that depend on the seed and the state only, never on how one got there."""

from __future__ import annotations

from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError


def root_seed(random_state: Any) -> int:
    """Turn any accepted `random_state` into one number.

    Examples
    --------
    >>> root_seed(7)
    7
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    raise InvalidInputError(
        f"random_state must be None, a whole number of at least 0, or a numpy generator; got {random_state!r}"
    )


def stream(seed: int, *position: int) -> np.random.Generator:
    """Return the generator for one position; equal positions give equal numbers."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=position))
