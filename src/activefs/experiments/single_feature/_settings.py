"""How much is run."""

from __future__ import annotations

from dataclasses import dataclass

from activefs.allocation import check_count
from activefs.exceptions import InvalidInputError
from activefs.experiments.single_feature._published import BUDGETS


@dataclass(frozen=True)
class SingleFeatureSettings:
    """What the numbers depend on, besides the experiments.

    Attributes
    ----------
    repetitions : int
        Runs of every policy on every feature, at least 2.
    seed : int
        Of the labels, the ties and the uniform q.
    budgets : tuple of int
        Labels after the initial draws, ascending.

    Examples
    --------
    >>> SingleFeatureSettings(repetitions=200).budgets
    (50, 100, 300, 500)
    """

    repetitions: int = 10_000
    seed: int = 0
    budgets: tuple[int, ...] = BUDGETS

    def __post_init__(self) -> None:
        check_count(self.repetitions, "repetitions", 2)
        check_count(self.seed, "seed", 0)
        if not self.budgets or min(self.budgets) < 1 or sorted(set(self.budgets)) != list(self.budgets):
            raise InvalidInputError(f"budgets must be whole numbers that ascend from 1, got {self.budgets}")
