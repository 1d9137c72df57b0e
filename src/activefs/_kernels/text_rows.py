"""Where rows of a text with columns end."""

from __future__ import annotations

from activefs._kernels.jit import kernel
from activefs.types import UInt8s


@kernel
def row_ends(text: UInt8s, sep: int) -> tuple[int, int]:
    r"""Return the place behind the first row and the place behind the last one that is whole; 0 if none is.

    A line end inside of quotes belongs to the field, as does a quote that is not at its beginning.

    Examples
    --------
    >>> import numpy as np
    >>> text = b'a,"x\ny"\nb,z\nc,'
    >>> row_ends(np.frombuffer(text, np.uint8), ord(","))
    (8, 12)
    """
    first = last = 0
    state = 0  # 0: a field begins, 1: inside, 2: inside of quotes, 3: behind a quote inside of quotes
    for i in range(len(text)):
        c = text[i]
        if state == 2:
            if c == 34:
                state = 3
            continue
        if state == 3 and c == 34:
            state = 2
        elif c == 10 or c == 13:
            state = 0
            last = i + 1
            if first == 0:
                first = last
        elif c == sep:
            state = 0
        elif state == 0 and c == 34:
            state = 2
        else:
            state = 1
    return first, last
