"""Checks of a session's arguments against each other."""

from __future__ import annotations

from activefs import redundancy
from activefs._classes import ClassList
from activefs._purse import Purse
from activefs.criteria import Criterion
from activefs.exceptions import InvalidInputError
from activefs.pool import Pool
from activefs.redundancy import Rule


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
