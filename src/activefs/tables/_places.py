"""Where the rows of a table come from, so that what is wrong with one can be found by people."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_KEY = b"activefs.origins"
Origins = Sequence[tuple[int, str]]
"""Where each file begins, by its first row in the table, and what it is called."""


@dataclass(frozen=True)
class RowPlace:
    """Where a row is; rows are counted from 0.

    Attributes
    ----------
    row : int
        In the table.
    origin : str or None
        What it comes from, such as a file, if that is known.
    inside : int or None
        Its row in there, if that is known.
    """

    row: int
    origin: str | None = None
    inside: int | None = None

    def first(self, what: str = "the first") -> str:
        """Say where something comes first.

        Examples
        --------
        >>> RowPlace(40_000_001, "patients-7.parquet", 12).first()
        'the first in row 12, in patients-7.parquet (row 40,000,001 of all)'
        >>> RowPlace(3, "patients.csv", 3).first(), RowPlace(3, "partition 2").first(), RowPlace(3).first()
        ('the first in row 3, in patients.csv', 'the first in row 3, in partition 2', 'the first in row 3')
        """
        if self.origin is None:
            return f"{what} in row {self.row:,}"
        if self.inside is None or self.inside == self.row:
            return f"{what} in row {self.row:,}, in {self.origin}"
        return f"{what} in row {self.inside:,}, in {self.origin} (row {self.row:,} of all)"


def place_among(origins: Origins, row: int) -> RowPlace:
    """Find the file that a row is in.

    Examples
    --------
    >>> place_among([(0, "1.csv"), (10, "2.csv")], 12)
    RowPlace(row=12, origin='2.csv', inside=2)
    """
    start, origin = origins[bisect_right(origins, row, key=lambda begin: begin[0]) - 1]
    return RowPlace(row, origin, row - start)


def with_origins(table: Any, origins: Origins) -> Any:
    """Note in an Arrow table where its rows come from; whoever takes some of the rows must note it anew."""
    noted = json.dumps(list(origins)).encode("utf-8", "surrogatepass")
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: noted})


def origins_of(table: Any) -> Origins:
    """Return what :func:`with_origins` noted, in whatever table; nothing if it did not."""
    schema = getattr(table, "schema", None)
    noted = (getattr(schema, "metadata", None) or {}).get(_KEY)
    return [] if noted is None else [(row, origin) for row, origin in json.loads(noted)]


def places_of(table: Any) -> Callable[[int], RowPlace] | None:
    """Return what finds the place of a row of a table; None if nothing is known of where its rows come from.

    Examples
    --------
    >>> import pyarrow as pa
    >>> places_of(with_origins(pa.table({"a": [1, 2]}), [(0, "a.csv")]))(1).first()
    'the first in row 1, in a.csv'
    """
    origins = origins_of(table)
    return (lambda row: place_among(origins, row)) if origins else None
