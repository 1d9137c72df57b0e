"""Thousands of repetitions of a policy at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from activefs import allocation, criteria
from activefs.allocation import Policy, check_count, check_probabilities
from activefs.criteria import Criterion
from activefs.exceptions import InvalidInputError
from activefs.experiments.single_feature import _kernel
from activefs.experiments.single_feature._experiments import SIZES
from activefs.types import Floats, Ints


def simulate(
    p: ArrayLike,
    q: ArrayLike,
    policy: str | Policy,
    decisions: Sequence[int],
    repetitions: int = 10_000,
    seed: int = 0,
    *,
    initial: int = 2,
    budget: int | None = None,
    criterion: str | Criterion = "mutual_information",
    stream: str = "",
) -> Floats:
    """Errors of a policy on a feature with known q, for many repetitions.

    Parameters
    ----------
    p, q : array-like of float
        Probability of each value, and of label 1 given the value.
    policy : str or Policy
        Who gets the next label.
    decisions : sequence of int
        After how many labels (not counting the initial ones) the error is noted, ascending.
    repetitions : int, default 10_000
        Independent runs.
    seed : int, default 0
        The same seed gives the same numbers.
    initial : int, default 2
        Labels of every value before the first decision.
    budget : int, optional
        What the policy is told as its budget; by default the last of `decisions`.
    criterion : str or Criterion, default "mutual_information"
        What is estimated.
    stream : str, default ""
        Name of the random stream; policies under the same name and seed get the same labels.

    Returns
    -------
    array of float, shape (repetitions, len(decisions))
        abs(estimate - truth).

    Examples
    --------
    >>> errors = simulate([0.5, 0.5], [0.5, 0.01], "I-CP", [50, 100], repetitions=200)
    >>> errors.shape
    (200, 2)
    >>> bool(errors[:, 1].mean() < errors[:, 0].mean())
    True
    """
    share, ones = _check_feature(p, q)
    rule, measure = allocation.create(policy), criteria.create(criterion)
    checkpoints = _check_decisions(decisions)
    rounds, runs = check_count(initial, "initial", 0), check_count(repetitions, "repetitions", 1)
    check_count(seed, "seed", 0)
    most = int(checkpoints[-1]) + rounds
    distinct, row = np.unique(share, return_inverse=True)
    table = _index_table(rule, distinct, most, int(checkpoints[-1]) if budget is None else budget)
    errors = np.empty((runs, checkpoints.size))
    _kernel.repeat(
        share,
        np.ceil(ones * 2.0**_kernel.BITS).astype(np.uint64),
        float(share @ measure.binary_value(ones)),
        table,
        row.astype(np.int64),
        _value_table(measure, most),
        rounds,
        checkpoints,
        _stream(seed, "labels", stream),
        _stream(seed, "ties", stream),
        0,
        errors,
    )
    return errors


def _check_feature(p: ArrayLike, q: ArrayLike) -> tuple[Floats, Floats]:
    share = check_probabilities(p)
    ones = np.asarray(q, dtype=np.float64)
    if ones.shape != share.shape:
        raise InvalidInputError(f"p and q must have the same length, got {share.size} and {ones.size}")
    if not np.all((ones >= 0) & (ones <= 1)):
        raise InvalidInputError(f"every q must be a probability between 0 and 1, got {ones.tolist()}")
    return share[share > 0], ones[share > 0]


def _check_decisions(decisions: Sequence[int]) -> Ints:
    found = np.asarray(decisions, dtype=np.int64)
    if found.ndim != 1 or found.size == 0 or found[0] < 0 or np.any(np.diff(found) < 0):
        raise InvalidInputError(f"decisions must be whole numbers that ascend from 0 or more, got {decisions}")
    return found


def _triangle(most: int) -> tuple[Ints, Ints]:
    """All (ones, n) with ones <= n <= most, line by line: line n starts at n (n + 1) / 2."""
    n, ones = np.tril_indices(most + 1)
    return ones.astype(np.int64), n.astype(np.int64)


def _index_table(policy: Policy, shares: Floats, most: int, budget: int) -> Floats:
    if shares.size > 1:
        return _table(policy, tuple(shares.tolist()), most, budget)
    # Equal p: many experiments use the same few tables, and together they cost hardly more than one.
    share = float(shares[0])
    kept = _EQUAL if share in _EQUAL else (share,)
    line = kept.index(share)
    return _kept_table(policy, kept, most, budget)[line : line + 1]


_EQUAL = tuple(1.0 / size for size in SIZES)


def _table(policy: Policy, shares: tuple[float, ...], most: int, budget: int) -> Floats:
    ones, n = _triangle(most)
    return np.ascontiguousarray(policy.index(np.array(shares)[:, None], ones[None, :], n[None, :], budget))


_kept_table = lru_cache(maxsize=32)(_table)


@lru_cache(maxsize=8)
def _value_table(criterion: Criterion, most: int) -> Floats:
    ones, n = _triangle(most)
    # A value never drawn counts as even, q = 1/2.
    return criterion.binary_value(np.where(n > 0, ones / np.maximum(n, 1), 0.5))


def _stream(seed: int, *names: str) -> np.uint64:
    """Return a stream number made of the seed and the names, the same on every machine."""
    words = [crc32(name.encode()) for name in names]
    return np.uint64(np.random.SeedSequence([seed, *words]).generate_state(1, np.uint64)[0])
