"""Values of a table that is read in pieces become codes, and are counted: one pass over a block of rows per column.

A block is so short that its codes and words stay in the processor's cache between the loops over them.
"""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs._kernels.splitmix64 import word
from activefs.types import Array, Bools, Floats, Int32s, Ints, UInt8s, UInt64s

# Up to this many codes rows are counted in four histograms in turn: a sum that was just written is not read at once.
_FEW = 1024
# Up to this many edges a comparison with each is faster than a search.
_FEW_EDGES = 16
_EXACT = 2.0**53
_EIGHT, _SIXTEEN, _THIRTY, _TWENTY_SEVEN, _THIRTY_ONE = (np.uint64(bits) for bits in (8, 16, 30, 27, 31))
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_ONE, _TOP = np.uint64(1), np.uint64(1 << 63)


@kernel
def fill_words(first_row: int, words: UInt64s) -> None:
    """Give each row the word that stands for it in sums: what they are does not depend on who reads it, or when."""
    for i in range(words.shape[0]):
        words[i] = word(np.uint64(0), first_row + i)


@kernel
def look_up(values: Array, low: int, table: Int32s, out: Array) -> int:
    """Code integers through a table that begins at `low`; return where the first one is that it lacks, or -1."""
    size = np.uint64(table.shape[0])
    for i in range(values.shape[0]):
        at = np.uint64(np.int64(values[i]) - low)
        if at >= size:
            return i
        code = table[at]
        if code < 0:
            return i
        out[i] = code
    return -1


@kernel
def find(values: Array, keys: Array, codes: Int32s, out: Array) -> int:
    """Code numbers by a search in sorted keys; return where the first one is that is none of them, or -1."""
    size = keys.shape[0]
    if size == 0:
        return 0 if values.shape[0] else -1
    for i in range(values.shape[0]):
        value = values[i]
        at = 0
        if size <= _FEW_EDGES:
            for k in range(1, size):
                at += 1 if keys[k] <= value else 0
        else:
            left = size
            while left > 1:
                half = left >> 1
                at += half * (keys[at + half] <= value)
                left -= half
        if keys[at] != value:
            return i
        out[i] = codes[at]
    return -1


@kernel
def put_in_bins(values: Array, edges: Floats, out: Array) -> None:
    """Code numbers by bins: how many inner edges are not above them."""
    size = edges.shape[0]
    for i in range(values.shape[0]):
        value = np.float64(values[i])
        at = 0
        if size <= _FEW_EDGES:
            for k in range(size):
                at += 1 if edges[k] <= value else 0
        else:
            left = size
            while left > 1:
                half = left >> 1
                at += half * (edges[at + half] <= value)
                left -= half
            at += 1 if edges[at] <= value else 0
        out[i] = at


@kernel
def widen(values: Array, codes: Array, lows: Array, highs: Array) -> None:
    """Keep the smallest and the largest value of each code."""
    for i in range(values.shape[0]):
        code, value = codes[i], values[i]
        if value < lows[code]:
            lows[code] = value
        if value > highs[code]:
            highs[code] = value


@kernel
def add_up(codes: Array, words: UInt64s, counts: Ints, marks: UInt64s) -> None:
    """Count the rows of each code, and add up their words."""
    n, size = codes.shape[0], counts.shape[0]
    if size > _FEW or n < 4 * size:
        for i in range(n):
            counts[codes[i]] += 1
            marks[codes[i]] += words[i]
        return
    sums = np.zeros((4 * size, 2), dtype=np.uint64)
    b, c, d = size, 2 * size, 3 * size
    for i in range(0, n - n % 4, 4):
        k0, k1 = np.int64(codes[i]), np.int64(codes[i + 1]) + b
        k2, k3 = np.int64(codes[i + 2]) + c, np.int64(codes[i + 3]) + d
        sums[k0, 0] += _ONE
        sums[k0, 1] += words[i]
        sums[k1, 0] += _ONE
        sums[k1, 1] += words[i + 1]
        sums[k2, 0] += _ONE
        sums[k2, 1] += words[i + 2]
        sums[k3, 0] += _ONE
        sums[k3, 1] += words[i + 3]
    for i in range(n - n % 4, n):
        sums[codes[i], 0] += _ONE
        sums[codes[i], 1] += words[i]
    for k in range(size):
        counts[k] += np.int64(sums[k, 0] + sums[b + k, 0] + sums[c + k, 0] + sums[d + k, 0])
        marks[k] += sums[k, 1] + sums[b + k, 1] + sums[c + k, 1] + sums[d + k, 1]


@kernel
def unusual(values: Array, found: Bools) -> None:
    """Say whether floats are not all finite (found[0]), and whether they are not all whole numbers (found[1])."""
    endless, fractions = 0, 0
    for i in range(values.shape[0]):
        value = np.float64(values[i])
        endless += 1 if value - value != 0.0 else 0
        fractions += 1 if np.floor(value) != value or np.abs(value) > _EXACT else 0
    found[0], found[1] = endless > 0, fractions > 0


@kernel
def _mixed(x: np.uint64) -> np.uint64:
    x = (x ^ (x >> _THIRTY)) * _M1
    x = (x ^ (x >> _TWENTY_SEVEN)) * _M2
    return x ^ (x >> _THIRTY_ONE)


@kernel
def hash_text(offsets: Array, data: UInt8s, hashes: UInt64s) -> None:
    """Hash texts that lie one after the other, alike on every machine."""
    for i in range(hashes.shape[0]):
        x = np.uint64(offsets[i + 1] - offsets[i])
        part, bits = np.uint64(0), np.uint64(0)
        for k in range(offsets[i], offsets[i + 1]):
            part |= np.uint64(data[k]) << bits
            bits += _EIGHT
            if bits == np.uint64(64):
                x = _mixed(x ^ part) + np.uint64(0x9E3779B97F4A7C15)
                part, bits = np.uint64(0), np.uint64(0)
        hashes[i] = x ^ _mixed(part)


@kernel
def sketch(words: UInt64s, registers: UInt8s) -> None:
    """Enter words of 64 bits into a sketch of 2^16 registers, which tells how many different ones there were."""
    for i in range(words.shape[0]):
        x = _mixed(words[i] + np.uint64(0x9E3779B97F4A7C15))
        at = x & np.uint64(0xFFFF)
        x >>= _SIXTEEN
        rank = 1
        while x & _ONE == np.uint64(0) and rank < 49:
            x >>= _ONE
            rank += 1
        if rank > registers[at]:
            registers[at] = rank
