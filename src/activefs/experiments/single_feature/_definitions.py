"""What is run: the paper's formulas, and the authors' released code with its slips."""

from __future__ import annotations

from dataclasses import dataclass

from activefs import allocation
from activefs.allocation import Policy
from activefs.experiments.single_feature._as_released import as_released


@dataclass(frozen=True)
class Definition:
    """Policies, initial draws and intervals that belong together.

    Attributes
    ----------
    name, title : str
        For files and for people.
    policies : tuple of Policy
        In the order of the tables.
    initial : int
        Draws of every value before the first decision.
    confidence : float
        Of the intervals that decide who wins.
    delta : float
        Confidence parameter of the policies.
    late : int
        Decisions still to be made when the error at a budget is noted. The released code notes the
        error before each of 500 decisions: the last one, read as budget 500, comes after 499.

    Examples
    --------
    >>> PAPER.initial, PAPER.confidence, PAPER.policies[0]
    (2, 0.95, Proportional())
    """

    name: str
    title: str
    policies: tuple[Policy, ...]
    initial: int
    confidence: float
    delta: float = 0.05
    late: int = 0


PAPER = Definition(
    name="paper",
    title="the paper's formulas",
    policies=tuple(allocation.create(name) for name in allocation.available()),
    initial=2,
    confidence=0.95,
)
RELEASED = Definition(
    name="as-released",
    title="as released",
    policies=as_released(delta=0.05),
    initial=2,
    confidence=0.68,
    late=1,
)
# The released script does not give the published rows of small budgets; these two numbers do.
REFITTED = Definition(
    name="refitted",
    title="as released, refitted",
    policies=as_released(delta=0.1),
    initial=6,
    confidence=0.68,
    delta=0.1,
    late=1,
)
DEFINITIONS = (PAPER, RELEASED, REFITTED)
