"""Confidence bounds of totals in a finite population, by betting on draws without replacement."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Array, Bools, Floats, Ints

_NOTHING = 1e-7  # rows; sums of predictions are exact to many more digits


@kernel
def is_rejected(
    total: float, payoffs: Floats, offsets: Floats, n: int, bets: Floats, limit: float, wealth: Floats
) -> bool:
    """Whether betting that a total is larger than `total` ever made `limit` of bets.size.

    The share ``bets[k]`` of the k-th part of the wealth, which begins with 1, is staked on every draw and paid back
    ``payoffs[t] / (total - offsets[t])`` times: once on average if `total` is right. The wealth is a nonnegative
    martingale then, and ever reaches `limit` with probability at most bets.size / limit (Ville's inequality).
    """
    for k in range(bets.shape[0]):
        wealth[k] = 1.0
    for t in range(n):
        price = total - offsets[t]
        if price <= _NOTHING:
            if payoffs[t] > 10.0 * _NOTHING:
                return True  # what was seen cannot happen with this total
            continue
        gain = payoffs[t] / price - 1.0
        together = 0.0
        for k in range(bets.shape[0]):
            wealth[k] *= 1.0 + bets[k] * gain
            together += wealth[k]
        if together >= limit:
            return True
    return False


@kernel
def smallest_total(
    low: int, high: int, payoffs: Floats, offsets: Floats, n: int, bets: Floats, limit: float, wealth: Floats
) -> int:
    """Return the smallest total from `low` to `high` that is not rejected; `high` if all others are.

    The gain falls with the total, so all totals below a rejected one are rejected, too.
    """
    if n == 0 or low >= high or not is_rejected(low, payoffs, offsets, n, bets, limit, wealth):
        return low
    while high - low > 1:
        middle = (low + high) // 2
        if is_rejected(middle, payoffs, offsets, n, bets, limit, wealth):
            low = middle
        else:
            high = middle
    return high


@kernel
def bet_on_cell(
    values: Array,
    value: int,
    size: int,
    n_rows: int,
    target: int,
    opposite: bool,
    first: int,
    opens: Bools,
    weights: Floats,
    largest: Floats,
    labels: Ints,
    epochs: Ints,
    predicted: Floats,
    sums: Floats,
    least: Floats,
    most: Floats,
    payoffs: Floats,
    offsets: Floats,
) -> int:
    """Write the payoffs and offsets of all draws that tell something about one total; return how many they are.

    The total is that of f over the rows of a cell, f = 1 if the label is the target class (or, `opposite`, another
    one). Of a row whose label is not known f is taken as 0, which can only make the bound smaller. Let K be the total
    over rows of the cell that are not open, G the total of the predictions g over those that are. A draw gives an
    unbiased estimate of the rest of the total, with D the open rows that could have been drawn:

    - all open rows alike: given that the row is in the cell, it is any of its D open rows, and D (f - g) + G estimates;
    - with other probabilities: D (w f - w g) + G, where w is one over D times the row's probability, and 0 for rows
      outside of the cell.

    Less the smallest value that it could have had, this is the payoff of a bet, whose price is the rest of the total
    less the same: the total minus the offset.
    """
    n = 0
    inside, everywhere = size, n_rows
    known = 0
    epoch = -1
    rest = 0.0
    for t in range(values.shape[0]):
        here = values[t] == value
        f = 0
        if labels[t] >= 0 and (labels[t] == target) != opposite:
            f = 1
        if epochs[t] != epoch:
            epoch = epochs[t]
            rest = inside - sums[epoch, target] if opposite else sums[epoch, target]
        g = 0.0
        if epoch >= 0:
            g = 1.0 - predicted[t, target] if opposite else predicted[t, target]
        if opens[t]:
            everywhere += 1
            if here:
                inside += 1
                known -= f
                rest += g
            continue
        if weights[t] > 0.0 and t >= first and inside > 0:
            bound = 0.0
            if epoch >= 0:
                bound = 1.0 - least[epoch, target] if opposite else most[epoch, target]
            else:  # no model yet: the share so far, the same for all rows of the cell
                g = (known + 0.5) / (size - inside + 1.0)
                bound = g
                rest = g * inside
            if largest[t] == 1.0:
                if here:
                    payoffs[n] = (f - g + bound) * inside
                    offsets[n] = known + rest - bound * inside
                    n += 1
            else:
                lowest = largest[t] * bound
                payoffs[n] = (lowest + weights[t] * (f - g) if here else lowest) * everywhere
                offsets[n] = known + rest - lowest * everywhere
                n += 1
        everywhere -= 1
        if here:
            inside -= 1
            known += f
            rest -= g
    return n


@kernel
def bound_totals(
    codes: Array,
    n_rows: int,
    cell_starts: Ints,
    cell_counts: Ints,
    features: Ints,
    opens: Bools,
    weights: Floats,
    largest: Floats,
    labels: Ints,
    epochs: Ints,
    predicted: Floats,
    sums: Floats,
    least: Floats,
    most: Floats,
    known: Ints,
    targets: Ints,
    first: Ints,
    limits: Floats,
    bets: Floats,
    places: Ints,
    low: Ints,
    high: Ints,
) -> None:
    """Bound how many rows of every cell of some features are of each target class.

    ``codes[p, t]`` is the value of the p-th feature in the row of move t, `n_rows` the number of all rows. The cells of
    the p-th feature are written from ``places[p]`` on; parts of `features` may be done side by side.
    ``known[cell, c]`` are the rows of the cell whose label is known to be c.
    """
    n_moves = codes.shape[1]
    payoffs, offsets, wealth = np.empty(n_moves), np.empty(n_moves), np.empty(bets.shape[0])
    for p in range(features.shape[0]):
        j = features[p]
        values = codes[p]
        for value in range(cell_starts[j + 1] - cell_starts[j]):
            cell = cell_starts[j] + value
            size = cell_counts[cell]
            labelled = 0
            for c in range(known.shape[1]):
                labelled += known[cell, c]
            for i in range(targets.shape[0]):
                c = targets[i]
                ones = known[cell, c] if c < known.shape[1] else 0
                for opposite in (False, True):
                    n = bet_on_cell(
                        values, value, size, n_rows, c, opposite, first[i], opens, weights, largest, labels, epochs,
                        predicted, sums[:, cell], least, most, payoffs, offsets,
                    )  # fmt: skip
                    if opposite:
                        found = smallest_total(
                            labelled - ones, size - ones, payoffs, offsets, n, bets, limits[i], wealth
                        )
                        high[places[p] + value, i] = size - found
                    else:
                        low[places[p] + value, i] = smallest_total(
                            ones, size - labelled + ones, payoffs, offsets, n, bets, limits[i], wealth
                        )
