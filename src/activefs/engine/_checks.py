"""Checks of a session's arguments against each other."""

from __future__ import annotations

import numpy as np

from activefs import redundancy
from activefs.criteria import Criterion
from activefs.engine._budget import Purse
from activefs.engine._classes import ClassList
from activefs.exceptions import InvalidInputError
from activefs.pool import Pool
from activefs.redundancy import Rule
from activefs.strategies import Estimator


def checked_rule(rule: str | Rule, criterion: Criterion) -> Rule:
    """Return the rule; refuse one that does not go with the criterion."""
    made = redundancy.create(rule)
    if made.criteria is not None and criterion.name not in made.criteria:
        raise InvalidInputError(
            f"redundancy={made.name!r} goes with criterion {' or '.join(map(repr, made.criteria))}, "
            f"not with {criterion.name!r}"
        )
    return made


def check_classes_fit(classes: ClassList, purse: Purse) -> None:
    """Refuse a budget with which not even every class could be seen once."""
    if classes.fixed and purse.cost is None and purse.budget is not None and classes.count > purse.budget:
        raise InvalidInputError(
            f"{classes.count} classes cannot be told apart with a budget of {purse.budget:g} labels: "
            "raise the budget, or join classes"
        )


def checked_k(k: int, pool: Pool) -> int:
    """Return k; refuse one that the table cannot give."""
    if pool.n_features == 0:
        raise InvalidInputError("all columns are constant (or all rows identical): there is nothing to choose from")
    if k > pool.n_columns:
        raise InvalidInputError(f"k={k} features are wanted, but the table has {pool.n_columns} columns")
    if k > pool.n_features:
        raise InvalidInputError(
            f"k={k} features are wanted, but only {pool.n_features} of the {pool.n_columns} columns vary: "
            "a column with one value only tells nothing"
        )
    return k


def checked_estimator(estimator: object, default: Estimator) -> Estimator:
    """Return the estimator asked for, or the default one of the strategy."""
    if estimator is None:
        return default
    if estimator not in ("plug-in", "assisted"):
        raise InvalidInputError(f"estimator must be 'plug-in', 'assisted' or None, got {estimator!r}")
    return "assisted" if estimator == "assisted" else "plug-in"


def checked_gap(gap: object, estimator: Estimator) -> float | None:
    """Return the gap at which to stop; refuse one that is no number above 0, or that nothing can tell."""
    if gap is None:
        return None
    if isinstance(gap, bool) or not isinstance(gap, (int, float, np.number)) or not float(gap) > 0:
        raise InvalidInputError(f"stop_when_gap_below must be a number above 0, got {gap!r}")
    if estimator != "assisted":
        raise InvalidInputError(
            "stop_when_gap_below needs estimator='assisted': the plug-in estimate has no such figure"
        )
    return float(gap)
