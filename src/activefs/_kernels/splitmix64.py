"""Random numbers by counter: SplitMix64 (Steele, Lea and Flood 2014).

Every number is a hash of (stream, counter), so that it does not depend on who computes it or in which order.
The generator is fixed for ever, since numbers that were published depend on it. That is why kernels of other files
may call this one, and only this one: the cache of compiled kernels need not notice a change that never comes.
"""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
"""From one state of the generator to the next: 2^64 divided by the golden ratio."""
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@kernel
def word(stream: np.uint64, counter: int) -> np.uint64:
    """Random word of 64 bits, number `counter` (from 0) of the stream that starts in the state `stream`.

    Examples
    --------
    >>> hex(word(np.uint64(0), 0))
    '0xe220a8397b1dcdaf'
    """
    x = stream + np.uint64(counter + 1) * STEP
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)
