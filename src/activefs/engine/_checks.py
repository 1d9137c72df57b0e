"""Checks of a session's options against each other and against the table."""

from __future__ import annotations

from activefs.criteria import Criterion
from activefs.engine._budget import Budget
from activefs.engine._classes import ClassList
from activefs.exceptions import InvalidInputError
from activefs.pool import Pool
from activefs.redundancy import Rule, TopK
from activefs.tables import kept_if_named
from activefs.types import Estimator


def check_rule(rule: Rule, criterion: Criterion) -> None:
    """Refuse a rule that does not go with the criterion."""
    if rule.criteria is not None and criterion.name not in rule.criteria:
        raise InvalidInputError(
            f"redundancy={rule.name!r} goes with criterion {' or '.join(map(repr, rule.criteria))}, "
            f"not with {criterion.name!r}"
        )


_FEW_CLASSES = 20


def check_classes_fit(classes: ClassList, budget: Budget) -> None:
    """Refuse a budget with which not even every class could be seen once.

    Of many classes some stay unseen with any budget that people have.
    """
    few = classes.fixed and classes.count <= _FEW_CLASSES
    if few and budget.cost is None and budget.budget is not None and classes.count > budget.budget:
        raise InvalidInputError(
            f"{classes.count} classes cannot be told apart with a budget of {budget.budget:g} labels: "
            "raise the budget, or join classes"
        )


def check_k(k: int, pool: Pool) -> None:
    """Refuse a k that the table cannot give."""
    left_out = kept_if_named(pool.left_out)
    if pool.n_features == 0 and left_out:
        raise InvalidInputError(f"no column is left to choose from{left_out}")
    if pool.n_features == 0:
        raise InvalidInputError("all columns are constant (or all rows identical): there is nothing to choose from")
    if k > pool.n_columns:
        raise InvalidInputError(f"k={k} features are wanted, but the table has {pool.n_columns} columns")
    if k > pool.n_features and left_out:
        raise InvalidInputError(
            f"k={k} features are wanted, but only {pool.n_features} of the {pool.n_columns} columns can be "
            f"features{left_out}"
        )
    if k > pool.n_features:
        raise InvalidInputError(
            f"k={k} features are wanted, but only {pool.n_features} of the {pool.n_columns} columns vary: "
            "a column with one value only tells nothing"
        )


def check_gap(gap: float | None, estimator: Estimator) -> None:
    """Refuse a gap at which to stop where nothing can tell it."""
    if gap is not None and estimator != "assisted":
        raise InvalidInputError(
            "stop_when_gap_below needs estimator='assisted': the plug-in estimate has no such figure"
        )


def check_guaranteed_gap(gap: float | None, rule: Rule) -> None:
    """Refuse a guaranteed gap at which to stop where nothing can be guaranteed."""
    if gap is not None and not isinstance(rule, TopK):
        raise InvalidInputError(
            f"stop_when_guaranteed_gap_below does not go with redundancy={rule.name!r}: the choice of such a rule is "
            "guaranteed only once nearly all rows are labelled; use stop_when_gap_below, or redundancy='none'"
        )
