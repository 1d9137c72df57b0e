"""The words for what is measured: name and unit of a criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class CriterionWords(NamedTuple):
    """How people read a criterion.

    Attributes
    ----------
    name : str
        What a feature's score is.
    unit : str
        What it is measured in; empty if it has no unit.
    impurity : str
        What the score is the reduction of, in the plural: the gap is a difference of sums of these.

    Examples
    --------
    >>> words_for("mutual_information").title
    'mutual information (nats)'
    >>> words_for("mutual_information").amount(0.25), words_for("gini").amount(0.25)
    ('0.2500 nats', '0.2500')
    """

    name: str
    unit: str
    impurity: str

    @property
    def title(self) -> str:
        """Name and unit, as over a column."""
        return self.name + self.in_brackets

    @property
    def in_brackets(self) -> str:
        """The unit as it follows a word, such as " (nats)"; empty if there is none."""
        return f" ({self.unit})" if self.unit else ""

    def amount(self, value: float, digits: int = 4) -> str:
        """Write a number with its unit."""
        return f"{value:.{digits}f} {self.unit}".rstrip()


def amount(value: float) -> str:
    """Write a number of labels, or what they cost.

    Examples
    --------
    >>> amount(2_000_000.0), amount(0.1 + 0.2)
    ('2,000,000', '0.3')
    """
    return f"{value:,.10g}"


def percent(probability: float) -> str:
    """Write a probability; what is only believed is never 0 or 100%.

    Examples
    --------
    >>> percent(0.384), percent(0.9999), percent(1.0)
    ('38%', '99%', '100%')
    """
    between = 0.0 < probability < 1.0
    return f"{min(max(100 * probability, 1.0), 99.0) if between else 100 * probability:.0f}%"


def labels_used(n_labels: int, cost: float | None, budget: float | None) -> str:
    """Say what is used of a budget; `cost` is what the labels cost together, if they have a price.

    Examples
    --------
    >>> labels_used(30, None, 200), labels_used(1, None, None), labels_used(2, 0.5, 3)
    ('30 of 200 labels', '1 label', '2 labels, which cost 0.5 of 3')
    """
    of = "" if budget is None else f" of {amount(budget)}"
    if cost is None:
        return f"{n_labels:,}{of} label{'s' if of or n_labels != 1 else ''}"
    return f"{n_labels:,} label{'s, which cost' if n_labels != 1 else ', which costs'} {amount(cost)}{of}"


def contest(contested: int, chosen: int) -> str:
    """Say how many of the chosen features could still change places with others: there are as many of these.

    Examples
    --------
    >>> contest(0, 5)
    'no feature is contested'
    >>> contest(2, 5)
    '2 of the 5 chosen features and 2 others are contested'
    """
    if contested == 0:
        return "no feature is contested"
    return f"{contested} of the {chosen} chosen features and {contested} other{'s' * (contested > 1)} are contested"


ABOUT_CONTEST = (
    "Contested features could still change places: if the chosen ones were as bad, and all others as good, as the "
    "labels so far allow, the choice would be another one."
)
"""What 'contested' means, wherever it is said."""
NOT_ABOVE_CHANCE = "not above chance"
ABOUT_CHANCE = (
    "Not above chance: by chance alone, a feature with as many values that has nothing to do with the label may show "
    "as much."
)
"""What the mark at a feature means."""


def most_frequent(counts: Sequence[tuple[T, int]], most: int = 12) -> tuple[list[tuple[T, int]], int]:
    """Choose the classes that are listed with their counts, and say how many are left out: none if they are few.

    Examples
    --------
    >>> most_frequent([("a", 1), ("b", 0), ("c", 4)], most=2)
    ([('c', 4), ('a', 1)], 1)
    """
    if len(counts) <= most:
        return list(counts), 0
    return sorted(counts, key=lambda one: -one[1])[:most], len(counts) - most


_KNOWN = {
    "adjusted_mutual_information": CriterionWords(
        "adjusted mutual information", "nats", "conditional entropies (plus what chance gives)"
    ),
    "mutual_information": CriterionWords("mutual information", "nats", "conditional entropies"),
    "gini": CriterionWords("reduction of the Gini impurity", "", "conditional Gini impurities"),
}


def words_for(criterion: str) -> CriterionWords:
    """Words for a criterion by its name; one that is not known here is called by its name.

    Examples
    --------
    >>> words_for("gini").title
    'reduction of the Gini impurity'
    >>> words_for("squared_error").title
    'squared error'
    """
    found = _KNOWN.get(criterion)
    return CriterionWords(criterion.replace("_", " "), "", "conditional impurities") if found is None else found
