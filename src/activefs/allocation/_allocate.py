"""One estimation of a single feature, with labels that somebody draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from activefs import criteria
from activefs.allocation._base import Policy, check_delta
from activefs.allocation._check import check_budget, check_count, check_probabilities
from activefs.allocation._registry import available, create
from activefs.criteria import Criterion
from activefs.exceptions import InvalidInputError, InvalidLabelError, OracleError
from activefs.intervals import ClopperPearson
from activefs.registry import parameters_of
from activefs.types import Floats, Ints

# Indices that differ by rounding only are ties: mirror-image counts must not be told apart.
TIE = 1e-12


@dataclass(frozen=True)
class AllocationResult:
    """What a budget of labels says about one feature.

    Attributes
    ----------
    entropy : float
        Plug-in estimate sum_v p_v H_b(ones_v / n_v) in nats (the impurity, under another criterion).
    lower, upper : float
        Bounds of the entropy from one Clopper-Pearson interval per value, at delta / number of values.
    n, ones : array of int
        Labels obtained for each value, and how many of them were 1.
    policy : str
        Name of the policy that chose.

    Examples
    --------
    >>> result = allocate([0.5, 0.5], draw=lambda value: value, budget=10)
    >>> result.entropy, result.ones.tolist()
    (0.0, [0, 5])
    """

    entropy: float
    lower: float
    upper: float
    n: Ints
    ones: Ints
    policy: str


def allocate(
    p: ArrayLike,
    draw: Callable[[int], int],
    policy: str | Policy = "I-CP",
    budget: int = 100,
    random_state: int | np.random.Generator | None = 0,
    *,
    initial: int = 2,
    delta: float = 0.05,
    criterion: str | Criterion = "mutual_information",
) -> AllocationResult:
    """Estimate the conditional entropy of the label given one feature, choosing what to label.

    Parameters
    ----------
    p : array-like of float
        Probability of each value of the feature; they sum to 1. Values of probability 0 are never
        drawn.
    draw : callable
        Takes the position of a value in `p`, returns the label (0 or 1) of a fresh row with it.
    policy : str or Policy, default "I-CP"
        Who gets the next label; `available()` lists the names.
    budget : int, default 100
        Calls of `draw` in all, the initial ones included.
    random_state : int, Generator or None, default 0
        Breaks ties; the same seed and labels give the same allocation.
    initial : int, default 2
        Draws of every value before the first decision.
    delta : float, default 0.05
        Confidence parameter of the policy's intervals and of the interval returned.
    criterion : str or Criterion, default "mutual_information"
        What is estimated.

    Returns
    -------
    AllocationResult
        The estimate, its interval and the allocation. The interval counts every value's labels as
        a sample of fixed size; as the sizes were chosen on the way, its confidence is approximate.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> q = [0.5, 0.02]
    >>> result = allocate([0.3, 0.7], draw=lambda v: rng.random() < q[v], budget=200)
    >>> result.n.sum(), result.n.argmax()
    (np.int64(200), np.int64(1))
    >>> result.lower < result.entropy < result.upper
    True
    """
    probabilities = check_probabilities(p)
    support = np.flatnonzero(probabilities > 0)
    rounds = check_count(initial, "initial", 0)
    labels = check_budget(budget, rounds, support.size)
    check_delta(delta)
    measure = criteria.create(criterion)
    rule = _policy(policy, delta, criterion)
    if not callable(draw):
        raise InvalidInputError(f"draw must be callable: value -> label (0 or 1); got {draw!r}")
    rng = np.random.default_rng(random_state)

    n = np.zeros(probabilities.size, dtype=np.int64)
    ones = np.zeros(probabilities.size, dtype=np.int64)
    for step in range(labels):
        if step < rounds * support.size:
            value = int(support[step % support.size])
        else:
            index = rule.index(probabilities[support], ones[support], n[support], labels)
            value = int(support[_argmax(index, rng)])
        ones[value] += _label(draw, value, step)
        n[value] += 1
    return _result(probabilities, n, ones, delta, measure, rule.name)


def _policy(policy: str | Policy, delta: float, criterion: str | Criterion) -> Policy:
    if isinstance(policy, Policy) or policy not in available():
        return create(policy)
    given = {"delta": delta, "criterion": criterion}
    wanted = parameters_of(type(create(policy)))
    return create(policy, {name: value for name, value in given.items() if name in wanted})


def _argmax(index: Floats, rng: np.random.Generator) -> int:
    best = np.flatnonzero(index >= index.max() * (1.0 - TIE))
    return int(best[0] if best.size == 1 else rng.choice(best))


def _label(draw: Callable[[int], int], value: int, step: int) -> int:
    try:
        label = draw(value)
    except Exception as error:
        raise OracleError(f"drawing label {step + 1} (value {value}) failed: {error!r}") from error
    if label not in (0, 1):
        raise InvalidLabelError(f"draw({value}) must return 0 or 1, got {label!r}")
    return int(label)


def _result(p: Floats, n: Ints, ones: Ints, delta: float, criterion: Criterion, policy: str) -> AllocationResult:
    # A value without labels is taken as even, q = 1/2, not as certain.
    q = np.where(n > 0, ones / np.maximum(n, 1), 0.5)
    lower, upper = ClopperPearson().bounds(ones, n, delta / np.count_nonzero(p))
    least, most = criterion.binary_bounds(lower, upper)
    n.flags.writeable = ones.flags.writeable = False
    estimate = p @ criterion.binary_value(q)
    return AllocationResult(float(estimate), float(p @ least), float(p @ most), n, ones, policy)
