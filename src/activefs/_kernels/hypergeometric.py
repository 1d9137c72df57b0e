"""Expected entropy of rows that are drawn without replacement from rows whose classes are known."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Floats, Ints

_NEGLIGIBLE = 1e-18
"""Probability, relative to that of the likeliest number, from which on numbers are left out."""


@kernel
def _log(k: int, log_table: Floats) -> float:
    """K ln K, looked up if the table goes so far."""
    found: float = log_table[k] if k < log_table.shape[0] else k * np.log(float(k))
    return found


@kernel
def _expected_logs(a: int, b: int, n: int, log_table: Floats, both: bool) -> float:
    """E[K ln K] of the number K of rows of a class with b of n rows, among a rows; with `both`, of a - K added."""
    lowest, highest = max(0, a + b - n), min(a, b)
    middle = min(max(int((a + 1.0) * (b + 1.0) / (n + 2.0)), lowest), highest)
    weight = 1.0
    value = _log(middle, log_table) + (_log(a - middle, log_table) if both else 0.0)
    p = 1.0
    for k in range(middle + 1, highest + 1):
        p *= (b - k + 1.0) * (a - k + 1.0) / (float(k) * (n - b - a + k))
        if p < _NEGLIGIBLE:
            break
        weight += p
        value += p * (_log(k, log_table) + (_log(a - k, log_table) if both else 0.0))
    p = 1.0
    for k in range(middle - 1, lowest - 1, -1):
        p *= (k + 1.0) * (n - b - a + k + 1.0) / ((b - k) * float(a - k))
        if p < _NEGLIGIBLE:
            break
        weight += p
        value += p * (_log(k, log_table) + (_log(a - k, log_table) if both else 0.0))
    return value / weight


@kernel
def expected_entropies(sizes: Ints, class_counts: Ints, log_table: Floats, out: Floats) -> None:
    """Expected entropy, in nats, of the classes of a rows among n, for each a of `sizes`.

    The rows of class y among them, K_y, are distributed hypergeometrically, and the entropy of a rows is
    ln a - (1/a) sum_y K_y ln K_y. The sums over K_y start at the likeliest number and go as far as the probabilities
    matter, so that they take about 20 standard deviations of steps however many rows there are, and need no factorials.
    """
    n = class_counts.sum()
    classes = class_counts.shape[0]
    for i in range(sizes.shape[0]):
        a = sizes[i]
        total = 0.0
        for y in range(classes if classes != 2 else 1):
            total += _expected_logs(a, class_counts[y], n, log_table, classes == 2)
        out[i] = np.log(a) - total / a
