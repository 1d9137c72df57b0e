"""Pairs of features: how often each pair of values occurs, and scores that add up over pairs.

A pair (j, r) has one table of |V_j| x |V_r| entries, stored flat from its offset on; entry (v, w)
is at ``offset + v * |V_r| + w``.
"""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Bools, Codes, Floats, Int32s, Ints, UInt64s

# Rows are scored in blocks: the running sums and the codes of a block stay in the first-level cache.
_BLOCK = 1024


@kernel
def count_sparse_pair(
    x: Codes,
    y: Codes,
    width: int,
    mode: int,
    exceptions: Int32s,
    marginal: Ints,
    cardinality: int,
    counts: Int32s,
    transposed: bool,
) -> None:
    """Count the pairs of values of x and y when x is mostly `mode`.

    Rows with another value are counted one by one; what remains of each value's `marginal` count of y
    belongs to the mode. Entry (v, w) of (x, y) is at ``v * width + w``, or at ``w * width + v`` if transposed.
    """
    for i in exceptions:
        if transposed:
            counts[np.int64(y[i]) * width + x[i]] += 1
        else:
            counts[np.int64(x[i]) * width + y[i]] += 1
    for w in range(marginal.shape[0]):
        rest = marginal[w]
        for v in range(cardinality):
            if v != mode:
                rest -= counts[w * width + v] if transposed else counts[v * width + w]
        counts[w * width + mode if transposed else mode * width + w] = rest


@kernel
def count_pool(
    codes: Codes,
    first: Ints,
    second: Ints,
    cell_offset: Ints,
    value_counts: Ints,
    mode: Ints,
    sparse: Bools,
    exception_start: Ints,
    exceptions: Int32s,
    offset: Ints,
    start: int,
    stop: int,
    counts: Int32s,
) -> None:
    """Count every pair of values over all rows, for pairs start..stop of the list.

    Where a feature is mostly one value, only its other rows are visited. Else four pairs with the same
    first feature are counted in one pass: their counters are independent, so that one need not wait for
    the other.
    """
    rows = codes.shape[1]
    p = start
    while p < stop:
        j, r = first[p], second[p]
        x, y, c = codes[j], codes[r], counts[offset[p] :]
        width = cell_offset[r + 1] - cell_offset[r]
        few_j = exception_start[j + 1] - exception_start[j] if sparse[j] else rows
        few_r = exception_start[r + 1] - exception_start[r] if sparse[r] else rows
        if few_j <= few_r and sparse[j]:
            rare = exceptions[exception_start[j] : exception_start[j + 1]]
            marginal = value_counts[cell_offset[r] : cell_offset[r + 1]]
            count_sparse_pair(x, y, width, mode[j], rare, marginal, cell_offset[j + 1] - cell_offset[j], c, False)
            p += 1
        elif sparse[r]:
            rare = exceptions[exception_start[r] : exception_start[r + 1]]
            marginal = value_counts[cell_offset[j] : cell_offset[j + 1]]
            count_sparse_pair(y, x, width, mode[r], rare, marginal, width, c, True)
            p += 1
        elif p + 3 < stop and j == first[p + 1] == first[p + 2] == first[p + 3]:
            r1, r2, r3 = second[p + 1], second[p + 2], second[p + 3]
            y1, y2, y3 = codes[r1], codes[r2], codes[r3]
            w0, w1 = np.uint32(width), np.uint32(cell_offset[r1 + 1] - cell_offset[r1])
            w2, w3 = np.uint32(cell_offset[r2 + 1] - cell_offset[r2]), np.uint32(cell_offset[r3 + 1] - cell_offset[r3])
            c1, c2, c3 = counts[offset[p + 1] :], counts[offset[p + 2] :], counts[offset[p + 3] :]
            for i in range(rows):
                v = np.uint32(x[i])
                c[v * w0 + y[i]] += 1
                c1[v * w1 + y1[i]] += 1
                c2[v * w2 + y2[i]] += 1
                c3[v * w3 + y3[i]] += 1
            p += 4
        else:
            for i in range(rows):
                c[np.uint32(x[i]) * np.uint32(width) + y[i]] += 1
            p += 1


@kernel
def count_rows(
    codes: Codes, left: Ints, right: Ints, width: Ints, offset: Ints, seen: Ints, first: int, counts: Int32s
) -> None:
    """Bring the counts of each pair up to date: from its first `seen` rows to all of them.

    ``codes`` are those of the rows from number `first` on, for the features that `left` and `right` point to.
    """
    for p in range(left.shape[0]):
        a, b = codes[left[p]], codes[right[p]]
        for i in range(seen[p] - first, codes.shape[1]):
            counts[offset[p] + np.int64(a[i]) * width[p] + b[i]] += 1


@kernel
def change_rows(codes: Codes, left: Ints, right: Ints, width: Ints, offset: Ints, sign: int, counts: Int32s) -> None:
    """Add or remove some rows, whose codes these are, in the counts of each pair."""
    for p in range(left.shape[0]):
        a, b = codes[left[p]], codes[right[p]]
        for i in range(codes.shape[1]):
            counts[offset[p] + np.int64(a[i]) * width[p] + b[i]] += sign


@kernel
def fill_tables(
    left: Ints,
    right: Ints,
    scores: Floats,
    score_offset: Ints,
    cardinality: Ints,
    offset: Ints,
    pool_counts: Int32s,
    labelled_counts: Int32s,
    unseen_weight: float,
    power: int,
    table_offset: Ints,
    tables: Floats,
) -> None:
    """Contribution of every pair of values to the score, one table per pair of contested features.

    With a = single-feature scores and rho = pool count / labelled count (labelled count 0 is taken
    as `unseen_weight`), an entry is (a_j + a_r) rho for power 1, (a_j^2 + a_r^2) rho^2 for power 2,
    and max(a_j, a_r) rho for power 0, which stands for the maximum norm.
    """
    for p in range(left.shape[0]):
        j, r = left[p], right[p]
        for v in range(cardinality[j]):
            a = scores[score_offset[j] + v]
            for w in range(cardinality[r]):
                b = scores[score_offset[r] + w]
                at = offset[p] + v * cardinality[r] + w
                pool = pool_counts[at]
                entry = 0.0
                if pool > 0:
                    labelled = labelled_counts[at]
                    rho = pool / (float(labelled) if labelled > 0 else unseen_weight)
                    if power == 1:
                        entry = (a + b) * rho
                    elif power == 2:
                        entry = (a * a + b * b) * rho * rho
                    else:
                        entry = max(a, b) * rho
                tables[table_offset[p] + v * cardinality[r] + w] = entry


@kernel
def score_rows(
    codes: Codes,
    features: Ints,
    cardinality: Ints,
    table_offset: Ints,
    tables: Floats,
    largest: bool,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """Sum (or maximum) of the pairs' table entries for rows start..stop, the first of which is written first.

    Pairs are ordered (0,1), (0,2), ..., (1,2), ...; a pair without a table has offset -1. Each row's
    entries are added in the same order, so rows with equal codes get equal scores, on any number of
    threads.
    """
    count = features.shape[0]
    for block in range(start, stop, _BLOCK):
        end = min(block + _BLOCK, stop)
        sums = out[block - start : end - start]
        sums[:] = 0.0
        p = 0
        for a in range(count):
            x = codes[features[a]][block:end]
            b = a + 1
            while b < count:
                if (
                    not largest
                    and b + 3 < count
                    and min(
                        min(table_offset[p], table_offset[p + 1]),
                        min(table_offset[p + 2], table_offset[p + 3]),
                    )
                    >= 0
                ):
                    # Four partners at once: the row's code and its running sum are read once for all.
                    y0, y1, y2, y3 = (
                        codes[features[b]][block:end], codes[features[b + 1]][block:end],
                        codes[features[b + 2]][block:end], codes[features[b + 3]][block:end],
                    )  # fmt: skip
                    w0, w1 = np.uint32(cardinality[b]), np.uint32(cardinality[b + 1])
                    w2, w3 = np.uint32(cardinality[b + 2]), np.uint32(cardinality[b + 3])
                    t0, t1 = tables[table_offset[p] :], tables[table_offset[p + 1] :]
                    t2, t3 = tables[table_offset[p + 2] :], tables[table_offset[p + 3] :]
                    for i in range(sums.shape[0]):
                        v = np.uint32(x[i])
                        sums[i] += (t0[v * w0 + y0[i]] + t1[v * w1 + y1[i]]) + (t2[v * w2 + y2[i]] + t3[v * w3 + y3[i]])
                    b += 4
                    p += 4
                    continue
                if table_offset[p] >= 0:
                    y, w, t = codes[features[b]][block:end], np.uint32(cardinality[b]), tables[table_offset[p] :]
                    if largest:
                        for i in range(sums.shape[0]):
                            sums[i] = max(sums[i], t[np.uint32(x[i]) * w + y[i]])
                    else:
                        for i in range(sums.shape[0]):
                            sums[i] += t[np.uint32(x[i]) * w + y[i]]
                b += 1
                p += 1


@kernel
def merge_tables(
    cardinality: Ints, table_offset: Ints, tables: Floats, largest: bool, merged_offset: Ints, merged: Floats
) -> None:
    """Join the tables of a feature with the two features of a couple into one.

    Features come in couples (0, 1), (2, 3), ...; for each couple and each feature a before it, entry
    ``v * size + w`` of the joined table is T_ab[v, w1] + T_ac[v, w2] (or the larger of the two), where the couple's
    values are numbered w = w1 * |V_c| + w2. One look-up then does the work of two.
    """
    count = cardinality.shape[0]
    t = 0
    for b in range(2, count, 2):
        width, second = cardinality[b], cardinality[b + 1]
        for a in range(b):
            p = a * count - a * (a + 1) // 2 + b - a - 1  # number of the pair (a, b)
            first_table, second_table = tables[table_offset[p] :], tables[table_offset[p + 1] :]
            out = merged[merged_offset[t] :]
            for v in range(cardinality[a]):
                for w1 in range(width):
                    x = first_table[v * width + w1]
                    base = (v * width + w1) * second
                    for w2 in range(second):
                        y = second_table[v * second + w2]
                        out[base + w2] = max(x, y) if largest else x + y
            t += 1


@kernel
def score_rows_merged(
    codes: Codes,
    features: Ints,
    cardinality: Ints,
    table_offset: Ints,
    tables: Floats,
    merged_offset: Ints,
    merged: Floats,
    largest: bool,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """The sums (or maxima) of `score_rows` through joined tables, in the order of the couples."""
    count = features.shape[0]
    couple = np.empty(_BLOCK, dtype=np.uint32)
    for block in range(start, stop, _BLOCK):
        size = min(_BLOCK, stop - block)
        sums = out[block - start : block - start + size]
        sums[:] = 0.0
        t = 0
        for b in range(0, count, 2):
            x, y, width = codes[features[b]][block:], codes[features[b + 1]][block:], np.uint32(cardinality[b + 1])
            inner = tables[table_offset[b * count - b * (b + 1) // 2] :]
            for i in range(size):
                couple[i] = np.uint32(x[i]) * width + y[i]
            for i in range(size):
                sums[i] = max(sums[i], inner[couple[i]]) if largest else sums[i] + inner[couple[i]]
            values = np.uint32(cardinality[b] * cardinality[b + 1])
            a = 0
            while a < b:
                x0, t0 = codes[features[a]][block:], merged[merged_offset[t] :]
                if a + 3 < b and not largest:
                    x1, t1 = codes[features[a + 1]][block:], merged[merged_offset[t + 1] :]
                    x2, t2 = codes[features[a + 2]][block:], merged[merged_offset[t + 2] :]
                    x3, t3 = codes[features[a + 3]][block:], merged[merged_offset[t + 3] :]
                    for i in range(size):
                        w = couple[i]
                        sums[i] += (t0[np.uint32(x0[i]) * values + w] + t1[np.uint32(x1[i]) * values + w]) + (
                            t2[np.uint32(x2[i]) * values + w] + t3[np.uint32(x3[i]) * values + w]
                        )
                    a += 4
                    t += 4
                    continue
                for i in range(size):
                    entry = t0[np.uint32(x0[i]) * values + couple[i]]
                    sums[i] = max(sums[i], entry) if largest else sums[i] + entry
                a += 1
                t += 1


@kernel
def score_cells(codes: Codes, features: Ints, offset: Ints, scores: Floats, start: int, stop: int, out: Floats) -> None:
    """Sum of single-feature scores for rows start..stop: out[i - start] = sum over f of scores[offset_f + x_f]."""
    for block in range(start, stop, _BLOCK):
        end = min(block + _BLOCK, stop)
        sums = out[block - start : end - start]
        sums[:] = 0.0
        for f in range(features.shape[0]):
            x, t = codes[features[f]][block:end], scores[offset[f] :]
            for i in range(sums.shape[0]):
                sums[i] += t[x[i]]


@kernel
def add_wide(
    codes: Codes,
    first: int,
    second: int,
    width: int,
    keys: Ints,
    slots: Int32s,
    entries: Floats,
    largest: bool,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """Add (or take the larger of) the entries of one pair that is stored by the pairs of values that occur.

    ``slots`` is the hash table of `keys` that `hash_keys` makes; a key is ``v * width + w``.
    """
    x, y = codes[first][start:stop], codes[second][start:stop]
    mask = np.uint64(slots.shape[0] - 1)
    for i in range(stop - start):
        key = np.int64(x[i]) * width + y[i]
        s = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask
        while keys[slots[s]] != key:
            s = (s + np.uint64(1)) & mask
        entry = entries[slots[s]]
        out[i] = max(out[i], entry) if largest else out[i] + entry


@kernel
def hash_keys(keys: Ints, slots: Int32s) -> None:
    """Write a hash table of keys that differ: `slots` (a power of two entries, more than keys) point to them."""
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    for k in range(keys.shape[0]):
        s = (np.uint64(keys[k]) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask
        while slots[s] >= 0:
            s = (s + np.uint64(1)) & mask
        slots[s] = k


@kernel
def group_rows(codes: Codes, features: Ints, start: int, slots: Ints, hashes: UInt64s, group: Ints, first: Ints) -> int:
    """Number the rows from `start` on so that those with equal codes on `features` share a group.

    As many rows as `group` has entries. `slots` (a power of two entries, more than rows) and `hashes` are work
    space; `first` receives a row of each group, counted from `start`. Returns the number of groups.
    """
    rows = group.shape[0]
    for i in range(rows):
        hashes[i] = np.uint64(1469598103934665603)
    for f in range(features.shape[0]):
        x = codes[features[f]][start : start + rows]
        for i in range(rows):
            hashes[i] = (hashes[i] ^ np.uint64(x[i])) * np.uint64(1099511628211)
    mask = np.uint64(slots.shape[0] - 1)
    for s in range(slots.shape[0]):
        slots[s] = -1
    groups = 0
    for i in range(rows):
        s = (hashes[i] ^ (hashes[i] >> np.uint64(29))) & mask
        while True:
            g = slots[s]
            if g < 0:
                slots[s] = groups
                first[groups] = i
                group[i] = groups
                groups += 1
                break
            other = first[g]
            if hashes[other] == hashes[i]:
                same = True
                for f in range(features.shape[0]):
                    if codes[features[f], start + other] != codes[features[f], start + i]:
                        same = False
                        break
                if same:
                    group[i] = g
                    break
            s = (s + np.uint64(1)) & mask
    return groups
