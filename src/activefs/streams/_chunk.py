"""Some consecutive rows of a table are coded by plans: anywhere, in any order, by several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs._kernels.encode import fill_words
from activefs.streams._cells import cells_of, columns_in
from activefs.streams._coders import ColumnCoder
from activefs.streams._facts import ChunkFacts
from activefs.streams._plan import Plans
from activefs.tables import UnusableColumn
from activefs.types import Array, Codes

# Rows of an Arrow table that are coded at a time: their words fit into the processor's cache with the codes.
BLOCK = 65_536

Write = Callable[[int, int, Codes], None]
"""Takes the codes of a block: the row of the codes that they belong to, the first row of the block, the codes."""


@dataclass(frozen=True, eq=False)
class ChunkCodes:
    """Rows that were coded.

    Attributes
    ----------
    codes : array of shape (plans.n_coded, n_rows), or None
        Provisional codes, until `finish` says what they become; None if they were written elsewhere.
    facts : ChunkFacts
        What `finish` must know of them.
    """

    codes: Codes | None
    facts: ChunkFacts


def encode_chunk(
    plans: Plans, parts: Iterable[Any], first_row: int, origin: str = "the table", write: Write | None = None
) -> ChunkCodes:
    """Code consecutive rows of a table.

    Parameters
    ----------
    plans : Plans
        How columns are coded.
    parts : iterable of tables
        The rows, in order: Arrow record batches or tables, data frames, or whatever `read_table` takes.
    first_row : int
        Where in the table they begin.
    origin : str
        Where they come from, for messages.
    write : callable, optional
        Takes the codes of each block as soon as they are there; they are valid only during the call.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import plan_columns
    >>> from activefs.tables import ColumnOptions
    >>> table = pa.table({"colour": ["red", "blue", "red", "green"]})
    >>> plans = plan_columns(table[:2], ColumnOptions(["colour"], 10, "kmeans", False, []), exact=False)
    >>> coded = encode_chunk(plans, [table], 0)
    >>> coded.codes.tolist(), coded.facts.columns[0].novel  # code 2 is that of missing values
    ([[1, 0, 1, 3]], ['green'])
    """
    kept: list[list[Codes]] = [[] for _ in range(plans.n_coded)]

    def keep(row: int, first: int, codes: Codes) -> None:
        del first
        kept[row].append(codes.copy())

    coders = [ColumnCoder(plan, plans.dtype) for plan in plans.columns]
    at = first_row
    for part in _blocks(parts):
        at += _code_block(plans, coders, part, at, write or keep)
    facts = ChunkFacts(first_row, at - first_row, origin, [coder.facts for coder in coders])
    return ChunkCodes(None if write else _joined(kept, facts.n_rows, plans.dtype), facts)


def _joined(kept: list[list[Codes]], n_rows: int, dtype: np.dtype[Any]) -> Codes:
    if not n_rows or not kept:
        return np.empty((len(kept), n_rows), dtype=dtype)
    return np.stack([np.concatenate(blocks) for blocks in kept])


def _blocks(parts: Iterable[Any]) -> Iterator[Any]:
    """Parts without empty ones; Arrow tables in blocks, which costs them nothing."""
    for part in parts:
        kind = type(part).__name__
        if kind == "Table" and hasattr(part, "to_batches"):
            yield from _blocks(part.to_batches())
        elif kind == "RecordBatch":
            yield from (part.slice(at, BLOCK) for at in range(0, part.num_rows, BLOCK))
        elif _n_rows(part):
            yield part


def _n_rows(part: Any) -> int:
    return int(part.shape[0]) if hasattr(part, "shape") else len(part)


def _code_block(plans: Plans, coders: list[ColumnCoder], part: Any, row: int, write: Write) -> int:
    n_rows = _n_rows(part)
    words = np.empty(n_rows, dtype=np.uint64)
    fill_words(row, words)
    out: Array = np.zeros(n_rows, dtype=plans.dtype)
    for coder, column in zip(coders, columns_in(part, plans.names), strict=True):
        try:
            coder.code(cells_of(column, distinct=coder.plan.row is not None), words, row, out)
        except UnusableColumn as reason:
            coder.refuse(reason, row)
        if coder.plan.row is not None:
            write(coder.plan.row, row, out)
    return n_rows
