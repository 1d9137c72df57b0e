"""Features that have the same value in most rows: only the other rows need to be visited."""

from __future__ import annotations

from activefs._kernels.jit import kernel
from activefs.types import Codes, Int32s, Ints

# A feature is worth a list of its exceptional rows if at most this share of the rows is in it; the
# lists then take at most one byte per cell.
WORTH = 0.25


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
