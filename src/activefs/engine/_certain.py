"""What is certain because it holds for all labels that unlabelled rows could have."""

from __future__ import annotations

import numpy as np

from activefs.engine._labels import LabelState
from activefs.estimates import Estimates
from activefs.redundancy import Rule, TopK
from activefs.ties import TIE
from activefs.types import Ints

_MOST = 256
"""Ways to label the rows that are left, up to which all of them are tried."""


def few_possibilities(here: LabelState) -> bool:
    """Whether all labels that rows without one could have can be tried.

    A label that is not settled may be any. Where classes are not fixed, every such row may be of a new class.
    """
    n_unknown = here.n_unknown
    if n_unknown > _MOST.bit_length():
        return False
    return bool(_n_possible(here, here.settled().n_classes, n_unknown) ** n_unknown <= _MOST)


def largest_gap(here: LabelState, rule: Rule, leaders: Ints) -> float:
    """Return the largest gap of the leaders over all labels that rows without one could have."""
    known = here.settled()
    unknown = np.setdiff1d(np.arange(here.pool.n_rows), known.rows)
    plain = here.estimates
    estimates = Estimates(
        here.pool,
        _n_possible(here, known.n_classes, unknown.size),
        criterion=plain.criterion,
        interval=plain.interval,
        delta=plain.delta,
        unseen=plain.unseen,
    )
    estimates.add_many(known.rows, known.codes)
    return _largest(estimates, unknown.tolist(), rule, leaders)


def _n_possible(here: LabelState, n_classes: int, n_unknown: int) -> int:
    return n_classes if here.classes.fixed else n_classes + n_unknown


def _largest(estimates: Estimates, unknown: list[int], rule: Rule, leaders: Ints) -> float:
    if not unknown:
        return _gap(estimates, rule, leaders)
    row, *others = unknown
    found = []
    for label in range(estimates.n_classes):
        estimates.add(row, label)
        found.append(_largest(estimates, others, rule, leaders))
        estimates.remove(row)
    return max(found)


def _gap(estimates: Estimates, rule: Rule, leaders: Ints) -> float:
    if not isinstance(rule, TopK):
        return rule.lacking(estimates, leaders, np.random.default_rng(0))
    value = estimates.value
    lacking = value[leaders].sum() - np.partition(value, leaders.size - 1)[: leaders.size].sum()
    return float(lacking) if lacking > TIE * leaders.size else 0.0
