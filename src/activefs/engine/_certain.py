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

    Where classes are not fixed, every such row may be of a new class.
    """
    n_unknown = here.pool.n_rows - here.estimates.n_labels
    return n_unknown <= _MOST.bit_length() and _n_possible(here, n_unknown) ** n_unknown <= _MOST


def largest_gap(here: LabelState, rule: Rule, leaders: Ints) -> float:
    """Return the largest gap of the leaders over all labels that rows without one could have."""
    unknown = np.setdiff1d(np.arange(here.pool.n_rows), here.rows())
    plain = here.estimates
    estimates = Estimates(
        here.pool,
        _n_possible(here, unknown.size),
        criterion=plain.criterion,
        interval=plain.interval,
        delta=plain.delta,
        unseen=plain.unseen,
    )
    estimates.add_many(here.rows(), here.codes())
    return _largest(estimates, unknown.tolist(), rule, leaders)


def _n_possible(here: LabelState, n_unknown: int) -> int:
    n_classes = here.estimates.n_classes
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
