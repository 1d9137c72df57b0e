"""Rows whose columns are the pixels of an image."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.streams import StreamSource
from activefs.study._remembered import remembered
from activefs.tables import read_table
from activefs.types import Array, Floats, UInt8s

_NO_NUMBERS = "the columns of an image must all be numbers"


class Images(ABC):
    """Grey values of all rows, scaled to the range from 0 to 255, dark on light as on paper."""

    @abstractmethod
    def of(self, row: int) -> UInt8s:
        """Return the pixels of a row."""

    @abstractmethod
    def mean(self) -> Floats:
        """Return the mean of all rows, pixel by pixel."""


class ImagesInMemory(Images):
    """Images that are kept in memory, a byte per pixel.

    Parameters
    ----------
    columns : sequence of arrays
        Values of each pixel.

    Examples
    --------
    >>> ImagesInMemory([np.array([0, 4]), np.array([2, 1])]).of(1).tolist()
    [0, 191]
    """

    def __init__(self, columns: Sequence[Array]) -> None:
        try:
            values = np.stack(columns, axis=1).astype(np.float64)
        except (TypeError, ValueError):
            raise InvalidInputError(_NO_NUMBERS) from None
        self._pixels = _scaled(values, float(np.nanmin(values)), float(np.nanmax(values)))
        self._mean: Floats | None = None

    def of(self, row: int) -> UInt8s:
        """Return the pixels of a row."""
        return np.asarray(255 - self._pixels[row], dtype=np.uint8)

    def mean(self) -> Floats:
        """Return the mean of all rows."""
        if self._mean is None:
            self._mean = np.asarray(255 - self._pixels.mean(axis=0))
        return self._mean


class StreamedImages(Images):
    """Images of a table that is read in pieces; all of it is read once, to know how bright pixels are.

    Parameters
    ----------
    source : StreamSource
        The table.
    columns : sequence of str
        The columns of pixels.
    cells : callable
        Gives the values of these columns in a row.
    told : callable
        Is told which piece of the table was read.

    Raises
    ------
    InvalidInputError
        If a column holds no numbers.
    """

    def __init__(
        self,
        source: StreamSource,
        columns: Sequence[str],
        cells: Callable[[int], list[Any]],
        told: Callable[[int], None],
    ) -> None:
        self._source, self._columns, self._cells, self._told = source, list(columns), cells, told
        low, high, means = remembered(source, f"brightness {self._columns!r}", self._brightness)
        self._low, self._high, self._means = float(low), float(high), np.asarray(means, dtype=np.float64)

    def of(self, row: int) -> UInt8s:
        """Read the pixels of a row."""
        values = np.array([np.nan if cell is None else float(cell) for cell in self._cells(row)])
        return np.asarray(255 - _scaled(values, self._low, self._high), dtype=np.uint8)

    def mean(self) -> Floats:
        """Return the mean of all rows."""
        return 255.0 - (self._means - self._low) * _factor(self._low, self._high)

    def _brightness(self) -> tuple[float, float, list[float]]:
        """The smallest and the largest value of all pixels, and the mean of each."""
        import pyarrow as pa

        low, high = np.inf, -np.inf
        sums, counts = np.zeros(len(self._columns)), np.zeros(len(self._columns))
        for number in range(len(self._source.pieces)):
            for batch in self._source.read(number, self._columns):
                if batch.num_rows == 0:
                    continue
                for j, column in enumerate(read_table(pa.Table.from_batches([batch])).columns()):
                    try:
                        values = column.values.astype(np.float64)
                    except (TypeError, ValueError):
                        raise InvalidInputError(_NO_NUMBERS) from None
                    there = np.isfinite(values) if column.missing is None else np.isfinite(values) & ~column.missing
                    if there.any():
                        low, high = min(low, float(values[there].min())), max(high, float(values[there].max()))
                        sums[j] += values[there].sum()
                        counts[j] += there.sum()
            self._told(number)
        return low, high, (sums / np.maximum(counts, 1)).tolist()


def _factor(low: float, high: float) -> float:
    return 255.0 / (high - low if high > low else 1.0)


def _scaled(values: Floats, low: float, high: float) -> UInt8s:
    return np.round(np.nan_to_num((values - low) * _factor(low, high))).astype(np.uint8)
