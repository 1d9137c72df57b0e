"""What a strategy is given, and what it gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from activefs.estimates import Estimates
from activefs.exceptions import InvalidInputError
from activefs.model import Assistant, Completion, learnt_for
from activefs.pool import OpenRows, Pool, RowScores
from activefs.redundancy import Contested, Rule, TopK, contested
from activefs.registry import Component
from activefs.strategies._draws import Draw
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
    open_rows : OpenRows
        Rows that may be asked; at least one.
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
    open_rows: OpenRows
    history: Sequence[float]
    rule: Rule = field(default_factory=TopK)
    cost: Floats | None = None
    threads: int = 1
    shared: Callable[[], Contested] | None = None
    labels: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    assistant: Assistant | None = None
    targets: Targets | None = None
    together: int = 1

    @cached_property
    def available(self) -> Bools:
        """One entry per row of the pool, True for rows that may be asked."""
        return self.open_rows.mask

    def contested(self) -> Contested:
        """Find leaders, challengers and contested features of the labels so far; the same however often asked.

        Returns
        -------
        Contested
            Three arrays of features.
        """
        if self.shared is not None:
            return self.shared()
        return contested(self.estimates, self.k, self.rule, np.random.default_rng(0))

    @property
    def n_learnt(self) -> int:
        """How many of the labels the model knows: it learns at fixed label counts, and is used a little later."""
        return learnt_for(self.labelled.size, self.together)

    def completion(self) -> Completion | None:
        """Complete the table with the model and the labels that it knows.

        Returns
        -------
        Completion or None
            Class probabilities of the rows that the model looks at; None while it knows no label, which is so for the
            first eleven rows.
        """
        assert self.assistant is not None, "a strategy that asks the model says so: needs_assistant = True"
        known = self.n_learnt
        if known == 0:
            return None
        labels = self.labels if self.targets is None else self.targets
        return self.assistant.complete(self.labelled[:known], labels[:known], self.estimates.n_classes)


class Strategy(Component, ABC):
    """A way of choosing the next row to label.

    A strategy is a function of the state and the random generator: it may cache what it computed,
    but the same state and generator give the same row. Parameters are keyword arguments of
    ``__init__``; they are checked there.

    A new one is a class like this in a file of this package, and a line in its ``__init__.pyi``. The checks of
    :class:`activefs.testing.StrategyContract` then run on it.

    Parameters
    ----------
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled, from 0 to 1.

    See Also
    --------
    State : What it is given.
    Draw : What it returns for a row drawn at random.
    pick_best : Chooses the row with the largest score, in pools of any size.

    Notes
    -----
    Guide: :doc:`/guide/extending`.

    Examples
    --------
    >>> class InOrder(Strategy):
    ...     name = "in-order"
    ...     needs_k = False
    ...
    ...     def ask(self, state, rng):
    ...         return state.open_rows.nth(0)
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
        """Choose one of the available rows; if it was drawn at random, say with which probabilities.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        rng : numpy.random.Generator
            Draws, and breaks ties. Nothing else may be random.

        Returns
        -------
        int or Draw
            The row.
        """


def draw_random(state: State, rng: np.random.Generator) -> Draw:
    """Draw one open row, all alike.

    Parameters
    ----------
    state : State
        The table, the labels so far, and the rows that may be asked.
    rng : numpy.random.Generator
        Draws, and breaks ties.

    Returns
    -------
    Draw
        The row.
    """
    return Draw(state.open_rows.nth(int(rng.integers(state.open_rows.count))))


def pick_best(scores: RowScores, state: State, rng: np.random.Generator) -> int:
    """Choose the open row with the largest score per cost, ties broken at random.

    Scores are not negative, or are logarithms of scores. For equal costs the score alone decides.

    Parameters
    ----------
    scores : RowScores
        Gives every row its score, from its codes.
    state : State
        The table, the labels so far, and the rows that may be asked.
    rng : numpy.random.Generator
        Draws, and breaks ties.

    Returns
    -------
    int
        The row.
    """
    return state.pool.best_row(
        scores, state.open_rows, lambda ties: int(rng.integers(ties)), cost=state.cost, workers=state.threads
    )


def check_positive(name: str, value: object, *, optional: bool = False) -> None:
    """Refuse a parameter that is not a whole number of at least 1 (or None, if optional).

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    value : object
        What was given.
    optional : bool, default False
        Whether None is accepted.

    Raises
    ------
    InvalidInputError
        If it is refused.

    Examples
    --------
    >>> check_positive("n_clusters", 0)
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: n_clusters must be a whole number of at least 1, got 0
    """
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        allowed = "a whole number of at least 1" + (" or None" if optional else "")
        raise InvalidInputError(f"{name} must be {allowed}, got {value!r}")


def check_fraction(name: str, value: object) -> None:
    """Refuse a parameter that is not a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= float(value) <= 1:
        raise InvalidInputError(f"{name} must be a number between 0 and 1, got {value!r}")
