"""Checksums of the rows that have a value: sums of random numbers that belong to the places of rows."""

from __future__ import annotations

from activefs._kernels.jit import kernel
from activefs.types import Codes, Ints, UInt64s


@kernel
def add_marks(codes: Codes, words: UInt64s, start: int, stop: int, offsets: Ints, marks: UInt64s) -> None:
    """Add the numbers of rows start..stop to the cells of their values, modulo 2^64.

    ``words`` are those of the rows start..stop.
    """
    for j in range(codes.shape[0]):
        x, cells = codes[j][start:stop], marks[offsets[j] : offsets[j + 1]]
        for i in range(stop - start):
            cells[x[i]] += words[i]
