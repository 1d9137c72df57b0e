"""A pool on disk: its codes are a mapped file, of which the system keeps in memory what is used."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from activefs.pool._dense import DensePool
from activefs.pool._pool import PoolInfo
from activefs.pool._rare import RareValues
from activefs.types import Codes, UInt64s


class MappedPool(DensePool):
    """A pool whose codes are a file that is mapped into memory; nothing of it belongs to the process.

    Parameters
    ----------
    info : PoolInfo
        What is known without looking at rows.
    path : Path
        The file: codes by feature, all of one type, nothing else.
    dtype : str
        Type of the codes, "uint8" or "uint16".
    marks : array
        Checksums of the cells.

    Examples
    --------
    >>> import tempfile
    >>> dense = DensePool.from_table([["a"], ["b"], ["a"]])
    >>> path = Path(tempfile.mkdtemp()) / "codes.bin"
    >>> _ = path.write_bytes(dense.codes.tobytes())
    >>> pool = MappedPool(dense.info, path, "uint8", dense.marks)
    >>> pool.kind, pool.codes_of(np.array([1])).tolist()
    ('mapped', [[1]])
    """

    kind: ClassVar[str] = "mapped"

    def __init__(self, info: PoolInfo, path: Path, dtype: str, marks: UInt64s) -> None:
        super().__init__(info, _mapped(path, dtype, (len(info.encodings), info.n_rows)))
        self.path, self.dtype = path, dtype
        self._marks = marks
        self._whole: MappedPool | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.info, self.path, self.dtype, self._marks)

    def without_last(self) -> MappedPool:
        """Return the pool of all lines of the file but the last."""
        info = self.info.without_last()
        pool = MappedPool(info, self.path, self.dtype, self._marks[: info.value_counts.size])
        pool._whole = self  # who holds the file, so that nobody deletes it
        return pool

    @cached_property
    def marks(self) -> UInt64s:
        """Checksums of the cells, known since the file was written."""
        return self._marks

    @cached_property
    def rare_values(self) -> RareValues:
        """Nothing is listed: lists of rows would be in the memory of the process."""
        return RareValues.none(self.modes)


def _mapped(path: Path, dtype: str, shape: tuple[int, int]) -> Codes:
    if 0 in shape:
        return np.empty(shape, dtype=dtype)
    # Copy on write: such an array counts as one that may be written, as those in memory are, and kernels are compiled
    # once for both; nobody writes.
    return np.asarray(np.memmap(path, dtype=dtype, mode="c", shape=shape))
