"""The budget: a number of labels, or a sum of costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from activefs.exceptions import InvalidInputError
from activefs.rendering import amount
from activefs.types import Bools, Floats

# Sums of costs are compared with the budget up to rounding: ten times 0.1 must fit into 1.
_ROUNDING = 1e-9


class Budget:
    """What may be spent on labels, and what has been.

    Parameters
    ----------
    budget : int or float, optional
        Number of labels, or with costs, their sum. None: no limit.
    cost : array of float, optional
        What the label of each row costs, above zero. None: one each.
    n_rows : int
        Rows of the pool.

    Examples
    --------
    >>> budget = Budget(1.0, [0.5, 2.0, 0.4], 3)
    >>> budget.affordable(spent=0.5).tolist()
    [True, False, True]
    """

    def __init__(self, budget: Any, cost: ArrayLike | None, n_rows: int) -> None:
        self.cost = None if cost is None else _checked_cost(cost, n_rows)
        self.budget = _checked_budget(budget, whole=self.cost is None)
        self._n_rows = n_rows

    def of(self, rows: list[int]) -> float:
        """What the labels of these rows cost together."""
        return float(len(rows)) if self.cost is None else float(self.cost[rows].sum())

    def is_used(self, spent: float) -> bool:
        """Whether nothing is left."""
        return self.budget is not None and spent >= self.budget * (1 - _ROUNDING)

    def left(self, spent: float) -> float:
        """What may still be spent."""
        return np.inf if self.budget is None else self.budget - spent

    def affordable(self, spent: float) -> Bools | None:
        """Rows that what is left can pay for; None if it can pay for all."""
        if self.budget is None or self.cost is None:
            return None
        return np.asarray(self.cost <= self.left(spent) + self.budget * _ROUNDING)

    def __str__(self) -> str:
        if self.budget is None:
            return "no budget"
        return f"the budget of {amount(self.budget)}{' labels' if self.cost is None else ''}"


def _checked_budget(budget: Any, *, whole: bool) -> float | None:
    if budget is None:
        return None
    number = isinstance(budget, (int, float, np.integer, np.floating)) and not isinstance(budget, bool)
    if whole:
        if not number or not np.isfinite(budget) or budget < 1 or budget != int(budget):
            raise InvalidInputError(f"budget must be a whole number of at least 1, got {budget!r}")
    elif not number or not np.isfinite(budget) or budget <= 0:
        raise InvalidInputError(f"budget must be a sum of costs above zero, got {budget!r}")
    return float(budget)


def _checked_cost(cost: ArrayLike, n_rows: int) -> Floats:
    try:
        values = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError("cost must be one number per row") from None
    if values.shape != (n_rows,):
        raise InvalidInputError(f"cost must be one number per row: shape ({n_rows},), got {values.shape}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if bad.size:
        raise InvalidInputError(
            f"every cost must be a finite number above zero; row {bad[0]} has {values[bad[0]]:g}"
            + (f", and {bad.size - 1} more rows" if bad.size > 1 else "")
        )
    return values
