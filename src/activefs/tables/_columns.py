"""How each column is to be read: for all alike, or column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from activefs.constraints import BINNING, BINS, IGNORE
from activefs.exceptions import InvalidInputError


class ColumnOptions:
    """Checked options of a table's columns.

    Parameters
    ----------
    names : sequence of str
        Columns of the table.
    bins, binning
        A value for all columns, or a mapping from column names.
    missing_as_value : bool
        Whether missing values are a value of their own.
    ignore : sequence of str or int
        Columns that are no features, by name or position.

    Examples
    --------
    >>> options = ColumnOptions(["age", "weight"], {"age": 4}, "kmeans", False, ["weight"])
    >>> options.of("age")["bins"], options.ignored
    (4, {1})
    """

    def __init__(
        self, names: Sequence[str], bins: Any, binning: Any, missing_as_value: bool, ignore: Sequence[str | int]
    ) -> None:
        self._missing = missing_as_value
        bins, binning, ignore = (
            accepts.check(name, given)
            for name, accepts, given in (
                ("bins", BINS, bins),
                ("binning", BINNING, binning),
                ("ignore", IGNORE, ignore),
            )
        )
        self._bins = bins if isinstance(bins, Mapping) else {}
        self._default_bins = 10 if isinstance(bins, Mapping) else bins
        self._binning = binning if isinstance(binning, Mapping) else {}
        self._default_binning = "kmeans" if isinstance(binning, Mapping) else binning
        unknown = sorted({*self._bins, *self._binning} - set(names))
        if unknown:
            raise InvalidInputError(
                f"bins or binning names columns that the table does not have: {', '.join(map(repr, unknown))}"
            )
        self.ignored = {_position(column, names) for column in ignore}

    def of(self, name: str) -> dict[str, Any]:
        """Keyword arguments of `encode_column` for a column."""
        explicit = self._binning.get(name)
        if explicit is None and name in self._bins:
            explicit = self._default_binning  # a number of bins asks for bins, of integers too
        return {
            "missing_as_value": self._missing,
            "bins": int(self._bins.get(name, self._default_bins)),
            "binning": explicit,
            "reals": self._default_binning,
        }


def _position(column: str | int, names: Sequence[str]) -> int:
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
        if not -len(names) <= column < len(names):
            raise InvalidInputError(f"ignore names column {column}, but the table has {len(names)} columns")
        return int(column) % len(names)
    if column not in names:
        raise InvalidInputError(f"ignore names a column that the table does not have: {column!r}")
    return list(names).index(str(column))
