"""What a rule is, and the paper's own: the k best features, one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from activefs.estimates import Estimates
from activefs.registry import Component
from activefs.ties import TIE, in_order, smallest
from activefs.types import Floats, Ints


class Rule(Component, ABC):
    """A way of choosing k features when the quality of each is known or assumed.

    A rule is a function of its arguments; it may cache what it computed from the pool.

    See Also
    --------
    TopK : The paper's own.
    Contested : Between which features the labels must decide, by a rule.

    Notes
    -----
    Guide: :doc:`/guide/redundancy`; a rule of your own: :doc:`/guide/extending`.
    """

    name: ClassVar[str]
    criteria: ClassVar[tuple[str, ...] | None] = ("mutual_information",)
    """Names of the criteria that the rule goes with; None: all."""

    needs_rows: ClassVar[bool] = False
    """Whether the estimates must know which rows have which label, not only how many of each value."""

    @abstractmethod
    def choose(self, estimates: Estimates, k: int, rng: np.random.Generator, losses: Floats | None = None) -> Ints:
        """Choose k features, best first, ties broken at random.

        Parameters
        ----------
        estimates : Estimates
            What the labels say.
        k : int
            Number of features.
        rng : numpy.random.Generator
            Breaks ties.
        losses : array of float, shape (d,), optional
            Conditional entropies to be assumed instead of ``estimates.value``: bounds, when the rule is
            asked who could challenge the leaders. Only likely candidates need be looked at then.

        Returns
        -------
        array of int, shape (k,)
            Numbers of the pool's features, best first.
        """

    @abstractmethod
    def objective(self, estimates: Estimates, features: Ints, losses: Floats | None = None) -> float:
        """Return what the rule makes of features that are chosen in this order: the sum of their scores.

        The score of a feature is the one that it has when those before it were chosen; larger is better.

        Parameters
        ----------
        estimates : Estimates
            What the labels say.
        features : array of int
            Features, in order.
        losses : array of float, shape (d,), optional
            Conditional entropies to be assumed instead of ``estimates.value``.

        Returns
        -------
        float
            The sum.
        """

    def lacking(
        self, estimates: Estimates, features: Ints, rng: np.random.Generator, losses: Floats | None = None
    ) -> float:
        """Return by how much the objective of features is smaller than that of the rule's own choice; at least 0.

        In which order the features come does not matter: the rule puts them into its own.

        Parameters
        ----------
        estimates : Estimates
            What the labels say.
        features : array of int
            Features.
        rng : numpy.random.Generator
            Breaks ties.
        losses : array of float, shape (d,), optional
            Conditional entropies to be assumed instead of ``estimates.value``.

        Returns
        -------
        float
            What they lack, in the unit of the criterion (nats, with mutual information).
        """
        k = features.size
        alone = np.full(estimates.value.size, np.inf)
        alone[features] = (estimates.value if losses is None else losses)[features]
        mine = self.choose(estimates, k, rng, losses=alone)
        best = self.choose(estimates, k, rng, losses=losses)
        gap = self.objective(estimates, best, losses) - self.objective(estimates, mine, losses)
        return gap if gap > TIE * k else 0.0


class TopK(Rule):
    """The k features with the smallest conditional impurity, whatever they have in common.

    The default, ``redundancy="none"``, as in the paper. It goes with every criterion. By the other rules nothing
    can be guaranteed until hardly a row is left.

    See Also
    --------
    MRMR : Avoids features that tell about each other.
    JMI : Looks at the label together with two features.
    CMIM : Avoids features that tell nothing beside one that was chosen.

    Notes
    -----
    Guide: :doc:`/guide/redundancy`.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> one, other = rng.integers(0, 2, size=(2, 200))
    >>> X = np.column_stack([one, one, other])  # the second column repeats the first
    >>> session = Session(X, k=2, strategy="random", random_state=0)
    >>> session.tell(range(200), 2 * one + (rng.random(200) < 0.2) * other)
    >>> sorted(session.leaders().tolist())
    [0, 1]
    """

    name: ClassVar[str] = "none"
    criteria: ClassVar[tuple[str, ...] | None] = None

    def choose(self, estimates: Estimates, k: int, rng: np.random.Generator, losses: Floats | None = None) -> Ints:
        """Take the k smallest.

        Parameters
        ----------
        estimates, k, rng, losses
            As for :meth:`Rule.choose`.
        """
        values = estimates.value if losses is None else losses
        return in_order(smallest(values, k, rng), values, rng)

    def objective(self, estimates: Estimates, features: Ints, losses: Floats | None = None) -> float:
        """Add up what the features leave unknown, with a minus sign.

        Parameters
        ----------
        estimates, features, losses
            As for :meth:`Rule.objective`.
        """
        return -float((estimates.value if losses is None else losses)[features].sum())
