"""Features that have the same value in most rows: only the other rows need to be visited.

Of each feature the exceptional rows are listed, ascending, with their codes: those of feature j are
``rows[start[j]:start[j + 1]]`` and ``values[start[j]:start[j + 1]]``. A feature for which that does not pay has
``dense_at[j] >= 0`` instead, its line in the matrix `dense`.
"""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Codes, Int32s, Ints, UInt64s

# A feature is worth a list of its exceptional rows if at most this share of the rows is in it; the
# lists then take at most one byte per cell.
WORTH = 0.25
_FAR = 16  # times as many rows in one list as in another, from which on they are searched for
_PAYS = 32  # writing a line of codes costs so much less per row than looking for rows in two lists


@kernel
def exceptional_rows(codes: Codes, mode: Ints, start: Ints, rows: Int32s) -> None:
    """List, for each feature with room for it, the rows whose value is not the most common one."""
    for j in range(codes.shape[0]):
        at = start[j]
        if start[j + 1] > at:
            for i in range(codes.shape[1]):
                if codes[j, i] != mode[j]:
                    rows[at] = i
                    at += 1


@kernel
def _find(rows: Int32s, low: int, high: int, row: int) -> int:
    """Return the first place from low to high whose row is not before `row`."""
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def code_of(
    j: int, row: int, start: Ints, rows: Int32s, values: Codes, mode: Ints, dense_at: Ints, dense: Codes
) -> int:
    """Return the code of one feature in one row."""
    if dense_at[j] >= 0:
        return int(dense[dense_at[j], row])
    at = _find(rows, start[j], start[j + 1], row)
    return int(values[at]) if at < start[j + 1] and rows[at] == row else int(mode[j])


@kernel
def by_row(start: Ints, rows: Int32s, values: Codes, row_start: Ints, features: Codes, codes: Codes) -> None:
    """Sort the lists by rows: those of row i are ``features[row_start[i]:row_start[i + 1]]`` and their codes.

    ``row_start`` comes with the ends of the rows before, and is moved on while they are filled.
    """
    for j in range(start.shape[0] - 1):
        for at in range(start[j], start[j + 1]):
            place = row_start[rows[at] + 1]
            features[place] = j
            codes[place] = values[at]
            row_start[rows[at] + 1] += 1


@kernel
def some_codes(
    features: Ints,
    wanted: Ints,
    start: Ints,
    rows: Int32s,
    values: Codes,
    mode: Ints,
    dense_at: Ints,
    dense: Codes,
    out: Codes,
) -> None:
    """Write the codes of a few rows, each found by a search."""
    for f in range(features.shape[0]):
        for i in range(wanted.shape[0]):
            out[f, i] = code_of(features[f], wanted[i], start, rows, values, mode, dense_at, dense)


@kernel
def many_codes(
    features: Ints,
    wanted: Ints,
    place: Int32s,
    start: Ints,
    rows: Int32s,
    values: Codes,
    mode: Ints,
    dense_at: Ints,
    dense: Codes,
    out: Codes,
) -> None:
    """Write the codes of many rows: ``place[row]`` is where a row is wanted, -1 if it is not."""
    for f in range(features.shape[0]):
        j = features[f]
        if dense_at[j] >= 0:
            for i in range(wanted.shape[0]):
                out[f, i] = dense[dense_at[j], wanted[i]]
            continue
        out[f, :] = mode[j]
        for at in range(start[j], start[j + 1]):
            i = place[rows[at]]
            if i >= 0:
                out[f, i] = values[at]


@kernel
def block_codes(
    features: Ints,
    first: int,
    start: Ints,
    rows: Int32s,
    values: Codes,
    mode: Ints,
    dense_at: Ints,
    dense: Codes,
    out: Codes,
) -> None:
    """Write the codes of consecutive rows, as many as `out` has columns."""
    stop = first + out.shape[1]
    for f in range(features.shape[0]):
        j = features[f]
        if dense_at[j] >= 0:
            out[f] = dense[dense_at[j], first:stop]
            continue
        out[f, :] = mode[j]
        at = start[j] if first == 0 else _find(rows, start[j], start[j + 1], first)
        while at < start[j + 1] and rows[at] < stop:
            out[f, rows[at] - first] = values[at]
            at += 1


@kernel
def _count_others(
    a: int,
    stop_a: int,
    height: int,
    b: int,
    stop_b: int,
    mode_b: int,
    width: int,
    rows: Int32s,
    values: Codes,
    counts: Int32s,
) -> None:
    """Count pairs of values in the rows of one list, of which some are in another list, too.

    Entry (v, w) is at v height + w width.
    """
    far = stop_b - b > _FAR * (stop_a - a)
    for at in range(a, stop_a):
        row = rows[at]
        if far:
            b = _find(rows, b, stop_b, row)
        else:
            while b < stop_b and rows[b] < row:
                b += 1
        w = np.int64(values[b]) if b < stop_b and rows[b] == row else np.int64(mode_b)
        counts[np.int64(values[at]) * height + w * width] += 1


@kernel
def _count_beside(
    a: int, stop_a: int, height: int, line: Codes, width: int, rows: Int32s, values: Codes, counts: Int32s
) -> None:
    """Count pairs of values in the rows of one list, where all codes of the other feature are at hand."""
    for at in range(a, stop_a):
        counts[np.int64(values[at]) * height + np.int64(line[rows[at]]) * width] += 1


@kernel
def _recurs(j: int, p: int, end: int, first: Ints, second: Ints) -> bool:
    """Whether a feature is in the pair after p, too."""
    return p + 1 < end and (first[p + 1] == j or second[p + 1] == j)


@kernel
def count_sparse(
    first: Ints,
    second: Ints,
    cell_offset: Ints,
    value_counts: Ints,
    begin: int,
    end: int,
    start: Ints,
    rows: Int32s,
    values: Codes,
    mode: Ints,
    dense_at: Ints,
    dense: Codes,
    offset: Ints,
    counts: Int32s,
    line: Codes,
) -> None:
    """Count every pair of values over all rows, for pairs begin..end of the list.

    Rows in which one of two features is not at its most common value are counted one by one; what remains of each
    value's count of the other feature belongs to the most common one. New pairs come with one feature in common: its
    codes are written out to `line`, which has room for all rows, so that none of the other's rows is looked for.
    """
    held = -1
    for p in range(begin, end):
        j, r, c = first[p], second[p], counts[offset[p] :]
        n_j, n_r = cell_offset[j + 1] - cell_offset[j], cell_offset[r + 1] - cell_offset[r]
        if dense_at[j] >= 0 and dense_at[r] >= 0:
            x, y = dense[dense_at[j]], dense[dense_at[r]]
            for i in range(x.shape[0]):
                c[np.int64(x[i]) * n_r + y[i]] += 1
            continue
        size_j, size_r = start[j + 1] - start[j], start[r + 1] - start[r]
        by_first = dense_at[r] >= 0 or (dense_at[j] < 0 and size_j <= size_r)
        alike = max(size_j, size_r) <= _FAR * min(size_j, size_r)
        if alike and dense_at[j] < 0 and dense_at[r] < 0 and (size_j + size_r) * _PAYS > line.shape[0]:
            if held != j and held != r:
                held = j if _recurs(j, p, end, first, second) else r
                line[:] = mode[held]
                for at in range(start[held], start[held + 1]):
                    line[rows[at]] = values[at]
            by_first = held == r
        a, b = (j, r) if by_first else (r, j)
        height, width = (n_r, 1) if by_first else (1, n_r)
        if dense_at[b] >= 0:
            _count_beside(start[a], start[a + 1], height, dense[dense_at[b]], width, rows, values, c)
        elif held == b:
            _count_beside(start[a], start[a + 1], height, line, width, rows, values, c)
        else:
            _count_others(start[a], start[a + 1], height, start[b], start[b + 1], mode[b], width, rows, values, c)
        if by_first:
            for w in range(n_r):
                rest = value_counts[cell_offset[r] + w]
                for v in range(n_j):
                    if v != mode[j]:
                        rest -= c[v * n_r + w]
                c[mode[j] * n_r + w] = rest
        else:
            for v in range(n_j):
                rest = value_counts[cell_offset[j] + v]
                for w in range(n_r):
                    if w != mode[r]:
                        rest -= c[v * n_r + w]
                c[v * n_r + mode[r]] = rest


@kernel
def sparse_marks(
    words: UInt64s,
    offsets: Ints,
    start: Ints,
    rows: Int32s,
    values: Codes,
    mode: Ints,
    dense_at: Ints,
    dense: Codes,
    marks: UInt64s,
) -> None:
    """Add the random numbers of all rows to the cells of their values, modulo 2^64."""
    total = np.uint64(0)
    for i in range(words.shape[0]):
        total += words[i]
    for j in range(start.shape[0] - 1):
        cells = marks[offsets[j] : offsets[j + 1]]
        if dense_at[j] >= 0:
            x = dense[dense_at[j]]
            for i in range(words.shape[0]):
                cells[x[i]] += words[i]
            continue
        cells[mode[j]] = total
        for at in range(start[j], start[j + 1]):
            word = words[rows[at]]
            cells[values[at]] += word
            cells[mode[j]] -= word
