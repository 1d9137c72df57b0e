"""Bounds of totals by betting, written once more from their definition: slow, with fractions, and sharing no code."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

Epoch = tuple[Mapping[int, Fraction], Fraction]
"""What g(row) predicts of every row, and the largest of it."""
Move = tuple[int, bool, Fraction, Fraction, Epoch | None]

BETS = [Fraction(x) for x in ("0.9", "0.5", "0.25", "0.12", "0.06", "0.03")]


def smallest_total(
    population: Collection[int], f: Mapping[int, int | None], moves: Sequence[Move], alpha: float | Fraction
) -> int:
    """The smallest total of f over `population` that betting on it being larger does not reject.

    `population`: the rows of the cell, f: row -> 0, 1 or None (unknown). `moves`: (row, opens, weight, largest, g) in
    the order of time, where g(row) is a prediction, or None if what is known of the cell so far predicts the rest.
    """
    sure = sum(f[i] or 0 for i in population)
    most = sure + sum(f[i] is None for i in population)
    unknown_is_zero = {i: (f[i] or 0) for i in f}
    for total in range(sure, most):
        if not rejected(total, population, unknown_is_zero, moves, alpha):
            return total
    return most


def rejected(
    total: int, population: Collection[int], f: Mapping[int, int], moves: Sequence[Move], alpha: float | Fraction
) -> bool:
    everyone = set(f)
    open_rows, wealth = set(everyone), [Fraction(1)] * len(BETS)
    for row, opens, weight, largest, g in moves:
        if opens:
            open_rows.add(row)
            continue
        inside = open_rows & set(population)
        gone = set(population) - open_rows
        known = sum(f[i] for i in gone)
        if weight and inside:
            if g is None:
                share = Fraction(2 * known + 1, 2 * (len(gone) + 1))
                predict: Mapping[int, Fraction] = dict.fromkeys(everyone, share)
                bound = share
            else:
                predict, bound = g
            if largest == 1:
                if row not in population:
                    open_rows.discard(row)
                    continue
                d = len(inside)
                estimate = sum(predict[i] for i in inside) + d * (f[row] - predict[row])
            else:
                d = len(open_rows)
                here = (f[row] - predict[row]) if row in population else 0
                estimate = sum(predict[i] for i in inside) + d * weight * here
            lowest = sum(predict[i] for i in inside) - d * largest * bound
            price = total - known - lowest
            if price <= 0:
                if estimate > lowest:
                    return True
            else:
                gain = (estimate - lowest) / price - 1
                wealth = [w * (1 + b * gain) for w, b in zip(wealth, BETS, strict=True)]
                if sum(wealth) >= len(BETS) / alpha:
                    return True
        open_rows.discard(row)
    return False
