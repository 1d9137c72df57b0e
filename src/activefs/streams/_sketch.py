"""How many different values there are, when they are too many to be remembered: HyperLogLog (Flajolet et al. 2007).

Each value is hashed to 64 bits; each of 2^16 registers keeps the longest run of zeros that its hashes began with. The
number that follows from it is wrong by 0.4% (one standard deviation). Sketches of parts of a table are joined by the
larger of both registers, so it does not matter how the table is cut.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from activefs._kernels.encode import hash_text, sketch
from activefs.types import Array, UInt8s, UInt64s

_REGISTERS = 1 << 16


def new_registers() -> UInt8s:
    """Make a sketch that has seen nothing."""
    return np.zeros(_REGISTERS, dtype=np.uint8)


def enter_numbers(values: Array, registers: UInt8s) -> None:
    """Enter numbers; whole ones count alike whether they are integers or floats."""
    if values.dtype.kind == "f":
        exact = np.abs(values) < 2.0**63
        as_whole = np.where(exact, values, 0).astype(np.int64)
        numbers = np.where(as_whole == values, as_whole, values.astype(np.float64).view(np.int64))
    else:
        numbers = values.astype(np.int64, copy=False) if values.dtype != np.uint64 else values
    sketch(numbers.view(np.uint64), registers)


def enter_texts(texts: Any, registers: UInt8s) -> None:
    """Enter texts: an Arrow array of them, or a list."""
    sketch(_hashes(texts), registers)


def _hashes(texts: Any) -> UInt64s:
    import pyarrow as pa

    if isinstance(texts, list):
        data = [text.encode("utf-8", "surrogatepass") for text in texts]
        texts = pa.array(data, type=pa.large_binary())
    elif texts.type != pa.large_string():
        texts = texts.cast(pa.large_string())
    hashes = np.empty(len(texts), dtype=np.uint64)
    _, offsets, data = texts.buffers()
    at = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    if len(hashes):
        hash_text(at, np.frombuffer(data or b"", dtype=np.uint8), hashes)
    return hashes


def enter(values: Sequence[Any] | Array, registers: UInt8s) -> None:
    """Enter distinct values of one kind, as they are kept in dictionaries."""
    if not len(values):
        return
    if isinstance(values[0], str):
        enter_texts(list(values), registers)
    else:
        enter_numbers(np.asarray(values), registers)


def estimate(registers: UInt8s) -> int:
    """Say how many different values were entered.

    Examples
    --------
    >>> registers = new_registers()
    >>> enter_numbers(np.arange(1000), registers)
    >>> abs(estimate(registers) - 1000) < 20
    True
    """
    m = _REGISTERS
    raw = 0.7213 / (1 + 1.079 / m) * m * m / float(np.ldexp(1.0, -registers.astype(np.int32)).sum())
    empty = int(np.count_nonzero(registers == 0))
    return round(m * math.log(m / empty)) if raw <= 2.5 * m and empty else round(raw)
