"""What a strategy is given, and what it gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from activefs.estimates import Estimates
from activefs.exceptions import InvalidInputError
from activefs.model import Assistant, Completion, learnt_for
from activefs.pool import Pool
from activefs.redundancy import Contested, Rule, TopK, contested
from activefs.registry import Component
from activefs.ties import TIE
from activefs.types import Bools, Estimator, Floats, Ints, Targets


@dataclass(frozen=True)
class State:
    """All that a strategy may know when it chooses the next row.

    Attributes
    ----------
    pool : Pool
        The encoded table.
    estimates : Estimates
        Counts, values and bounds from all labels so far.
    k : int
        Number of features wanted.
    labelled : array of int
        Labelled rows in the order of their labels.
    pending : array of int
        Rows asked and not yet answered.
    available : array of bool
        Rows that may be asked; at least one is True.
    history : sequence of float
        Sum of the estimates of the best k before each question whose answer has arrived, and now.
    rule : Rule
        How k features are chosen from the estimates.
    cost : array of float, optional
        What the label of each row costs; None: all the same.
    threads : int
        Threads that may be used; the choice must not depend on it.
    shared : callable, optional
        Gives the contested features if they were found already.
    labels : array of int
        Class numbers of the labelled rows, in the same order; of a row whose label is not settled, the likeliest class.
    targets : array, optional
        The same; if a label is not settled, the class probabilities of all labelled rows. None: as `labels`.
    together : int
        How many people label at the same time.
    assistant : Assistant, optional
        The model that completes the table, for strategies that need it: they ask :meth:`completion`.
    """

    pool: Pool
    estimates: Estimates
    k: int
    labelled: Ints
    pending: Ints
    available: Bools
    history: Sequence[float]
    rule: Rule = field(default_factory=TopK)
    cost: Floats | None = None
    threads: int = 1
    shared: Callable[[], Contested] | None = None
    labels: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    assistant: Assistant | None = None
    targets: Targets | None = None
    together: int = 1

    def contested(self) -> Contested:
        """Leaders, challengers and contested features of the labels so far; the same however often asked."""
        if self.shared is not None:
            return self.shared()
        return contested(self.estimates, self.k, self.rule, np.random.default_rng(0))

    @property
    def n_learnt(self) -> int:
        """How many of the labels the model knows: it learns at fixed label counts, and is used a little later."""
        return learnt_for(self.labelled.size, self.together)

    def completion(self) -> Completion | None:
        """Complete the table with the model and the labels that it knows; None while it knows none."""
        assert self.assistant is not None, "a strategy that asks the model says so: needs_assistant = True"
        known = self.n_learnt
        if known == 0:
            return None
        labels = self.labels if self.targets is None else self.targets
        return self.assistant.complete(self.labelled[:known], labels[:known], self.estimates.n_classes)


@dataclass(frozen=True, eq=False)
class Draw:
    """A row that was drawn at random, and the probabilities with which each row could have been.

    What is guaranteed of an answer rests on such draws: see :class:`activefs.estimates.GuaranteedBounds`. A row that
    was not drawn, but chosen, is returned as a number; it teaches nothing beyond itself.

    Attributes
    ----------
    row : int
        The row.
    probabilities : array of shape (n_rows,) or "uniform"
        Of every row of the pool: 0 for rows that were not available, and adding up to 1. They may depend on everything
        that is known so far, but not on the draw. "uniform": all available rows alike.

    Examples
    --------
    >>> Draw(1, np.array([0.25, 0.75])).probabilities.tolist()
    [0.25, 0.75]
    """

    row: int
    probabilities: Floats | Literal["uniform"] = "uniform"


class Strategy(Component, ABC):
    """A way of choosing the next row to label.

    A strategy is a function of the state and the random generator: it may cache what it computed,
    but the same state and generator give the same row. Parameters are keyword arguments of
    ``__init__``; they are checked there.

    A new one is a class like this in a file of this package, and a line in its ``__init__.pyi``. The checks of
    :class:`activefs.testing.StrategyContract` then run on it.

    Examples
    --------
    >>> class InOrder(Strategy):
    ...     name = "in-order"
    ...     needs_k = False
    ...
    ...     def ask(self, state, rng):
    ...         return int(np.flatnonzero(state.available)[0])
    >>> from activefs import Session
    >>> session = Session([[0, 1], [1, 1], [1, 0]], k=1, strategy=InOrder())
    >>> session.ask(), session.ask()
    (0, 1)
    """

    name: ClassVar[str]
    estimator: ClassVar[Estimator] = "plug-in"
    """The estimate that goes with this choice unless the user says otherwise."""
    needs_assistant: ClassVar[bool] = False
    """Whether the choice asks the model that completes the table."""
    needs_k: ClassVar[bool] = True
    """Whether the choice depends on k; if not, experiments make one run for all k."""
    reads_values: ClassVar[bool] = False
    """Whether the choice looks at the values themselves, not only at which rows agree in them."""
    stops_when_settled: ClassVar[bool] = False
    """Whether a session ends, unless the user says otherwise, once the bounds of the paper leave nothing contested."""
    unseen: float = 0.5
    """Class probability assumed for values that were never labelled."""

    def __init__(self, *, unseen: float = 0.5) -> None:
        check_fraction("unseen", unseen)
        self.unseen = unseen

    @abstractmethod
    def ask(self, state: State, rng: np.random.Generator) -> int | Draw:
        """Choose one of the available rows; if it was drawn at random, say with which probabilities."""


def draw_random(available: Bools, rng: np.random.Generator) -> Draw:
    """Draw one available row, all alike."""
    return Draw(pick_random(available, rng))


def pick_random(available: Bools, rng: np.random.Generator) -> int:
    """Choose one available row, all alike."""
    rows = np.flatnonzero(available)
    return int(rows[rng.integers(rows.size)])


def pick_best(scores: Floats, state: State, rng: np.random.Generator, *, logs: bool = False) -> int:
    """Choose the available row with the largest score per cost, ties broken at random.

    Scores are not negative, or are logarithms of scores. For equal costs the score alone decides.
    """
    gains = scores
    if state.cost is not None:
        gains = scores - np.log(state.cost) if logs else scores / state.cost
    best = gains[state.available].max()
    return pick_random(state.available & (gains >= best - TIE * abs(best)), rng)


def check_positive(name: str, value: object, *, optional: bool = False) -> None:
    """Refuse a parameter that is not a whole number of at least 1 (or None, if optional)."""
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        allowed = "a whole number of at least 1" + (" or None" if optional else "")
        raise InvalidInputError(f"{name} must be {allowed}, got {value!r}")


def check_fraction(name: str, value: object) -> None:
    """Refuse a parameter that is not a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= float(value) <= 1:
        raise InvalidInputError(f"{name} must be a number between 0 and 1, got {value!r}")
