"""The inner loop: many repetitions of one policy on one feature, with random numbers by counter.

Every random number is a hash of (stream, counter), so a repetition's numbers do not depend on who
computes it or in which order: one core or two, the results are the same. All policies share the
stream of labels (label i of value v in repetition r is the same for all), which makes their
comparison sharper than independent labels would.
"""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs._kernels.splitmix64 import word
from activefs.types import Floats, Ints, UInt64s

_S11, _S32 = np.uint64(11), np.uint64(32)
BITS = 53

# Indices that differ by rounding only are ties.
_TIE = 1e-12
# Repetitions that advance side by side: the processor works on several of them per instruction.
_LANES = 64


@kernel
def label(stream: np.uint64, counter: int, threshold: np.uint64) -> int:
    """1 with probability threshold / 2^53, else 0: label number `counter` of the stream."""
    return 1 if (word(stream, counter) >> _S11) < threshold else 0


@kernel
def choose(index: Floats, ties: UInt64s, step: int, top: Floats, tied: Ints, chosen: Ints) -> None:
    """Line with the largest index in each column; among ties, the one a random number points to.

    Plain passes without branches, so that the compiler can treat columns side by side; `top` and
    `tied` are room to work in.
    """
    lines, lanes = index.shape
    top[:], tied[:] = 0.0, 0
    for v in range(lines):
        for c in range(lanes):
            top[c] = index[v, c] if index[v, c] > top[c] else top[c]
    for c in range(lanes):
        top[c] *= 1.0 - _TIE
    for v in range(lines):
        for c in range(lanes):
            tied[c] += 1 if index[v, c] >= top[c] else 0
    for c in range(lanes):  # from here on: how many of the tied lines to pass over
        tied[c] = np.int64(((word(ties[c], step) >> _S32) * np.uint64(tied[c])) >> _S32)
    for v in range(lines):
        for c in range(lanes):
            hit = index[v, c] >= top[c]
            chosen[c] = v if hit and tied[c] == 0 else chosen[c]
            tied[c] -= 1 if hit else 0


@kernel
def repeat(
    p: Floats,
    thresholds: UInt64s,
    truth: float,
    table: Floats,
    row: Ints,
    value: Floats,
    initial: int,
    checkpoints: Ints,
    label_stream: np.uint64,
    tie_stream: np.uint64,
    first: int,
    errors: Floats,
) -> None:
    """Absolute errors of the estimate after each checkpoint's number of decisions.

    `table[row[v], n (n+1)/2 + ones]` is the policy's index of value v, `value` (same columns) the
    criterion. `errors` has one line per repetition, the first of which is number `first`.
    """
    values, repetitions = p.shape[0], errors.shape[0]
    for start in range(0, repetitions, _LANES):
        lanes = min(_LANES, repetitions - start)
        index = np.empty((values, lanes))
        cell, n = np.empty((values, lanes), dtype=np.int64), np.full((values, lanes), initial)
        streams, ties = np.empty((values, lanes), dtype=np.uint64), np.empty(lanes, dtype=np.uint64)
        chosen, tied, top = np.zeros(lanes, dtype=np.int64), np.zeros(lanes, dtype=np.int64), np.zeros(lanes)
        for c in range(lanes):
            repetition = first + start + c
            ties[c] = word(tie_stream, repetition)
            of_repetition = word(label_stream, repetition)
            for v in range(values):
                streams[v, c] = word(of_repetition, v)
                cell[v, c] = initial * (initial + 1) // 2
                for i in range(initial):
                    cell[v, c] += label(streams[v, c], i, thresholds[v])
                index[v, c] = table[row[v], cell[v, c]]
        step = 0
        for reached in range(checkpoints.shape[0]):
            while step < checkpoints[reached]:
                choose(index, ties, step, top, tied, chosen)
                step += 1
                for c in range(lanes):
                    v = chosen[c]
                    # The next line of the triangle, one cell further for a label 1.
                    cell[v, c] += n[v, c] + 1 + label(streams[v, c], n[v, c], thresholds[v])
                    n[v, c] += 1
                    index[v, c] = table[row[v], cell[v, c]]
            for c in range(lanes):
                estimate = 0.0
                for v in range(values):
                    estimate += p[v] * value[cell[v, c]]
                errors[start + c, reached] = abs(estimate - truth)
