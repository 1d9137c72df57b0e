"""Information between features, from the pool, and about the label, from labelled rows."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Codes, Floats, Int32s, Ints


@kernel
def count_log(count: int, log_table: Floats) -> float:
    """Return c ln c, from the table if it goes that far."""
    return float(log_table[count]) if count < log_table.shape[0] else count * np.log(count)


@kernel
def table_information(
    first: Ints,
    second: Ints,
    cardinality: Ints,
    log_table: Floats,
    rows: int,
    offset: Ints,
    counts: Int32s,
    out: Floats,
) -> None:
    """I(X_j; X_r) in nats for each listed pair, from its table of counts.

    I = ln m + (sum c ln c over pairs of values - sum over values of j - sum over values of r) / m, where
    ``log_table[c] = c ln c`` for the smaller counts.
    """
    for p in range(first.shape[0]):
        height, width = cardinality[first[p]], cardinality[second[p]]
        total = 0.0
        for v in range(height):
            marginal = 0
            for w in range(width):
                c = counts[offset[p] + v * width + w]
                total += count_log(c, log_table)
                marginal += c
            total -= count_log(marginal, log_table)
        for w in range(width):
            marginal = 0
            for v in range(height):
                marginal += counts[offset[p] + v * width + w]
            total -= count_log(marginal, log_table)
        out[p] = max(total / rows + np.log(rows), 0.0)


@kernel
def conditional_entropies(
    codes: Codes,
    cardinality: Ints,
    mode: Ints,
    log_table: Floats,
    partner: int,
    features: Ints,
    offset: Ints,
    counts: Int32s,
    n_rows: int,
    labels: Ints,
    exception_start: Ints,
    exceptions: Ints,
    n_classes: int,
    unseen: float,
    work: Ints,
    out: Floats,
) -> None:
    """H(Y | X_f, X_s) in nats for each listed feature f with one partner s.

    ``codes[j, i]`` is the value of feature j in the i-th labelled row. Pairs of values weigh as in the pool of `n_rows`
    (`counts`); a pair that was never labelled has entropy `unseen`. `exceptions` lists, per feature, the labelled rows
    whose value is not the feature's most common one: the others are what remains of the partner's totals. `work` has
    room for the largest table of a pair times the classes, and is left at zero.
    """
    width = cardinality[partner]
    s = codes[partner]
    totals = np.zeros((width, n_classes), dtype=np.int64)
    for i in range(codes.shape[1]):
        totals[s[i], labels[i]] += 1
    rest = np.empty_like(totals)
    for p in range(features.shape[0]):
        f = features[p]
        x, table = codes[f], counts[offset[p] :]
        rest[:, :] = totals
        listed = exceptions[exception_start[f] : exception_start[f + 1]]
        for i in listed:
            w = np.int64(s[i])
            work[(np.int64(x[i]) * width + w) * n_classes + labels[i]] += 1
            rest[w, labels[i]] -= 1
        total = 0.0
        seen = 0
        for i in listed:
            cell = np.int64(x[i]) * width + s[i]
            n = 0
            inner = 0.0
            for c in range(n_classes):
                count = work[cell * n_classes + c]
                n += int(count)
                inner += count_log(count, log_table)
                work[cell * n_classes + c] = 0  # so that a pair of values counts once
            if n > 0:
                total += table[cell] * (count_log(n, log_table) - inner) / n
                seen += int(table[cell])
        for value in range(width):
            n = 0
            inner = 0.0
            for c in range(n_classes):
                n += int(rest[value, c])
                inner += count_log(rest[value, c], log_table)
            if n > 0:
                weight = int(table[mode[f] * width + value])
                total += weight * (count_log(n, log_table) - inner) / n
                seen += weight
        out[p] = (total + unseen * (n_rows - seen)) / n_rows


@kernel
def conditional_entropies_of_weights(
    codes: Codes,
    cardinality: Ints,
    partner: int,
    features: Ints,
    offset: Ints,
    counts: Int32s,
    n_rows: int,
    weights: Floats,
    unseen: float,
    work: Floats,
    out: Floats,
) -> None:
    """The same, where labelled row i counts as ``weights[i, c]`` rows of class c, which add up to 1.

    `work` has room for the largest table of a pair times the classes and one more, and is left at zero.
    """
    width, n_classes = cardinality[partner], weights.shape[1]
    s = codes[partner]
    for p in range(features.shape[0]):
        x, table = codes[features[p]], counts[offset[p] :]
        for i in range(codes.shape[1]):
            at = (np.int64(x[i]) * width + s[i]) * (n_classes + 1)
            for c in range(n_classes):
                work[at + c] += weights[i, c]
            work[at + n_classes] += 1.0
        total = 0.0
        seen = 0
        for i in range(codes.shape[1]):
            cell = np.int64(x[i]) * width + s[i]
            at = cell * (n_classes + 1)
            n = work[at + n_classes]
            if n > 0.0:
                for c in range(n_classes):
                    if work[at + c] > 0.0:
                        total -= table[cell] * (work[at + c] / n) * np.log(work[at + c] / n)
                    work[at + c] = 0.0
                work[at + n_classes] = 0.0  # so that a pair of values counts once
                seen += int(table[cell])
        out[p] = (total + unseen * (n_rows - seen)) / n_rows


@kernel
def list_exceptions(codes: Codes, mode: Ints, start: Ints, out: Ints) -> None:
    """List, per feature, the labelled rows (columns of `codes`) whose value is not the feature's most common one."""
    at = 0
    for j in range(codes.shape[0]):
        start[j] = at
        for i in range(codes.shape[1]):
            if codes[j, i] != mode[j]:
                out[at] = i
                at += 1
    start[codes.shape[0]] = at
