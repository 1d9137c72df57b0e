"""Thousands of repetitions of a policy at once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from activefs import allocation, criteria
from activefs.allocation import Policy
from activefs.allocation._check import check_probabilities
from activefs.criteria import Criterion
from activefs.exceptions import InvalidInputError
from activefs.experiments.single_feature import _kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    pool: Executor | None = None,
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
        Name of the label stream; runs under the same name and seed get the same labels.
    pool : Executor, optional
        Threads among which the repetitions are divided; the numbers do not depend on it.

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
    share, truth_q = _check_feature(p, q)
    rule = allocation.create(policy)
    measure = criteria.create(criterion)
    checkpoints = np.asarray(decisions, dtype=np.int64)
    if checkpoints.size == 0 or checkpoints[0] < 0 or np.any(np.diff(checkpoints) < 0):
        raise InvalidInputError(f"decisions must ascend from 0 or more, got {list(decisions)}")
    most = int(checkpoints[-1]) + initial
    distinct, row = np.unique(share, return_inverse=True)
    table = _index_table(rule, tuple(distinct.tolist()), most, budget or int(checkpoints[-1]))
    value = _value_table(measure, most)
    truth = float(share @ measure.binary_value(truth_q))
    labels, ties = _stream(seed, "labels", stream), _stream(seed, "ties", stream, rule.name)
    thresholds = np.ceil(truth_q * 2.0**_kernel.BITS).astype(np.uint64)
    errors = np.empty((repetitions, checkpoints.size))

    def block(first: int, last: int) -> None:
        _kernel.repeat(
            share, thresholds, truth, table, row, value, initial, checkpoints, labels, ties, first,
            errors[first:last],
        )  # fmt: skip

    if pool is None:
        block(0, repetitions)
    else:
        starts = range(0, repetitions, _BLOCK)
        for done in [pool.submit(block, s, min(s + _BLOCK, repetitions)) for s in starts]:
            done.result()
    return errors


# Repetitions handed to a thread at once: long enough to hide the cost of handing over.
_BLOCK = 500


def _check_feature(p: ArrayLike, q: ArrayLike) -> tuple[Floats, Floats]:
    share = check_probabilities(p)
    ones = np.asarray(q, dtype=np.float64)
    if ones.shape != share.shape:
        raise InvalidInputError(f"p and q must have the same length, got {share.size} and {ones.shape}")
    if not np.all((ones >= 0) & (ones <= 1)):
        raise InvalidInputError("every q must be a probability between 0 and 1")
    return share[share > 0], ones[share > 0]


def _triangle(most: int) -> tuple[Ints, Ints]:
    """All (ones, n) with ones <= n <= most, line by line: n starts at n (n + 1) / 2."""
    n, ones = np.tril_indices(most + 1)
    return ones.astype(np.int64), n.astype(np.int64)


@lru_cache(maxsize=32)
def _index_table(policy: Policy, shares: tuple[float, ...], most: int, budget: int) -> Floats:
    ones, n = _triangle(most)
    table = policy.index(np.array(shares)[:, None], ones[None, :], n[None, :], budget)
    return np.ascontiguousarray(table)


@lru_cache(maxsize=8)
def _value_table(criterion: Criterion, most: int) -> Floats:
    ones, n = _triangle(most)
    return criterion.binary_value(np.where(n > 0, ones / np.maximum(n, 1), 0.5))


def _stream(seed: int, *names: str) -> np.uint64:
    """A stream number from the seed and names, the same on every machine."""
    words = [crc32(name.encode()) for name in names]
    return np.uint64(np.random.SeedSequence([seed, *words]).generate_state(1, np.uint64)[0])
