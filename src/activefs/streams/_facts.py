"""What is known of the rows of a chunk besides their codes: small, and the same wherever the chunk was coded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from activefs.types import Array, Ints, UInt8s, UInt64s


@dataclass(eq=False)
class ColumnFacts:
    """What a chunk holds of one column; rows are counted from the beginning of the table.

    Attributes
    ----------
    kinds : dict
        Types of values, and the row in which each comes first.
    n_missing, missing : int, int or None
        Rows without a value, and the first of them.
    infinite : int or None
        The first row with an infinite number.
    refused : tuple or None
        What makes the column unusable: kind, detail, row.
    counts, marks : arrays
        Rows of each code, and the sum of their words: known values, missing ones, novelties.
    novel : list
        Values that the plan lacks, in the order of their codes.
    overflowed : bool
        Whether there are more values than a feature may have.
    too_wide : bool
        Whether codes did not fit into the type that was planned.
    registers : array or None
        Sketch of the values.
    fractions : bool
        Whether some number is not whole.
    ends : dict
        Of a column that goes by edges: the smallest and the largest number in each bin, by the kind of array.
    in_order : bool
        Whether categories are in the order of the plan.
    """

    kinds: dict[str, int] = field(default_factory=dict)
    n_missing: int = 0
    missing: int | None = None
    infinite: int | None = None
    refused: tuple[str, str, int] | None = None
    counts: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    marks: UInt64s = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    novel: list[Any] = field(default_factory=list)
    overflowed: bool = False
    too_wide: bool = False
    registers: UInt8s | None = None
    fractions: bool = False
    ends: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    in_order: bool = True


@dataclass(eq=False)
class ChunkFacts:
    """What a chunk holds.

    Attributes
    ----------
    first_row, n_rows : int
        Which rows of the table.
    origin : str
        Where they come from, for messages.
    columns : list of ColumnFacts
        One for each column of the plans.
    """

    first_row: int
    n_rows: int
    origin: str
    columns: list[ColumnFacts]
