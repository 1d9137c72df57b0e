"""The plug-in estimate with class probabilities once more, slowly: dictionaries, loops and exact fractions.

Nothing of activefs is imported. Labels are dictionaries from class numbers to probabilities.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import beta

Rows = Sequence[Sequence[Any]]
Labels = Mapping[int, Mapping[int, float]]


def entropy(shares: Iterable[float | Fraction]) -> float:
    return sum(-float(q) * math.log(float(q)) for q in shares if q > 0)


def gini(shares: Iterable[float | Fraction]) -> float:
    return 1.0 - float(sum(q * q for q in shares))


def class_weights(rows: Rows, labels: Labels, j: int, v: Any, n_classes: int) -> tuple[list[Fraction], int]:
    """How many rows with value v are of each class, and how many rows there are."""
    weights, n = [Fraction(0)] * n_classes, 0
    for row, label in labels.items():
        if rows[row][j] == v:
            n += 1
            for c, p in label.items():
                weights[c] += Fraction(p)
    return weights, n


def conditional_impurity(
    rows: Rows, labels: Labels, j: int, n_classes: int, impurity: Callable[[list[Fraction]], float]
) -> float:
    """H_j = sum_v p_v value(q_v); a value that was never labelled is as impure as can be."""
    total = 0.0
    for v in {row[j] for row in rows}:
        share = sum(row[j] == v for row in rows) / len(rows)
        weights, n = class_weights(rows, labels, j, v, n_classes)
        q = [w / n for w in weights] if n else [Fraction(1, n_classes)] * n_classes
        total += share * impurity(q)
    return total


def interval(weight: float, n: int, delta: float) -> tuple[float, float]:
    """Clopper and Pearson's interval, whose quantiles of Beta exist for weights that are not whole as well."""
    if n == 0:
        return 0.0, 1.0
    low = float(beta.ppf(delta / 2, weight, n - weight + 1)) if weight > 0 else 0.0
    high = float(beta.ppf(1 - delta / 2, weight + 1, n - weight)) if weight < n else 1.0
    return low, high


def binary_bounds(rows: Rows, labels: Labels, j: int, delta: float) -> tuple[float, float]:
    """H^l_j and H^u_j for two classes."""
    lower = upper = 0.0
    for v in {row[j] for row in rows}:
        share = sum(row[j] == v for row in rows) / len(rows)
        weights, n = class_weights(rows, labels, j, v, 2)
        low, high = interval(float(weights[1]), n, delta)
        ends = [entropy([1 - q, q]) for q in (low, high)]
        lower += share * min(ends)
        upper += share * (math.log(2) if low <= 0.5 <= high else max(ends))
    return lower, upper


def pair_entropy(rows: Rows, labels: Labels, j: int, r: int, n_classes: int) -> float:
    """H(Y | X_j, X_r), pairs of values weighing as among all rows."""
    joined = [(row[j], row[r]) for row in rows]
    return conditional_impurity([[pair] for pair in joined], labels, 0, n_classes, entropy)
