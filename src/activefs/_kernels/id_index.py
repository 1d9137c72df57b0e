"""Ids of rows as words of 64 bits, and these words in order."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Array, Bools, Ints, UInt8s

# FNV-1a (Fowler, Noll and Vo), with the last step of SplitMix64, since its upper bits are to tell ids apart.
_START = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_TEN = np.uint64(10)


@kernel
def _mixed(x: np.uint64) -> np.uint64:
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@kernel
def words_of_texts(offsets: Ints, data: UInt8s, words: Array, beyond: Bools) -> None:
    """Hash texts without their outer spaces; those with letters beyond ASCII are only marked.

    Parameters
    ----------
    offsets, data : arrays
        Where each text begins in the bytes, and where the last one ends.
    words, beyond : arrays
        Are filled: the hash of each text, and whether it has a letter beyond ASCII.

    Examples
    --------
    >>> words, beyond = np.empty(2, np.uint64), np.empty(2, bool)
    >>> words_of_texts(np.array([0, 2, 5]), np.frombuffer(b"ab ab", np.uint8), words, beyond)
    >>> bool(words[0] == words[1]), beyond.tolist()
    (True, [False, False])
    """
    for i in range(len(words)):
        start, stop = offsets[i], offsets[i + 1]
        beyond[i] = False
        for j in range(start, stop):
            if data[j] >= 128:
                beyond[i] = True
                break
        if beyond[i]:
            continue
        # What Python takes for spaces.
        while start < stop and (data[start] == 32 or 9 <= data[start] <= 13 or 28 <= data[start] <= 31):
            start += 1
        while start < stop and (data[stop - 1] == 32 or 9 <= data[stop - 1] <= 13 or 28 <= data[stop - 1] <= 31):
            stop -= 1
        word = _START
        for j in range(start, stop):
            word = (word ^ np.uint64(data[j])) * _PRIME
        words[i] = _mixed(word)


@kernel
def words_of_integers(sizes: Array, negative: Bools, words: Array) -> None:
    """Hash whole numbers as they are written.

    Parameters
    ----------
    sizes, negative : arrays
        Absolute values as unsigned integers, and whether a minus is before them.
    words : array
        Is filled.

    Examples
    --------
    >>> words, text, beyond = np.empty(1, np.uint64), np.empty(1, np.uint64), np.empty(1, bool)
    >>> words_of_integers(np.array([120], np.uint64), np.array([True]), words)
    >>> words_of_texts(np.array([0, 4]), np.frombuffer(b"-120", np.uint8), text, beyond)
    >>> bool(words[0] == text[0])
    True
    """
    digits = np.empty(20, np.uint8)
    for i in range(len(words)):
        rest, count = sizes[i], 0
        while count == 0 or rest > 0:
            digits[count] = np.uint8(48) + np.uint8(rest % _TEN)
            rest //= _TEN
            count += 1
        word = _START
        if negative[i]:
            word = (word ^ np.uint64(45)) * _PRIME
        for j in range(count - 1, -1, -1):
            word = (word ^ np.uint64(digits[j])) * _PRIME
        words[i] = _mixed(word)


@kernel
def count_buckets(words: Array, shift: int, counts: Ints) -> None:
    """Count words by their upper bits.

    Examples
    --------
    >>> counts = np.zeros(2, np.int64)
    >>> count_buckets(np.array([1, 2**63], np.uint64), 63, counts)
    >>> counts.tolist()
    [1, 1]
    """
    for i in range(len(words)):
        counts[np.int64(words[i] >> np.uint64(shift))] += 1


@kernel
def into_buckets(words: Array, first_row: int, shift: int, ends: Ints, out_words: Array, out_rows: Array) -> None:
    """Put words and their rows behind those that are in their buckets already.

    Examples
    --------
    >>> words, rows = np.zeros(2, np.uint64), np.zeros(2, np.int64)
    >>> into_buckets(np.array([2**63, 1], np.uint64), 0, 63, np.array([0, 1]), words, rows)
    >>> rows.tolist()
    [1, 0]
    """
    for i in range(len(words)):
        bucket = np.int64(words[i] >> np.uint64(shift))
        at = ends[bucket]
        out_words[at] = words[i]
        out_rows[at] = first_row + i
        ends[bucket] = at + 1
